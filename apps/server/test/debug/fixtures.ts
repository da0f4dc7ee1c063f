/** Attempts and a ledger in memory for the tests of the debug room. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ErrorCode,
  type EventCode,
  type EventResult,
  type EventsAnswer,
  type Issue,
  SOURCE_DEFAULTS,
} from "@headwater/contract";
import { Refusal } from "../../src/core/refusal.ts";
import type { Attempt } from "../../src/ingest/attempt.ts";
import { NO_BODY } from "../../src/ingest/json.ts";
import type { AttemptLedger } from "../../src/ledger/ledger.ts";
import type { SourceRecord } from "../../src/ledger/records.ts";
import { openAttempts } from "../../src/ledger/sqlite/attempts.ts";

export const NOW = Date.UTC(2026, 10, 21, 12);

export function fakeClock(start = NOW) {
  let now = start;
  const clock = () => now;
  return Object.assign(clock, { advance: (ms: number) => (now += ms) });
}

export function memoryLedger(): AttemptLedger {
  const store = openAttempts(join(mkdtempSync(join(tmpdir(), "headwater-test-")), "attempts.sqlite"), {
    storeBytes: 1e9,
  });
  return {
    recordAttempts: async (batch) => store.recordAttempts(batch),
    attempts: async (filter) => store.attempts(filter),
    attemptGroups: async (asked) => store.attemptGroups(asked),
    attemptCounts: async (asked) => store.attemptCounts(asked),
    attemptSums: async (asked) => store.attemptSums(asked),
  };
}

export const silent = { warn: () => undefined };

export function source(sourceId = "src_1", changes: Partial<SourceRecord> = {}): SourceRecord {
  return {
    sourceId,
    organizationId: "org_1",
    name: "Shop",
    slug: "shop",
    ...SOURCE_DEFAULTS,
    publicKey: "pk_1",
    previousKeyExpiresAt: null,
    publicKeyRotatedAt: null,
    allowedOrigins: ["https://shop.example"],
    lastBootstrapAt: null,
    lastEventAt: null,
    createdAt: NOW,
    updatedAt: NOW,
    ...changes,
  };
}

/** The body of a request, as text. */
export const bodyOf = (bodyText: string) => () => ({ ...NO_BODY, bodyText });

let numbered = 0;

function attempt(changes: Partial<Attempt>): Attempt {
  const attemptId = `att_${++numbered}`;
  return {
    attemptId,
    requestId: `req_${numbered}`,
    traceId: null,
    endpoint: null,
    kind: "events",
    legacy: false,
    receivedAt: NOW,
    source: source(),
    keyState: "current",
    publicKey: "pk_1",
    origin: "https://shop.example",
    userAgent: "Mozilla/5.0",
    proxyUntrusted: false,
    body: () => NO_BODY,
    payloadBytes: 0,
    envelope: null,
    unstored: null,
    clockSkewMs: null,
    outcome: { kind: "refused", refusal: new Refusal("internal_error") },
    durationMs: 1.5,
    ...changes,
  };
}

const envelope = {
  sdkVersion: "2.0.0",
  ingestVersion: 2,
  batchId: "b_1",
  sentAt: "2026-11-21T12:00:00.000Z",
  sessionId: "ses_1",
  anonymousId: "anon_1",
  userId: null,
};

export function result(index: number, code: EventCode | null = null): EventResult {
  const status = code === null ? "accepted" : code === "duplicate_event" ? "duplicate" : "rejected";
  return {
    index,
    eventId: `e_${index}`,
    analyticsEventId: `a_${index}`,
    type: "track",
    name: "signed_up",
    status,
    code,
    message: code === null ? null : `why ${index}`,
    warnings: [],
    planViolation: null,
  };
}

/** A batch whose events had these outcomes. */
export function taken(codes: (EventCode | null)[] = [null], changes: Partial<Attempt> = {}): Attempt {
  const results = codes.map((code, index) => result(index, code));
  const having = (status: string) => results.filter((one) => one.status === status).length;
  const events = codes.map((_, index) => ({ id: `e_${index}`, type: "track", name: "signed_up" }));
  const text = JSON.stringify({ ...envelope, events });
  const made = attempt({
    body: bodyOf(text),
    payloadBytes: text.length,
    envelope,
    clockSkewMs: 12,
    ...changes,
  });
  const answer: EventsAnswer = {
    ok: true,
    attemptId: made.attemptId,
    sourceId: made.source?.sourceId ?? "",
    sessionId: "ses_1",
    accepted: having("accepted"),
    duplicates: having("duplicate"),
    rejected: having("rejected"),
    results,
  };
  const normalized = results.map((one) => (one.code === null ? JSON.stringify({ id: one.eventId }) : null));
  return {
    ...made,
    outcome: changes.outcome ?? {
      kind: "answered",
      answer,
      results,
      normalized: () => normalized,
      rejections: () => [],
      reply: null,
    },
  };
}

/** A bootstrap that opened a session. */
export function bootstrapped(changes: Partial<Attempt> = {}): Attempt {
  const text = JSON.stringify({ ingestVersion: 2, sdkVersion: "2.0.0", anonymousId: "anon_1", page: {} });
  const made = attempt({
    kind: "bootstrap",
    body: bodyOf(text),
    payloadBytes: text.length,
    envelope,
    ...changes,
  });
  const limits = {
    maxBatchSize: 500,
    maxPayloadBytes: 1,
    maxEventBytes: 1,
    maxEventAgeSeconds: 1,
    sessionTimeoutSeconds: 1,
  };
  const time = new Date(NOW).toISOString();
  const answer = {
    ok: true,
    attemptId: made.attemptId,
    ingestVersion: 2,
    sourceId: "src_1",
    sessionId: "ses_new",
    anonymousId: "anon_1",
    identifiedUserId: null,
    ingestUrl: "/api/ingest/v2/pk_1/events",
    sessionResumed: false,
    sessionExpiresAt: time,
    serverTime: time,
    limits,
    privacy: { respectGpc: false, requireConsent: false },
  } as const;
  const outcome = {
    kind: "answered",
    answer,
    results: [],
    normalized: () => [],
    rejections: () => [],
    reply: null,
  } as const;
  return { ...made, outcome: changes.outcome ?? outcome };
}

export function refused(
  code: ErrorCode,
  changes: Partial<Attempt> = {},
  detail: { hint?: string; issues?: Issue[] } = {},
): Attempt {
  return attempt({ outcome: { kind: "refused", refusal: new Refusal(code, detail) }, ...changes });
}
