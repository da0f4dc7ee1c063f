/** The kinds and outcomes of attempts. No schema library is imported here, so that threads can use this file. */
export const ATTEMPT_KINDS = ["bootstrap", "events"] as const;
export type AttemptKind = (typeof ATTEMPT_KINDS)[number];
/** The protocols of other tools whose clients can send here. */
export const COMPAT_ENDPOINTS = ["segment", "plausible", "umami", "ga4", "matomo"] as const;
export type CompatEndpoint = (typeof COMPAT_ENDPOINTS)[number];
export const ATTEMPT_OUTCOMES = ["succeeded", "partial", "failed", "test"] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];
/** The user agent and SDK version of the doctor's requests. A refused one has the outcome `test`. */
export const TEST_AGENT = "headwater-doctor";
export const KEY_STATES = ["current", "previous", "retired"] as const;
export type KeyState = (typeof KEY_STATES)[number];
