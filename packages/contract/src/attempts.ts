/** The kinds and outcomes of attempts. No schema library is imported here, so that threads can use this file. */
export const ATTEMPT_KINDS = ["bootstrap", "events"] as const;
export type AttemptKind = (typeof ATTEMPT_KINDS)[number];
export const ATTEMPT_OUTCOMES = ["succeeded", "partial", "failed"] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];
export const KEY_STATES = ["current", "previous", "retired"] as const;
export type KeyState = (typeof KEY_STATES)[number];
