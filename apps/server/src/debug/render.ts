/**
 * Renders an attempt as the debug view shows it (`Attempt` of the contract), masked, as JSON text. The text is put together
 * from parts that are already JSON, so that a body is not parsed again.
 */
import type { AttemptOutcome, EventResult, Issue } from "@headwater/contract";
import { TEST_AGENT } from "@headwater/contract/attempts";
import { POLICY_CODES } from "@headwater/contract/event-codes";
import { LIMITS } from "@headwater/contract/limits";
import { toIsoTime } from "../core/time.ts";
import type { AnsweredOutcome, Attempt, RefusedOutcome } from "../ingest/attempt.ts";
import type { AttemptRow } from "../ledger/records.ts";
import { maskString } from "../masking/mask.ts";
import { hintOf } from "./hints.ts";
import { type Snapshot, snapshotOf, snapshotOfList, snapshotOfText, snapshotOfUnknown } from "./snapshot.ts";

export const SNAPSHOT_BYTES = 16_384;

/** Characters that are kept of a header or an id. */
const MAX_TEXT_LENGTH = 1_024;
/** A secret that begins before that cut is masked if it ends within this many characters after it. */
const MAX_SECRET_LENGTH = 512;
/** The texts in a result or an issue are cut if its JSON is longer than this. */
const MAX_ENTRY_LENGTH = 4_096;
const MAX_ENTRY_TEXT_LENGTH = 256;
const EMPTY: Snapshot = { json: "null", truncated: false };

/** An attempt whose source is known. Only these are recorded. */
export type FinishedAttempt = Attempt & { source: NonNullable<Attempt["source"]> };

/** A finished attempt with the id of its source only. The thread that renders attempts gets no more. */
export type RenderableAttempt = Omit<FinishedAttempt, "source" | "unstored" | "outcome"> & {
  source: Pick<FinishedAttempt["source"], "sourceId">;
  outcome: RenderableOutcome;
};
type RenderableOutcome = RefusedOutcome | Omit<AnsweredOutcome, "rejections">;

/**
 * `test`: the doctor's request was refused, as it is made to be. `failed`: the request was refused, or every event of an events request was rejected, at least one because of the
 * application. `partial`: some other rejection. That is, others were stored, a bootstrap succeeded, or only the settings of
 * the source rejected events.
 */
export function outcomeOf(attempt: RenderableAttempt): AttemptOutcome {
  if (attempt.outcome.kind === "refused") return attempt.userAgent === TEST_AGENT ? "test" : "failed";
  const { results } = attempt.outcome;
  const rejected = attempt.outcome.answer.rejected ?? 0;
  if (rejected === 0) return "succeeded";
  const hasNoOtherEffect = rejected === results.length && attempt.kind === "events";
  return hasNoOtherEffect && results.some(({ code }) => !POLICY_CODES.includes(code ?? ""))
    ? "failed"
    : "partial";
}

/** @returns the number of accepted events that violate the tracking plan */
export const acceptedViolations = ({ outcome }: RenderableAttempt): number =>
  outcome.kind === "refused"
    ? 0
    : outcome.results.filter(
        ({ status, warnings }) => status === "accepted" && warnings.includes("plan_violation"),
      ).length;

/** Renders attempts, and skips those that cannot be rendered. */
export function renderEach<T>(attempts: readonly T[], render: (attempt: T) => AttemptRow): AttemptRow[] {
  return attempts.flatMap((attempt) => {
    try {
      return [render(attempt)];
    } catch {
      return [];
    }
  });
}

/** The row that the store keeps of an attempt. */
export function rowOf(attempt: RenderableAttempt): AttemptRow {
  const reason = reasonOf(attempt.outcome);
  const outcome = outcomeOf(attempt);
  const origin = clean(attempt.origin);
  const sessionId = clean(answerOf(attempt)?.sessionId ?? attempt.envelope?.sessionId ?? null);
  const anonymousId = clean(attempt.envelope?.anonymousId ?? null);
  return {
    attemptId: attempt.attemptId,
    sourceId: attempt.source.sourceId,
    kind: attempt.kind,
    receivedAt: attempt.receivedAt,
    outcome,
    // a test is no problem that a filter by code should find
    code: outcome === "test" ? null : reason.code,
    origin,
    sessionId,
    anonymousId,
    record: recordOf(attempt, outcome, reason, { origin, sessionId, anonymousId }),
  };
}

function recordOf(
  attempt: RenderableAttempt,
  outcome: AttemptOutcome,
  reason: Reason,
  cleaned: { origin: string | null; sessionId: string | null; anonymousId: string | null },
): string {
  const { envelope } = attempt;
  const answer = answerOf(attempt);
  const raw = rawOf(attempt);
  const normalized = normalizedOf(attempt.outcome);
  const results = attempt.outcome.kind === "answered" ? resultsOf(attempt.outcome.results) : NO_RESULTS;
  const facts = JSON.stringify({
    attemptId: attempt.attemptId,
    kind: attempt.kind,
    receivedAt: toIsoTime(attempt.receivedAt),
    durationMs: Math.max(0, Math.round(attempt.durationMs * 100) / 100),
    httpStatus: statusOf(attempt.outcome),
    outcome,
    code: reason.code,
    message: clean(reason.message),
    hint: clean(reason.hint),
    origin: cleaned.origin,
    legacy: attempt.legacy,
    endpoint: attempt.endpoint,
    keyState: attempt.keyState ?? "current",
    publicKey: attempt.publicKey,
    traceId: attempt.traceId,
    sdkVersion: clean(envelope?.sdkVersion ?? null),
    ingestVersion: versionOf(envelope?.ingestVersion),
    userAgent: clean(attempt.userAgent),
    batchId: clean(envelope?.batchId ?? null),
    sentAt: clean(envelope?.sentAt ?? null),
    clockSkewMs: attempt.clockSkewMs === null ? null : Math.round(attempt.clockSkewMs),
    payloadBytes: attempt.payloadBytes,
    sessionId: cleaned.sessionId,
    anonymousId: cleaned.anonymousId,
    userId: clean(envelope?.userId ?? null),
    accepted: answer?.accepted ?? 0,
    duplicates: answer?.duplicates ?? 0,
    rejected: answer?.rejected ?? 0,
    limit: limitOf(attempt.outcome),
    truncated: raw.truncated || normalized.truncated || results.truncated,
  });
  const issues = attempt.outcome.kind === "refused" ? issuesOf(attempt.outcome.refusal.detail.issues) : "[]";
  return `${facts.slice(0, -1)},"issues":${issues},"raw":${raw.json},"normalized":${normalized.json},"results":${results.json}}`;
}

function statusOf(outcome: RenderableOutcome): number {
  return outcome.kind === "refused" ? outcome.refusal.status : (outcome.reply?.status ?? 200);
}

/** The reason of a refusal or of a rejected event. */
interface Reason {
  code: string | null;
  message: string | null;
  hint: string | null;
}

/** The code of the refusal or of the first rejected event. null if nothing was refused. */
export const codeOf = ({ outcome }: RenderableAttempt): string | null => reasonOf(outcome).code;

function reasonOf(outcome: RenderableOutcome): Reason {
  if (outcome.kind === "refused") {
    const { code, message, hint } = outcome.refusal;
    return { code, message, hint };
  }
  const first = outcome.answer.rejected
    ? outcome.results.find((result) => result.status === "rejected")
    : null;
  if (!first) return { code: null, message: null, hint: null };
  return { code: first.code, message: first.message, hint: first.code === null ? null : hintOf(first.code) };
}

function answerOf(attempt: RenderableAttempt): AnsweredOutcome["answer"] | null {
  return attempt.outcome.kind === "answered" ? attempt.outcome.answer : null;
}

function limitOf(outcome: RenderableOutcome) {
  if (outcome.kind === "answered") return null;
  const { limitName: name, limit: value, actual = null } = outcome.refusal.detail;
  return name === undefined ? null : { name, value, actual };
}

/** The snapshot of the body. Ingest has parsed the body of an answered request of ours as JSON. Others are checked first. */
function rawOf({ body, endpoint, outcome }: RenderableAttempt): Snapshot {
  const { bodyText, bodyStart } = body();
  if (bodyText === null)
    return bodyStart === null ? EMPTY : { ...snapshotOfText(bodyStart), truncated: true };
  if (outcome.kind === "answered" && endpoint === null) return snapshotOf(bodyText, SNAPSHOT_BYTES);
  if (outcome.kind === "refused" && isMalformed(outcome)) return snapshotOfText(bodyText);
  return snapshotOfUnknown(bodyText, SNAPSHOT_BYTES);
}

function isMalformed({ refusal }: RefusedOutcome): boolean {
  return refusal.detail.issues?.some((issue) => issue.code === "invalid_json") ?? false;
}

/** The normal forms of the events. For a bootstrap without events: its session. */
function normalizedOf(outcome: RenderableOutcome): Snapshot {
  if (outcome.kind === "refused") return EMPTY;
  if (outcome.results.length > 0 || !("sessionResumed" in outcome.answer))
    return snapshotOfList(outcome.normalized(), SNAPSHOT_BYTES);
  const { sessionId, anonymousId, identifiedUserId, sessionResumed, sessionExpiresAt } = outcome.answer;
  const session = { sessionId, anonymousId, identifiedUserId, sessionResumed, sessionExpiresAt };
  return snapshotOf(JSON.stringify(session), SNAPSHOT_BYTES);
}

const NO_RESULTS: Snapshot = { json: "[]", truncated: false };

/** All results. If they do not fit, the rejected ones come first, because they matter most. */
function resultsOf(results: readonly EventResult[]): Snapshot {
  const all = snapshotOfList(results.map(jsonOf), SNAPSHOT_BYTES);
  if (!all.truncated) return all;
  const rejected = results.filter((result) => result.status === "rejected");
  const others = results.filter((result) => result.status !== "rejected");
  return snapshotOfList([...rejected, ...others].map(jsonOf), SNAPSHOT_BYTES);
}

function issuesOf(issues: readonly Issue[] | undefined): string {
  if (!issues || issues.length === 0) return "[]";
  return snapshotOfList(issues.slice(0, LIMITS.maxIssues).map(jsonOf), SNAPSHOT_BYTES).json;
}

/** A result or an issue as JSON. Long texts of the client in it are cut. */
function jsonOf(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length <= MAX_ENTRY_LENGTH ? json : JSON.stringify(value, shortened);
}

function shortened(_key: string, value: unknown): unknown {
  const isLong = typeof value === "string" && value.length > MAX_ENTRY_TEXT_LENGTH;
  return isLong ? value.slice(0, MAX_ENTRY_TEXT_LENGTH).toWellFormed() : value;
}

/** Masks a text and cuts it. It is masked first, because half an address or a secret may not look like one. */
function clean(text: string | null): string | null {
  if (text === null) return null;
  const head = text.slice(0, MAX_TEXT_LENGTH + MAX_SECRET_LENGTH).toWellFormed();
  return maskString(head).slice(0, MAX_TEXT_LENGTH).toWellFormed();
}

/** The client can send any number. The view shows whole numbers only. */
function versionOf(version: number | null | undefined): number | null {
  return Number.isSafeInteger(version) ? (version ?? null) : null;
}
