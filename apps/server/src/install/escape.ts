/**
 * A value as a string literal of JavaScript, safe inside a `<script>`, in TSX and in any character set: what could
 * end the script, and everything beyond plain ASCII (line separators, marks that turn the writing), is escaped.
 */
export const stringLiteral = (value: string): string =>
  JSON.stringify(value).replace(
    /[<>&]|[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** A value as one word of a POSIX shell. */
export const shellLiteral = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;
