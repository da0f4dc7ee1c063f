const format = new Intl.NumberFormat("en");

export const formatCount = (number: number): string => format.format(number);

/** `3 events`, `1 event`. */
export const pluralize = (number: number, one: string): string =>
  `${formatCount(number)} ${one}${number === 1 ? "" : "s"}`;
