/**
 * The limits that the API promises and the console shows, each with its reason (docs/contract.md section 5).
 * Some are settings of the server; the number here is then the default. Limits that only the server uses are in
 * `apps/server/src/core/limits.ts`.
 */
export const LIMITS = {
  // what a source accepts: the first three may be raised for one source
  /** Twenty times what a client sends at once; a full batch of ordinary events still fits the payload. */
  maxBatchSize: 500,
  /** 512 KiB after decompression: 500 events of 1 KB. */
  maxPayloadBytes: 524_288,
  /** One client address, one source: a busy office behind one address stays below it. */
  clientRatePerSecond: 50,
  clientRateBurst: 200,
  /** How far a source's own limits may go. */
  maxBatchSizeCeiling: 5_000,
  maxPayloadBytesCeiling: 5_242_880,
  clientRatePerSecondCeiling: 1_000,
  /** One event: 32 KiB, as Segment allows; larger ones are logs, not analytics. */
  maxEventBytes: 32_768,
  sourceRatePerSecond: 2_000,
  sourceRateBurst: 4_000,
  /** Guessing keys is hopeless (128 bits); this keeps it cheap to refuse. */
  unknownKeyRatePerSecond: 20,
  workspaceRatePerSecond: 20,
  workspaceRateBurst: 100,
  failedAuthPerMinute: 10,

  // shape
  envelopeIdLength: 200,
  eventIdLength: 128,
  eventNameLength: 200,
  urlLength: 4_096,
  titleLength: 500,
  propertyStringLength: 8_192,
  maxProperties: 256,
  /** `page`, `context` and `properties`: deeper data is never charted and costs the stack. */
  maxDepth: 10,
  maxPageBytes: 16_384,
  maxIssues: 100,

  // time
  maxEventAgeSeconds: 7 * 86_400,
  maxFutureSeconds: 86_400,
  futureClampSeconds: 300,
  skewToleranceSeconds: 30,
  sessionTimeoutSeconds: 1_800,
  /** Late events of a visit are still taken: as old as an event may be, and a day for the session itself. */
  sessionIdleForEventsSeconds: 86_400,
  sessionAgeForEventsSeconds: 8 * 86_400,
  sessionRetentionSeconds: 9 * 86_400,
  /** Four days: a commit then looks into five generations at most (see docs/decisions). */
  keyGenerationSeconds: 4 * 86_400,

  // sources
  nameLength: 120,
  slugLength: 63,
  maxAllowedOrigins: 100,
  originLength: 300,
  /** INGEST_ALIAS, and the path that an install's proxy rules are made for. */
  sitePathLength: 100,
  /** A page's own report on its install: a page has one snippet, and few have more than three policies. */
  reportedSnippets: 20,
  reportedPolicies: 20,
  reportedPolicyLength: 8_192,
  /** A goal is a line of a report, an excluded path is looked at for every event. */
  maxGoals: 100,
  maxExcludedPaths: 100,
  pathPatternLength: 500,
  retentionDaysMost: 3_650,
  maxGraceSeconds: 604_800,
  pageSize: 100,
  debugPageSizeMax: 200,

  // questions about events
  /** A chart shows fewer; each costs the warehouse memory. */
  statsMetrics: 12,
  statsDimensions: 3,
  /** In one list of filters, in all of a question, and how deep they nest. */
  statsFilters: 20,
  /** Values of one filter, and the length of each. */
  statsValues: 100,
  statsValueLength: 1_000,
  statsPatternLength: 300,
  statsPropertyLength: 200,
  statsTimeLength: 40,
  statsRows: 1_500,
  statsOffset: 100_000,
  /** Steps of a funnel or a path, and the longest time a funnel may take. */
  statsSteps: 10,
  statsWindowSeconds: 30 * 86_400,
  statsPaths: 100,

  // events as files
  exportMostRows: 1_000_000_000,
} as const;

/**
 * How long an event id is remembered: the age an event may have, the day it may lie ahead, and one
 * generation of keys (CONTRACT section 4, Duplicates).
 */
export const DEDUP_WINDOW_SECONDS =
  LIMITS.maxEventAgeSeconds + LIMITS.maxFutureSeconds + LIMITS.keyGenerationSeconds;
