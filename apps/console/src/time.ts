/** Lengths of time, and the time zone of the browser. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
/** The length of a day in UTC. In a time zone a day can be an hour shorter or longer. */
export const DAY_MS = 24 * HOUR_MS;

export const browserTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
