const format = new Intl.NumberFormat("en");

/** Formats a count with thousands separators: `1,234`. */
export const formatCount = (number: number): string => format.format(number);

/** @returns `1 event`, `3 events` */
export const pluralize = (number: number, singular: string): string =>
  `${formatCount(number)} ${singular}${number === 1 ? "" : "s"}`;
