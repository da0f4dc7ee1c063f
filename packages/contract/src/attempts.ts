/** The words that an attempt is told with. No schema here, so that a thread may read them without the schema library. */
export const ATTEMPT_KINDS = ["bootstrap", "events"] as const;
export type AttemptKind = (typeof ATTEMPT_KINDS)[number];
export const ATTEMPT_OUTCOMES = ["succeeded", "partial", "failed"] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];
export const KEY_STATES = ["current", "previous", "retired"] as const;
export type KeyState = (typeof KEY_STATES)[number];
