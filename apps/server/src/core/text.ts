/** Text that every store can hold, copies of text, and quotes for a shell. */
const REPLACEMENT = "\uFFFD";

/** Replaces NUL and lone surrogates, which PostgreSQL and ClickHouse reject, by U+FFFD. */
export const toStorable = (text: string): string => text.replaceAll("\0", REPLACEMENT).toWellFormed();

/** The value if it is a text that is not empty. */
export const textOf = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : null;

/** The same text in memory of its own. A part of a text, such as the path of a URL, keeps the whole text in memory. */
export const copyText = (text: string): string => Buffer.from(text, "utf16le").toString("utf16le");

/** The text without its percent-encoding. A text that is not well encoded stays as it is. */
export function decodeComponent(text: string): string {
  try {
    return text.includes("%") ? decodeURIComponent(text) : text;
  } catch {
    return text;
  }
}

/** A value as one quoted word of a POSIX shell. */
export const shellLiteral = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;
