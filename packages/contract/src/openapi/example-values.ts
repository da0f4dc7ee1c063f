/** The resources that the examples show. */
import { CONTENT_LIMIT_VALUES } from "../limits.ts";
import type { Replay } from "../operations/quarantine-schemas.ts";
import { SOURCE_DEFAULTS } from "../source-fields.ts";

export const IDS = {
  organizationId: "org_default",
  sourceId: "src_01a2049c3dcf33fdcf65dbef5cfe13ac",
  publicKey: "pk_d8k9oPPtYVpowvtlVM8LdN2x",
  retiredKey: "pk_hLdTXAOL5ZgjMb206ZsJodgM",
  sessionId: "ses_01a2049c3e299a41a4d0f53262d227af",
  userId: "usr_01a2049c39e70bf45256f09859325e1a",
  memberId: "usr_01a2049c4a117c3f9be24d7f0c5a8e61",
  tokenId: "tok_01a2049c39e7cb3c13c9dd5f96e3990e",
  attemptId: "att_01a2049c3e1a73b98f71ee1ec0961476",
  savedId: "sav_01a2049c52e88f3b9d5c7fa4e3f1b8c6",
  reportId: "rep_01a2049c52e88f3b9d5c7fa4e3f1b8c7",
  replayId: "rpl_01a2049c52e88f3b9d5c7fa4e3f1b8c8",
  receiptId: "era_01a2049c51d07e2a8c4b6f93d2e0a7b5",
  auditId: "aud_3",
  invitationId: "inv_01a2049c52aa7b418e03d6c5f1b2a9e7",
  eventId: "3f9c1f0a-6f1e-4b6c-9d3a-2b7f5c8e1d40",
  analyticsEventId: "evt_c0f65c59f2188b39191c90058ad6e434",
  anonymousId: "7d1e4c52-88f0-4a55-b0a5-6c1de2f4a9b3",
} as const;

export const AT = "2026-11-21T12:00:00.000Z";
export const SITE = "https://shop.example";
export const API = "https://hw.example.com";

const page = { url: `${SITE}/pricing`, title: "Pricing" };
export const PAGE_VIEW = { id: IDS.eventId, type: "page", timestamp: AT, page };
const SIGNUP = {
  id: "b1f6a2d4-52c9-4f7e-8a0b-9e3d6c7f1a25",
  type: "track",
  name: "signup",
  timestamp: AT,
  page,
  properties: { plan: "pro" },
};
export const BATCH = { batchId: "0c3b7e9a-41d8-4a7f-95b6-d2e8f1a4c603", sentAt: AT };
export const START_SESSION = {
  ingestVersion: 2,
  sdkVersion: "my-client/1.0",
  anonymousId: IDS.anonymousId,
  page,
  context: { locale: "en-GB", timezone: "Europe/London" },
  ...BATCH,
  events: [PAGE_VIEW],
};
export const EVENT_BATCH = {
  ingestVersion: 2,
  sdkVersion: "my-client/1.0",
  ...BATCH,
  sessionId: IDS.sessionId,
  anonymousId: IDS.anonymousId,
  events: [SIGNUP],
};

const result = (event: { id: string; type: string }, name: string) => ({
  index: 0,
  eventId: event.id,
  analyticsEventId: IDS.analyticsEventId,
  type: event.type,
  name,
  status: "accepted" as const,
  code: null,
  message: null,
  warnings: [],
  planViolation: null,
});
const PAGE_VIEW_RESULT = result(PAGE_VIEW, "page_view");
const accepted = (one: ReturnType<typeof result>) => ({
  accepted: 1,
  duplicates: 0,
  rejected: 0,
  results: [one],
});

export const SESSION = {
  ok: true as const,
  attemptId: IDS.attemptId,
  ingestVersion: 2 as const,
  sourceId: IDS.sourceId,
  sessionId: IDS.sessionId,
  anonymousId: IDS.anonymousId,
  identifiedUserId: null,
  ingestUrl: `/api/ingest/v2/${IDS.publicKey}/events`,
  sessionResumed: false,
  sessionExpiresAt: "2026-11-21T12:30:00.000Z",
  serverTime: AT,
  limits: {
    maxBatchSize: 500,
    maxPayloadBytes: 524_288,
    maxEventBytes: 32_768,
    maxEventAgeSeconds: 34_560_000,
    sessionTimeoutSeconds: 1_800,
  },
  privacy: { respectGpc: false, requireConsent: false },
  ...accepted(PAGE_VIEW_RESULT),
};
export const BATCH_RESULT = {
  ok: true as const,
  attemptId: IDS.attemptId,
  sourceId: IDS.sourceId,
  sessionId: IDS.sessionId,
  ...accepted(result(SIGNUP, "signup")),
};

const SEGMENT_TRACK = { id: "ajs-next-5f1e9c47b6a2", type: "track" };
export const SEGMENT_CALL = {
  messageId: SEGMENT_TRACK.id,
  anonymousId: IDS.anonymousId,
  event: "Order Completed",
  properties: { revenue: 49.9, currency: "EUR" },
  timestamp: AT,
  sentAt: AT,
};
export const SEGMENT_ANSWER = {
  success: true,
  attemptId: IDS.attemptId,
  ...accepted(result(SEGMENT_TRACK, "Order Completed")),
};

const SEGMENT = {
  kind: "segment" as const,
  name: "German phones",
  shared: true,
  filters: [
    { dimension: "country" as const, operator: "is" as const, value: "DE" },
    { dimension: "device" as const, operator: "is" as const, value: "mobile" },
  ],
};
export const NEW_SAVED_ITEM = SEGMENT;
export const SAVED_ITEM = {
  savedId: IDS.savedId,
  userId: IDS.userId,
  createdAt: AT,
  ...SEGMENT,
  steps: null,
  windowSeconds: null,
  day: null,
};

export const PLAN_VERSION = {
  version: 1,
  createdAt: AT,
  userId: IDS.userId,
  tokenId: IDS.tokenId,
  plan: {
    mode: "warn" as const,
    unknownEvents: "allow" as const,
    events: {
      signup: {
        mode: null,
        schema: { properties: { plan: { type: "string", enum: ["free", "pro"] } }, required: ["plan"] },
      },
    },
  },
};

export const SOURCE = {
  ...SOURCE_DEFAULTS,
  sourceId: IDS.sourceId,
  organizationId: IDS.organizationId,
  publicKey: IDS.publicKey,
  name: "Shop",
  slug: "shop",
  allowedOrigins: [SITE],
  frameworkHint: "nextjs",
  goals: [{ name: "Signed up", event: "signup", path: null, conditions: [], value: null }],
  contentGroups: [{ name: "Docs", paths: ["/docs/*", "/guides/*"] }],
  excludedPaths: ["/admin*"],
  excludedAddresses: ["203.0.113.7", "2001:db8::/48"],
  pathRules: { removeIndex: false, removeTrailingSlash: true, lowerCase: false, patterns: ["/orders/*"] },
  channelRules: [
    {
      field: "referrer" as const,
      pattern: "*.partner.example",
      source: "Partner",
      channel: "Affiliates" as const,
    },
  ],
  previousKeyExpiresAt: null,
  publicKeyRotatedAt: null,
  lastBootstrapAt: AT,
  lastEventAt: AT,
  createdAt: AT,
  updatedAt: AT,
};
export const LISTED_SOURCE = {
  ...SOURCE,
  health: {
    status: "receiving" as const,
    last24h: { accepted: 1_204, duplicates: 3, rejected: 0, failed: 0 },
    topCode: null,
  },
};
export const STATUSES = { failing: 0, quiet: 0, receiving: 1, waiting: 0, off: 0 };

const SNIPPET = "<script>…</script>";
const MODULE = "// src/headwater.ts …";
export const INSTALL = {
  publicKey: IDS.publicKey,
  apiBaseUrl: API,
  ingestVersion: 2 as const,
  browserSnippet: SNIPPET,
  nextjsExample: "<script dangerouslySetInnerHTML=… />",
  reactExample: "// src/headwater.tsx …",
  debugUrl: `${API}/analytics/setup/debug?sourceId=${IDS.sourceId}`,
  snippets: {
    remix: MODULE,
    vue: MODULE,
    nuxt: MODULE,
    svelte: MODULE,
    angular: MODULE,
    astro: MODULE,
    node: MODULE,
    curl: "curl …",
  },
  csp: { scriptSrc: [API], connectSrc: [API], snippetHash: "'sha256-…'" },
  proxy: {
    path: "/hw",
    browserSnippet: SNIPPET,
    nextjs: "// proxy.ts …",
    nginx: "location /hw/ { … }",
    caddy: "handle_path /hw/* { … }",
    cloudflare: "export default { … }",
  },
};

const ATTEMPT = {
  attemptId: IDS.attemptId,
  kind: "bootstrap" as const,
  receivedAt: AT,
  durationMs: 3.2,
  httpStatus: 200,
  outcome: "succeeded" as const,
  code: null,
  message: null,
  hint: null,
  origin: SITE,
  legacy: false,
  endpoint: null,
  keyState: "current" as const,
  publicKey: IDS.publicKey,
  traceId: null,
  sdkVersion: "my-client/1.0",
  ingestVersion: 2,
  userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  batchId: BATCH.batchId,
  sentAt: AT,
  clockSkewMs: 12,
  payloadBytes: 468,
  sessionId: IDS.sessionId,
  anonymousId: IDS.anonymousId,
  userId: null,
  issues: [],
  limit: null,
  raw: START_SESSION,
  normalized: [{ eventId: IDS.eventId, type: "page", name: "page_view", occurredAt: AT }],
  truncated: false,
  ...accepted(PAGE_VIEW_RESULT),
};

const quota = { events: null, bytes: null };
const APPLIED_LIMITS = {
  ...SESSION.limits,
  dedupWindowSeconds: 1_036_800,
  requestRate: {
    client: { perSecond: 200, burst: 2_000 },
    source: { perSecond: 2_000, burst: 20_000 },
  },
  clientBytesPerSecond: null,
  ...CONTENT_LIMIT_VALUES,
  dailyQuota: { source: quota, workspace: quota },
};

export const DEBUG_VIEW = {
  source: SOURCE,
  limits: APPLIED_LIMITS,
  health: {
    status: "receiving" as const,
    lastBootstrapAt: AT,
    lastEventAt: AT,
    last24h: { accepted: 2, duplicates: 0, rejected: 0, failed: 0, planViolations: 1, notListed: 0 },
    topCodes: [],
    warnings: [],
  },
  planViolations: [
    {
      event: "signup",
      path: "properties.plan",
      expected: "of the type string",
      found: "a number",
      events: 1,
      firstSeenAt: AT,
      lastSeenAt: AT,
      clientVersions: ["my-client/1.0"],
      pages: [],
    },
  ],
  requestGroups: [{ origin: SITE, outcome: "succeeded" as const, code: null, requests: 1, lastSeenAt: AT }],
  bootstrapAttempts: [ATTEMPT],
  eventAttempts: [],
  nextCursor: null,
};

export const MEMBER = {
  userId: IDS.memberId,
  kind: "service_account" as const,
  name: "Deployment",
  email: null,
  role: "developer" as const,
  createdAt: AT,
};

export const CREATED_TOKEN = {
  tokenId: IDS.tokenId,
  hint: "f3Kq",
  label: "Nightly report",
  userId: IDS.userId,
  expiresAt: null,
  createdAt: AT,
  token: "hwt_0000000000000000000000000000example",
};
const { token: _, ...tokenFields } = CREATED_TOKEN;
export const TOKEN = {
  ...tokenFields,
  organizationId: IDS.organizationId,
  ceiling: "owner" as const,
  sourceId: null,
  scope: null,
  hasPassword: false,
  lastUsedAt: AT,
  revokedAt: null,
};

export const REPLAY: Replay = {
  replayId: IDS.replayId,
  sourceId: IDS.sourceId,
  status: "done",
  code: "plan_violation",
  edits: [],
  selected: 1_204,
  accepted: 1_203,
  duplicates: 1,
  rejected: [],
  requestedAt: AT,
  finishedAt: AT,
};

export const ERASURE = {
  receiptId: IDS.receiptId,
  organizationId: IDS.organizationId,
  sourceId: null,
  by: "anonymousId" as const,
  status: "ledger" as const,
  requestedAt: AT,
  finishedAt: null,
};

const step = { done: true, at: AT };
export const ONBOARDING = {
  organizationId: IDS.organizationId,
  steps: { sourceCreated: step, firstBootstrap: step, firstAcceptedEvent: step },
  completed: false,
  completedAt: null,
};

/** The members that every stats query and every answer has. */
export const RANGE = { sourceId: IDS.sourceId, dateRange: "7d" as const, timezone: "Europe/Berlin" };
export const ANSWERED_RANGE = {
  sourceId: IDS.sourceId,
  timezone: "Europe/Berlin",
  from: "2026-11-14T23:00:00.000Z",
  to: "2026-11-21T23:00:00.000Z",
  incomplete: false,
  excluded: { bots: 12 },
  accuracy: { exact: true as const },
};

export const VISIT = {
  sessionId: IDS.sessionId,
  anonymousId: IDS.anonymousId,
  userId: null,
  startedAt: AT,
  lastActiveAt: AT,
  seconds: 42,
  pageviews: 2,
  actions: 1,
  entryPage: "/",
  lastPage: "/pricing",
  lastEvent: "signup",
  source: "Google",
  channel: "Organic Search",
  country: "DE",
  region: null,
  city: null,
  device: "desktop",
  os: "macOS",
  browser: "Chrome",
};

export const DELIVERY = {
  sourceId: IDS.sourceId,
  from: "2026-11-21",
  to: "2026-11-21",
  computedAt: "2026-11-23T09:00:00.000Z",
  days: [
    {
      day: "2026-11-21",
      produced: 10_000,
      accepted: 9_920,
      rejected: {},
      dropped: { too_old: 70 },
      missing: 10,
      stillPossible: 0,
      inWarehouse: 9_915,
      lostInWarehouse: 0,
      erased: 5,
      expired: 0,
      waiting: 0,
    },
  ],
  values: [{ value: "Firefox", accepted: 1_980, lost: 60 }],
  signature: null,
};

export const STORED_EVENT = {
  analyticsEventId: IDS.analyticsEventId,
  eventId: IDS.eventId,
  type: "page",
  name: "page_view",
  occurredAt: AT,
  receivedAt: AT,
  sessionId: IDS.sessionId,
  anonymousId: IDS.anonymousId,
  userId: null,
  url: `${SITE}/pricing`,
  path: "/pricing",
  title: "Pricing",
  referrer: null,
  source: null,
  channel: null,
  country: "DE",
  region: null,
  city: null,
  device: "desktop",
  os: "macOS",
  browser: "Firefox",
  isBot: false,
  passive: false,
  sentBy: "browser",
  properties: {},
  context: { locale: "en-GB", timezone: "Europe/London" },
};
