const REPLACEMENT = "\uFFFD";

/** The text as every store holds it: NUL and lone surrogates become U+FFFD. */
export const storable = (text: string): string => text.replaceAll("\0", REPLACEMENT).toWellFormed();
