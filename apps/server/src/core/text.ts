/** Text that every store can hold. */
const REPLACEMENT = "\uFFFD";

/** Replaces NUL and lone surrogates, which PostgreSQL and ClickHouse reject, by U+FFFD. */
export const toStorable = (text: string): string => text.replaceAll("\0", REPLACEMENT).toWellFormed();
