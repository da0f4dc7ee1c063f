/** The debug view, and the response of a failed request (spec 2.3, docs/api/conventions.md and docs/api/debug.md). */
import Type, { type Static } from "typebox";
import { ATTEMPT_KINDS, ATTEMPT_OUTCOMES, COMPAT_ENDPOINTS, KEY_STATES } from "./attempts.ts";
import { ERRORS, ISSUE_CODES } from "./errors.ts";
import { EventResult } from "./ingest.ts";
import { LIMITS } from "./limits.ts";
import {
  Closed,
  Count,
  CURSOR,
  count,
  flag,
  NextCursor,
  Nullable,
  OneOf,
  SameOrganizationId,
  text,
  textOrNull,
  time,
  timeOrNull,
  url,
} from "./shapes.ts";
import { SourceLimits } from "./source-fields.ts";
import { AppliedLimits, Source } from "./sources.ts";

export const IssueShape = Closed(
  {
    path: Type.Array(Type.Union([Type.String(), Type.Integer()]), {
      description: "Where the field is: names of members and indexes of lists.",
    }),
    code: OneOf(ISSUE_CODES, { description: "What is wrong with the field." }),
    message: text("What is wrong, for people."),
    eventId: Type.Optional(text("The id of the event that contains the field, if it can be read.")),
  },
  { description: "One field of a request that is not valid." },
);

const anyJson = (description: string) => Type.Unknown({ description });

/** The limit of the source that refused the request. */
const RefusingLimit = Nullable(
  Closed({
    // the members of the schema, whose names `Object.keys` has lost
    name: OneOf(Object.keys(SourceLimits.properties) as (keyof SourceLimits)[], {
      description: "The limit's name in the source's `limits`.",
    }),
    value: count("The limit."),
    actual: Nullable(Count, { description: "The request's value; null: it is not known." }),
  }),
  { description: "The source's limit that refused the request; null: none did." },
);

export const DebugAttempt = Closed({
  attemptId: text("The attempt's id. It is also in the request's response."),
  kind: OneOf(ATTEMPT_KINDS, { description: "The request's route." }),
  receivedAt: time("When the request arrived."),
  durationMs: Type.Number({ minimum: 0, description: "How long the service worked on it." }),
  httpStatus: Type.Integer({ description: "The response's status." }),
  outcome: OneOf(ATTEMPT_OUTCOMES, {
    description:
      "`partial`: some events were rejected. `failed`: nothing was stored. `test`: a request from the doctor or a page test, which is not counted.",
  }),
  code: textOrNull("The code of the refusal, or of the first rejected event."),
  message: textOrNull("What was wrong."),
  hint: textOrNull("What to change, with the value to paste."),
  origin: textOrNull("The origin of the page."),
  legacy: flag("The request used a route without `/v2`."),
  endpoint: Nullable(OneOf(COMPAT_ENDPOINTS), {
    description: "The request's compatible endpoint; null: it used Headwater's own.",
  }),
  keyState: OneOf(KEY_STATES, {
    description:
      "The state of the request's key at that time. `previous`: replaced, but still accepted. `retired`: no longer accepted.",
  }),
  publicKey: textOrNull("The request's key."),
  traceId: Nullable(
    Type.String({
      pattern: "^[0-9a-f]{32}$",
      description: "The trace that the request's `traceparent` named.",
    }),
  ),
  sdkVersion: textOrNull("The version of the client."),
  ingestVersion: Nullable(Type.Integer(), { description: "The version of the ingest API in the body." }),
  userAgent: textOrNull("The user agent of the client."),
  batchId: textOrNull("The id of the batch."),
  sentAt: textOrNull("When the client sent the request, by its own clock."),
  clockSkewMs: Nullable(Type.Integer(), { description: "How far the client's clock is behind." }),
  payloadBytes: count("Bytes of the body after decompression."),
  sessionId: textOrNull("The session of the request."),
  anonymousId: textOrNull("The visitor of the request."),
  userId: textOrNull("The signed-in user of the request."),
  accepted: count("Events that were stored."),
  duplicates: count("Events that had been stored before."),
  rejected: count("Events that were not stored."),
  issues: Type.Array(IssueShape, { description: "The fields that are not valid." }),
  limit: RefusingLimit,
  raw: anyJson("The body, masked. If it is not JSON: its beginning as text."),
  normalized: anyJson("What the service read from the body: the events in their stored form."),
  truncated: flag("`raw`, `normalized` or `results` were longer than 16 KiB and are cut."),
  results: Type.Array(EventResult, { description: "The outcome of each event." }),
});
export type DebugAttempt = Static<typeof DebugAttempt>;

export const DebugQuery = Closed({
  organizationId: SameOrganizationId,
  kind: Type.Optional(OneOf(ATTEMPT_KINDS, { description: "Only attempts on this route." })),
  outcome: Type.Optional(OneOf(ATTEMPT_OUTCOMES, { description: "Only attempts with this outcome." })),
  code: Type.Optional(
    Type.String({
      maxLength: 64,
      description: "Only attempts with this code, such as `origin_not_allowed`.",
    }),
  ),
  origin: Type.Optional(
    Type.String({ maxLength: LIMITS.maxOriginLength, description: "Only attempts from this origin." }),
  ),
  sessionId: Type.Optional(Type.String({ maxLength: 200, description: "Only attempts of this session." })),
  anonymousId: Type.Optional(Type.String({ maxLength: 200, description: "Only attempts of this visitor." })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.maxDebugPageSize,
      description: "The maximum number of attempts of each kind. Default: 50.",
    }),
  ),
  cursor: Type.Optional(Type.String({ pattern: "^[0-9]{1,40}$", description: CURSOR })),
});
export type DebugQuery = Static<typeof DebugQuery>;

const HEALTH_STATUSES = ["waiting", "receiving", "failing"] as const;

/** The health of a source. It is computed from all attempts, including those that were not stored. */
export const SourceHealth = Closed(
  {
    status: OneOf(HEALTH_STATUSES, {
      description:
        "`waiting`: nothing arrived yet. `receiving`: events arrive. `failing`: requests are refused.",
    }),
    lastBootstrapAt: timeOrNull("When bootstrap last succeeded; null: never."),
    lastEventAt: timeOrNull("When an event was last accepted; null: never."),
    last24h: Closed(
      {
        accepted: count("Events that were stored."),
        duplicates: count("Events that had been stored before."),
        rejected: count("Events that were not stored."),
        failed: count("Requests that were refused."),
        planViolations: count("Events that violated the tracking plan, accepted or rejected."),
        notListed: count(
          "Requests that are counted but not listed. In busy seconds the debug view lists a sample.",
        ),
      },
      { description: "The counts for the last 24 hours." },
    ),
    topCodes: Type.Array(
      Closed({
        code: text("The code of a refusal or of a rejected event."),
        count: count("How often it occurred."),
        lastSeenAt: time("When it last occurred."),
        hint: text("What to change."),
      }),
      { description: "The most frequent codes." },
    ),
    warnings: Type.Array(
      Closed({
        code: text("The code of the warning."),
        message: text("What is wrong."),
        hint: text("What to change."),
      }),
      { description: "Problems that refuse no request yet." },
    ),
  },
  { description: "The health of the source, computed from all its attempts." },
);

const PlanViolationShape = Closed(
  {
    event: text("The name of the events."),
    path: text("What violates the plan, such as `properties.price`."),
    expected: text("What the plan expects there."),
    found: text("The type of what was found last. An attempt's results have the value."),
    events: count("How many events violated the plan in this way."),
    firstSeenAt: time("When the first of them was received."),
    lastSeenAt: time("When the last of them was received."),
    clientVersions: Type.Array(Type.String(), { description: "The `sdkVersion` of clients that sent them." }),
    pages: Type.Array(Type.String(), {
      description: "Paths of pages from which at least three sessions sent them.",
    }),
  },
  { description: "An expectation of the tracking plan that events have violated." },
);

export const DebugData = Closed({
  source: Source,
  limits: AppliedLimits,
  health: SourceHealth,
  planViolations: Type.Array(PlanViolationShape, {
    description: `The last ${LIMITS.maxPlanViolations} different violations of the tracking plan, the newest first. Each node adds its own every 5 seconds.`,
  }),
  requestGroups: Type.Array(
    Closed({
      origin: textOrNull("The origin of the page."),
      outcome: OneOf(ATTEMPT_OUTCOMES, { description: "The outcome of the requests." }),
      code: textOrNull("The code of the refusals, or of the first rejected event of each request."),
      requests: count("How many stored attempts have these three."),
      lastSeenAt: time("When the last of them was received."),
    }),
    {
      description:
        "The stored attempts of the last 24 hours that the filter selects, by origin, outcome and code, the most frequent first.",
    },
  ),
  bootstrapAttempts: Type.Array(DebugAttempt, { description: "Attempts to bootstrap, newest first." }),
  eventAttempts: Type.Array(DebugAttempt, { description: "Attempts to send events, newest first." }),
  nextCursor: NextCursor,
});
export type DebugData = Static<typeof DebugData>;

/** The response of a failed request (docs/api/conventions.md). */
export const Failure = Closed({
  ok: Type.Literal(false, { description: "Always false in an error." }),
  error: OneOf([...new Set(Object.values(ERRORS).map(({ error }) => error))], {
    description: "The kind of error, one for each status.",
  }),
  code: OneOf(Object.keys(ERRORS), { description: "What went wrong, for programs. Codes never change." }),
  message: text("What is wrong, in one sentence."),
  hint: text("What to do about it."),
  retryable: flag("The same request can succeed later. Wait as long as `Retry-After` says."),
  requestId: text("The id of the request, as in `X-Request-Id`. Include it when you report a problem."),
  attemptId: Type.Optional(text("The id of the attempt in the debug view. On ingest routes only.")),
  debugUrl: Type.Optional(url("The debug view of the source. On ingest routes with a known key only.")),
  issues: Type.Optional(
    Type.Array(IssueShape, {
      maxItems: LIMITS.maxIssues,
      description: "Every field that is not valid. With status 422 only.",
    }),
  ),
  issuesTruncated: Type.Optional(
    Type.Literal(true, { description: `There are more than ${LIMITS.maxIssues} issues.` }),
  ),
  limit: Type.Optional(
    count("The limit that the request exceeded. With status 413 and `quota_exceeded` only."),
  ),
  actual: Type.Optional(count("What was sent, or used. With status 413 and `quota_exceeded` only.")),
  resetAt: Type.Optional(time("When the quota is reset. With `quota_exceeded` only.")),
});
