/**
 * A request and a response of each operation. They are typed by the schemas, and a test sends each request to a running
 * service and compares what it answers.
 */
import type { Static, TSchema } from "typebox";
import type { OPERATIONS, OperationId } from "../operations.ts";
import { SOURCE_DEFAULTS } from "../source-fields.ts";
import { ACCOUNT_EXAMPLES } from "./account-examples.ts";
import * as reports from "./example-report.ts";
import * as values from "./example-values.ts";

const { AT, IDS } = values;

type ExamplePart<Id extends OperationId, Part extends string> =
  Extract<(typeof OPERATIONS)[number], { id: Id }> extends { [P in Part]: infer Schema extends TSchema }
    ? Static<Schema>
    : never;

interface OperationExample<Id extends OperationId> {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: ExamplePart<Id, "query">;
  readonly body?: ExamplePart<Id, "body">;
  readonly answer: ExamplePart<Id, "answer">;
}

export type Examples = { readonly [Id in OperationId]?: OperationExample<Id> };

const ofSource = { sourceId: IDS.sourceId };
const ofReport = { ...ofSource, reportId: IDS.reportId };
const ofReplay = { ...ofSource, replayId: IDS.replayId };
const REPLAY_EDITS: ExamplePart<"startReplay", "body">["edits"] = [
  { op: "rename", property: "prise", to: "price" },
  { op: "cast", property: "price", to: "number" },
];
const inWorkspace = { organizationId: IDS.organizationId };
const withKey = { publicKey: IDS.publicKey };
const quoted = JSON.stringify;
const nextCursor = null;
const STORED_EVENT = {
  sourceId: IDS.sourceId,
  analyticsEventId: IDS.analyticsEventId,
  eventId: IDS.eventId,
  name: "page_view",
  occurredAt: AT,
};

const INGEST_EXAMPLES: Examples = {
  bootstrap: { params: withKey, body: values.START_SESSION, answer: values.SESSION },
  events: { params: withKey, body: values.EVENT_BATCH, answer: values.BATCH_RESULT },
  legacyBootstrap: { params: withKey, body: values.START_SESSION, answer: values.SESSION },
  legacyEvents: { params: withKey, body: values.EVENT_BATCH, answer: values.BATCH_RESULT },
  segmentCall: {
    params: { ...withKey, call: "track" },
    body: values.SEGMENT_CALL,
    answer: values.SEGMENT_ANSWER,
  },
};

const SOURCE_EXAMPLES: Examples = {
  listSources: {
    query: inWorkspace,
    answer: { sources: [values.LISTED_SOURCE], nextCursor, statuses: values.STATUSES },
  },
  createSource: {
    body: { ...inWorkspace, name: "Shop", allowedOrigins: [values.SITE] },
    answer: {
      ...values.SOURCE,
      ...SOURCE_DEFAULTS,
      allowedOrigins: [values.SITE],
      lastBootstrapAt: null,
      lastEventAt: null,
    },
  },
  getSource: { params: ofSource, answer: values.SOURCE },
  updateSource: {
    params: ofSource,
    body: { ...inWorkspace, frameworkHint: "nextjs", goals: [{ name: "Signed up", event: "signup" }] },
    answer: values.SOURCE,
  },
  deleteSource: { params: ofSource, answer: { ...ofSource, deletedAt: AT } },
  regenerateKey: {
    params: ofSource,
    body: { gracePeriodSeconds: 86_400 },
    answer: { ...values.SOURCE, previousKeyExpiresAt: "2026-11-22T12:00:00.000Z", publicKeyRotatedAt: AT },
  },
  restoreKey: {
    params: ofSource,
    body: { publicKey: IDS.retiredKey, gracePeriodSeconds: 86_400 },
    answer: { ...values.SOURCE, previousKeyExpiresAt: "2026-11-22T12:00:00.000Z", publicKeyRotatedAt: AT },
  },
  getEventCatalog: {
    params: ofSource,
    answer: {
      events: [
        {
          name: "signup",
          events: 42,
          firstSeenAt: AT,
          lastSeenAt: AT,
          sampledEvents: 21,
          properties: [{ name: "plan", types: ["string"], coverage: 1, examples: ['"pro"'] }],
          clientVersions: ["my-client/1.0"],
          pages: ["/pricing"],
        },
      ],
      otherEvents: 0,
    },
  },
  getPlan: { params: ofSource, answer: values.PLAN_VERSION },
  savePlan: { params: ofSource, body: { plan: values.PLAN_VERSION.plan }, answer: values.PLAN_VERSION },
  listPlanVersions: {
    params: ofSource,
    answer: { versions: [{ version: 1, createdAt: AT, userId: IDS.userId, tokenId: IDS.tokenId }] },
  },
  proposePlan: {
    params: ofSource,
    answer: { version: 1, plan: values.PLAN_VERSION.plan, addedEvents: ["signup"], leftOut: 0 },
  },
  listSavedItems: { params: ofSource, answer: { items: [values.SAVED_ITEM] } },
  createSavedItem: { params: ofSource, body: values.NEW_SAVED_ITEM, answer: values.SAVED_ITEM },
  deleteSavedItem: {
    params: { ...ofSource, savedId: IDS.savedId },
    answer: { savedId: IDS.savedId, deletedAt: AT },
  },
  createReport: { params: ofSource, body: reports.NEW_REPORT, answer: reports.REPORT },
  deleteReport: { params: ofReport, answer: { reportId: IDS.reportId, deletedAt: AT } },
  getInstall: { params: ofSource, answer: values.INSTALL },
  verifyInstall: {
    params: ofSource,
    body: {
      report: {
        url: `${values.SITE}/`,
        snippets: [],
        policies: [],
        script: "unknown",
        request: null,
        sentAt: AT,
      },
    },
    answer: {
      isWorking: false,
      checks: [
        { check: "page", status: "ok", message: "The page was read.", hint: null, paste: null },
        {
          check: "snippet",
          status: "wrong",
          message: "The page has no snippet.",
          hint: "Paste the snippet of the install page into it.",
          paste: null,
        },
      ],
    },
  },
  getDebug: { params: ofSource, query: { kind: "bootstrap", limit: 1 }, answer: values.DEBUG_VIEW },
  testReplay: {
    params: ofSource,
    body: { code: "origin_not_allowed" },
    answer: { selected: 1_204, evaluated: 1_000, accepted: 1_000, rejected: [] },
  },
  startReplay: {
    params: ofSource,
    body: {
      code: "plan_violation",
      edits: REPLAY_EDITS,
    },
    answer: { ...values.REPLAY, edits: REPLAY_EDITS, status: "running", finishedAt: null },
  },
  listReplays: { params: ofSource, answer: { replays: [values.REPLAY] } },
  getReplay: { params: ofReplay, answer: values.REPLAY },
  stopReplay: { params: ofReplay, answer: values.REPLAY },
  resumeReplay: { params: ofReplay, answer: values.REPLAY },
  getQuarantine: {
    params: ofSource,
    answer: {
      events: 1_204,
      bytes: 963_200,
      groups: [
        {
          code: "origin_not_allowed",
          name: "page_view",
          origin: "https://www.example.com",
          events: 1_204,
          firstReceivedAt: AT,
          lastReceivedAt: AT,
        },
      ],
      evictedEvents: 0,
      lastEvictedAt: null,
      skippedRequests: 0,
      lastSkippedAt: null,
    },
  },
  listKeptEvents: {
    params: ofSource,
    query: { code: "origin_not_allowed", limit: 1 },
    answer: {
      events: [
        {
          code: "origin_not_allowed",
          name: "page_view",
          origin: "https://www.example.com",
          receivedAt: AT,
          event: {
            id: "9b1deb4d",
            type: "page",
            timestamp: AT,
            page: { url: "https://www.example.com/pricing" },
          },
        },
      ],
      nextCursor: null,
    },
  },
  streamDebug: {
    params: ofSource,
    answer: `id: 128\nevent: attempt\ndata: {"attemptId":"${IDS.attemptId}","kind":"bootstrap","httpStatus":200}\n\n`,
  },
};

const STATS_EXAMPLES: Examples = {
  queryStats: {
    body: {
      ...values.RANGE,
      metrics: ["visitors", "pageviews", "bounceRate"],
      dimensions: ["entryPage"],
      filters: [{ dimension: "country", operator: "in", value: ["DE", "FR"] }],
      pagination: { limit: 10 },
    },
    answer: {
      ...values.ANSWERED_RANGE,
      metrics: ["visitors", "pageviews", "bounceRate"],
      dimensions: ["entryPage"],
      comparison: null,
      results: [
        {
          dimensions: ["/pricing"],
          metrics: [128, 342, 0.41],
          comparison: null,
          complete: null,
          share: null,
        },
      ],
      sources: null,
      total: null,
      other: null,
      nextOffset: null,
    },
  },
  queryFunnel: {
    body: {
      ...values.RANGE,
      steps: [{ page: "/pricing" }, { event: "signup" }],
      include: { times: true },
    },
    answer: {
      ...values.ANSWERED_RANGE,
      windowSeconds: 86_400,
      steps: [
        { visitors: 128, shareOfFirst: 1, shareOfPrevious: 1, seconds: null },
        {
          visitors: 32,
          shareOfFirst: 0.25,
          shareOfPrevious: 0.25,
          seconds: { sincePrevious: { median: 95, p90: 640 }, sinceFirst: { median: 95, p90: 640 } },
        },
      ],
      segments: null,
    },
  },
  queryRetention: {
    body: { ...values.RANGE, period: "day" },
    answer: {
      ...values.ANSWERED_RANGE,
      cohorts: [{ start: "2026-11-14T23:00:00.000Z", visitors: 40, returned: [40, 12, 9, 7, 6, 6, 5] }],
    },
  },
  queryPaths: {
    body: { ...values.RANGE, startPage: "/pricing" },
    answer: {
      ...values.ANSWERED_RANGE,
      paths: [{ step: 1, from: "/pricing", to: "/signup", sessions: 32 }],
    },
  },
  queryProperties: {
    body: values.RANGE,
    answer: { ...values.ANSWERED_RANGE, properties: [{ name: "plan", events: 32 }] },
  },
  queryVisits: {
    body: { ...values.RANGE, limit: 1 },
    answer: { ...values.ANSWERED_RANGE, visits: [values.VISIT] },
  },
  getStatsSource: {
    query: ofSource,
    answer: { ...ofSource, name: "Shop", lastEventAt: AT, missingEvents: null },
  },
  getLive: {
    query: ofSource,
    answer: { ...ofSource, at: AT, windowSeconds: 300, visitors: 7, excluded: { bots: 1 } },
  },
  getHostSplit: {
    query: ofSource,
    answer: {
      ...ofSource,
      timezone: "UTC",
      from: "2026-11-15T00:00:00.000Z",
      to: "2026-11-22T00:00:00.000Z",
      accuracy: { exact: true },
      split: {
        fromHost: "www.shop.example",
        toHost: "app.shop.example",
        visitors: 12,
        option: "crossSubdomain",
      },
    },
  },
  getDelivery: {
    params: ofSource,
    query: { from: "2026-11-21", to: "2026-11-21", by: "browser" },
    answer: values.DELIVERY,
  },
  listAlerts: {
    params: ofSource,
    answer: {
      alerts: [
        {
          type: "source.events_stopped",
          since: "2026-11-21T01:00:00.000Z",
          stoppedEvents: ["order"],
          delivery: null,
        },
      ],
    },
  },
  listEvents: {
    params: ofSource,
    query: { sessionId: IDS.sessionId },
    answer: { events: [values.STORED_EVENT], nextCursor },
  },
  exportEvents: {
    query: { ...ofSource, from: "2026-11-01", format: "ndjson" },
    answer: `${quoted(STORED_EVENT)}\n`,
  },
};

const ACCESS_EXAMPLES: Examples = {
  listOrganizations: {
    answer: { organizations: [{ ...inWorkspace, name: "Shop", role: "owner" }], nextCursor },
  },
  createOrganization: {
    body: { name: "Agency" },
    answer: { organizationId: "org_01a2049c5bb27d8e", name: "Agency", role: "owner" },
  },
  getPermissions: {
    query: inWorkspace,
    answer: {
      ...inWorkspace,
      userId: IDS.userId,
      role: "viewer",
      permissions: ["sources:read", "stats:read"],
    },
  },
  listMembers: { query: inWorkspace, answer: { members: [values.MEMBER], nextCursor } },
  addMember: {
    body: { ...inWorkspace, name: "Deployment", role: "developer" },
    answer: values.MEMBER,
  },
  updateMember: {
    params: { userId: IDS.memberId },
    body: { ...inWorkspace, role: "admin" },
    answer: { ...values.MEMBER, role: "admin" },
  },
  removeMember: {
    params: { userId: IDS.memberId },
    query: inWorkspace,
    answer: { userId: IDS.memberId, removedAt: AT },
  },
  listTokens: { query: inWorkspace, answer: { tokens: [values.TOKEN], nextCursor } },
  createToken: { body: { ...inWorkspace, label: "Nightly report" }, answer: values.CREATED_TOKEN },
  revokeToken: {
    params: { tokenId: IDS.tokenId },
    query: inWorkspace,
    answer: { tokenId: IDS.tokenId, revokedAt: AT },
  },
  listAudit: {
    query: { ...inWorkspace, limit: 1 },
    answer: {
      entries: [
        {
          auditId: IDS.auditId,
          at: AT,
          actor: "person",
          userId: IDS.userId,
          tokenId: IDS.tokenId,
          action: "source.updated",
          target: IDS.sourceId,
          before: { frameworkHint: null },
          after: { frameworkHint: "nextjs" },
        },
      ],
      nextCursor: "3",
    },
  },
  signOut: { answer: { revoked: true } },
  readSignInCode: {
    body: { code: "8f2Kd0sQv7Lw3Zx1" },
    answer: {
      userId: IDS.userId,
      name: "Ada",
      email: "ada@shop.example",
      organizations: [{ name: "Shop", role: "owner" }],
      invitation: null,
      expiresAt: AT,
    },
  },
  signIn: { body: { code: "8f2Kd0sQv7Lw3Zx1" }, answer: { ...values.CREATED_TOKEN, label: "Sign-in" } },
};

const usage = { accepted: 2, bootstraps: 1, bytes: 842 };
const WORKSPACE_EXAMPLES: Examples = {
  eraseVisitor: { body: { ...inWorkspace, anonymousId: IDS.anonymousId }, answer: values.ERASURE },
  getErasure: { params: { receiptId: IDS.receiptId }, query: inWorkspace, answer: values.ERASURE },
  getOnboarding: { query: inWorkspace, answer: values.ONBOARDING },
  completeOnboarding: {
    body: inWorkspace,
    answer: { ...values.ONBOARDING, completed: true, completedAt: AT },
  },
  getUsage: {
    query: inWorkspace,
    answer: {
      ...inWorkspace,
      from: "2026-10-23",
      to: "2026-11-21",
      ...usage,
      days: [{ ...ofSource, day: "2026-11-21", ...usage }],
    },
  },
  getBilling: {
    query: inWorkspace,
    answer: {
      ...inWorkspace,
      plan: "self-hosted",
      limits: { sources: 1_000, acceptedEvents: null, eventsPerDay: null, bytesPerDay: null },
      period: { from: "2026-11-01", to: "2026-11-30" },
      usage: { ...usage, sources: 1 },
    },
  },
  getSupport: {
    query: inWorkspace,
    answer: {
      ...inWorkspace,
      version: "0.1.0",
      commit: null,
      isModified: false,
      isOperator: false,
      settings: {},
      changedSettings: [],
      health: { ready: true, problems: [] },
      bundle: { version: "0.1.0" },
    },
  },
};

const MCP_EXAMPLES: Examples = {
  mcp: {
    body: { jsonrpc: "2.0", id: 1, method: "ping" },
    answer: { jsonrpc: "2.0", id: 1, result: {} },
  },
};

const NO_TROUBLE = { missingEvents: 0, waitingEvents: 0, failedRollups: 0 };
const PUBLIC_EXAMPLES: Examples = {
  healthz: { answer: { status: "ok" } },
  readyz: {
    answer: {
      status: "ready",
      warehouse: { state: "up", ...NO_TROUBLE, lagSeconds: 0, problems: [] },
      clock: { state: "trusted", jumpSeconds: 0 },
    },
  },
  metrics: { answer: "# TYPE headwater_ready gauge\nheadwater_ready 1\n" },
};

/** Operations without an example answer with a document. */
export const EXAMPLES: Examples = {
  ...INGEST_EXAMPLES,
  ...SOURCE_EXAMPLES,
  ...STATS_EXAMPLES,
  ...ACCESS_EXAMPLES,
  ...ACCOUNT_EXAMPLES,
  ...WORKSPACE_EXAMPLES,
  ...MCP_EXAMPLES,
  ...PUBLIC_EXAMPLES,
};
