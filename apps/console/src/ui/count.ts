const format = new Intl.NumberFormat("en");

export const count = (number: number): string => format.format(number);

/** `3 events`, `1 event`. */
export const plural = (number: number, one: string): string =>
  `${count(number)} ${one}${number === 1 ? "" : "s"}`;
