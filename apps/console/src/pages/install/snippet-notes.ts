/** A snippet begins with a comment: its file, and notes with backquoted code. The page shows these around the code. */

export interface SnippetNote {
  readonly text: string;
  /** The code that the text announces; empty: none. */
  readonly code: string;
}

interface SnippetParts {
  /** The file that the code belongs in; null: the comment names none. */
  readonly file: string | null;
  readonly notes: readonly SnippetNote[];
  readonly code: string;
}

/** The comments of JSX, Astro, TypeScript and the shell. */
const COMMENTS = [
  /^\{\/\*([\s\S]*?)\*\/\}\n/,
  /^---\n((?:\/\/.*\n)+)---\n/,
  /^((?:\/\/.*\n)+)/,
  /^((?:#.*\n)+)/,
];
const FILE = /^[\w./-]+\.\w+$/;
/** The mark of a comment's line, or the indent of a line in JSX; the code of a note is indented further. */
const LINE_START = /^(?:\/\/ | {4}|# | )/;

const CODE_INDENT = /^ {1,2}/;

/** Splits the comment at the top from the code. */
export function splitSnippet(snippet: string): SnippetParts {
  const match = COMMENTS.map((pattern) => pattern.exec(snippet)).find((found) => found !== null);
  if (!match) return { file: null, notes: [], code: snippet };
  const [whole, comment = ""] = match;
  const lines = comment
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(LINE_START, ""));
  const file = FILE.test(lines[0] ?? "") ? lines.shift()! : null;
  const notes: SnippetNote[] = [];
  for (const line of lines) {
    const last = notes.at(-1);
    if (line.startsWith(" ") && last)
      notes.splice(-1, 1, { ...last, code: `${last.code}${line.replace(CODE_INDENT, "")}\n` });
    else notes.push({ text: line, code: "" });
  }
  return { file, notes, code: snippet.slice(whole.length).replace(/^\n+/, "") };
}
