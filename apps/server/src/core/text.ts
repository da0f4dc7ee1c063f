/** Text that every store can hold, copies of text, and quotes for a shell. */
const REPLACEMENT = "\uFFFD";

/** Replaces NUL and lone surrogates, which PostgreSQL and ClickHouse reject, by U+FFFD. */
export const toStorable = (text: string): string => text.replaceAll("\0", REPLACEMENT).toWellFormed();

/** The same text in memory of its own. A part of a text, such as the path of a URL, keeps the whole text in memory. */
export const copyText = (text: string): string => Buffer.from(text, "utf16le").toString("utf16le");

/** A value as one quoted word of a POSIX shell. */
export const shellLiteral = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;
