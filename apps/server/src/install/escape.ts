/** Escapes values that are written into snippets. */

/**
 * A value as a JavaScript string literal that is safe inside a `<script>` and in TSX. It escapes `<`, `>` and `&`, which
 * HTML could read as the end of the script or as a character reference, and all characters outside printable ASCII.
 */
export const stringLiteral = (value: string): string =>
  JSON.stringify(value).replace(
    /[<>&]|[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
