/** The debug view, and the response of a failed request (spec 2.3, docs/contract.md sections 1 and 6). */
import Type, { type Static } from "typebox";
import { ATTEMPT_KINDS, ATTEMPT_OUTCOMES, KEY_STATES } from "./attempts.ts";
import { ERRORS, ISSUE_CODES } from "./errors.ts";
import { EventResult } from "./ingest.ts";
import { LIMITS } from "./limits.ts";
import { Closed, Count, CURSOR, Nullable, OneOf, Time } from "./shapes.ts";
import { SourceLimits } from "./source-fields.ts";
import { AppliedLimits, Source } from "./sources.ts";

export const IssueShape = Closed({
  path: Type.Array(Type.Union([Type.String(), Type.Integer()])),
  code: OneOf(ISSUE_CODES),
  message: Type.String(),
  eventId: Type.Optional(Type.String()),
});

const Text = Nullable(Type.String());
const AnyJson = Type.Unknown({ description: "Any JSON value." });

/** The limit of the source that refused the request. */
const RefusingLimit = Nullable(
  Closed({
    // the members of the schema, whose names `Object.keys` has lost
    name: OneOf(Object.keys(SourceLimits.properties) as (keyof SourceLimits)[]),
    value: Count,
    actual: Nullable(Count),
  }),
);

export const DebugAttempt = Closed({
  attemptId: Type.String(),
  kind: OneOf(ATTEMPT_KINDS),
  receivedAt: Time,
  durationMs: Type.Number({ minimum: 0 }),
  httpStatus: Type.Integer(),
  outcome: OneOf(ATTEMPT_OUTCOMES),
  code: Text,
  message: Text,
  hint: Text,
  origin: Text,
  legacy: Type.Boolean(),
  keyState: OneOf(KEY_STATES),
  publicKey: Text,
  traceId: Nullable(
    Type.String({
      pattern: "^[0-9a-f]{32}$",
      description: "The trace that the request's `traceparent` named.",
    }),
  ),
  sdkVersion: Text,
  ingestVersion: Nullable(Type.Integer()),
  userAgent: Text,
  batchId: Text,
  sentAt: Text,
  clockSkewMs: Nullable(Type.Integer()),
  payloadBytes: Count,
  sessionId: Text,
  anonymousId: Text,
  userId: Text,
  accepted: Count,
  duplicates: Count,
  rejected: Count,
  issues: Type.Array(IssueShape),
  limit: RefusingLimit,
  raw: AnyJson,
  normalized: AnyJson,
  truncated: Type.Boolean(),
  results: Type.Array(EventResult),
});
export type DebugAttempt = Static<typeof DebugAttempt>;

export const DebugQuery = Closed({
  organizationId: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  kind: Type.Optional(OneOf(ATTEMPT_KINDS)),
  outcome: Type.Optional(OneOf(ATTEMPT_OUTCOMES)),
  code: Type.Optional(Type.String({ maxLength: 64 })),
  origin: Type.Optional(Type.String({ maxLength: LIMITS.maxOriginLength })),
  sessionId: Type.Optional(Type.String({ maxLength: 200 })),
  anonymousId: Type.Optional(Type.String({ maxLength: 200 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.maxDebugPageSize })),
  cursor: Type.Optional(Type.String({ pattern: "^[0-9]{1,40}$", description: CURSOR })),
});
export type DebugQuery = Static<typeof DebugQuery>;

export const HEALTH_STATUSES = ["waiting", "receiving", "failing"] as const;

export const DebugData = Closed({
  source: Source,
  limits: AppliedLimits,
  health: Closed({
    status: OneOf(HEALTH_STATUSES),
    lastBootstrapAt: Nullable(Time),
    lastEventAt: Nullable(Time),
    last24h: Closed({ accepted: Count, duplicates: Count, rejected: Count, failed: Count }),
    topCodes: Type.Array(
      Closed({ code: Type.String(), count: Count, lastSeenAt: Time, hint: Type.String() }),
    ),
    warnings: Type.Array(Closed({ code: Type.String(), message: Type.String(), hint: Type.String() })),
  }),
  bootstrapAttempts: Type.Array(DebugAttempt),
  eventAttempts: Type.Array(DebugAttempt),
  nextCursor: Nullable(Type.String()),
});
export type DebugData = Static<typeof DebugData>;

/** The response of a failed request (docs/contract.md section 1). */
export const Failure = Closed({
  ok: Type.Literal(false),
  error: OneOf([...new Set(Object.values(ERRORS).map(({ error }) => error))]),
  code: OneOf(Object.keys(ERRORS)),
  message: Type.String(),
  hint: Type.String(),
  retryable: Type.Boolean(),
  requestId: Type.String(),
  attemptId: Type.Optional(Type.String()),
  debugUrl: Type.Optional(
    Type.String({ description: "The debug view of the source. On ingest routes with a known key only." }),
  ),
  issues: Type.Optional(Type.Array(IssueShape, { maxItems: LIMITS.maxIssues })),
  issuesTruncated: Type.Optional(Type.Literal(true)),
  limit: Type.Optional(Count),
  actual: Type.Optional(Count),
  resetAt: Type.Optional(Time),
});
