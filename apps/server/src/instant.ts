/** Times as the API shows them (CONTRACT section 1): ISO 8601 UTC with milliseconds; absent is null. */
export const isoTime = (at: number): string => new Date(at).toISOString();
export const isoTimeOrNull = (at: number | null): string | null => (at === null ? null : isoTime(at));
/** The UTC day, `YYYY-MM-DD`. */
export const dayOf = (at: number): string => isoTime(at).slice(0, 10);
