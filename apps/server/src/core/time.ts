/** Times as the API shows them (CONTRACT section 1): ISO 8601 UTC with milliseconds; absent is null. */
export const isoTime = (at: number): string => new Date(at).toISOString();
export const isoTimeOrNull = (at: number | null): string | null => (at === null ? null : isoTime(at));
/** The UTC day, `YYYY-MM-DD`. */
export const dayOf = (at: number): string => isoTime(at).slice(0, 10);

/** Does the day exist that a text begins with, `2026-02-30`? The runtime reads that one as the 2nd of March. */
export function beginsWithDay(text: string): boolean {
  const day = text.slice(0, 10);
  const at = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(at) && dayOf(at) === day;
}
