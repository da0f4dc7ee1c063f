const format = new Intl.NumberFormat("en");

/** Formats a count with thousands separators: `1,234`. */
export const formatCount = (number: number): string => format.format(number);

/** Formats a size: `12 KB`, `3.4 MB`. */
export const formatBytes = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} KB` : `${formatCount(Math.round(bytes / 1e5) / 10)} MB`;

/** @returns `1 event`, `3 events` */
export const pluralize = (number: number, singular: string): string =>
  `${formatCount(number)} ${singular}${number === 1 ? "" : "s"}`;
