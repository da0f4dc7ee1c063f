/** Limits that only the server uses, each with its reason. Limits that clients see are in `@headwater/contract/limits`. */
export const SERVER_LIMITS = {
  // what a source accepts: the first three may be raised for one source
  unknownKeyRateBurst: 20,

  // shape
  maxContextBytes: 16_384,
  userAgentLength: 512,
  workspaceBodyDepth: 64,
  workspaceBodyBytes: 65_536,

  // time
  unreliableSkewSeconds: 86_400,
  sessionMaxSeconds: 86_400,
  /**
   * For how long after a session was opened a bootstrap with `joinSession` joins it. Long enough for pages that start at the
   * same time and for retries of a bootstrap whose response was lost; not longer than a session can be resumed.
   */
  sessionJoinSeconds: 1_800,

  // debug
  snapshotBytes: 16_384,
  rawTextBytes: 4_096,
  attemptsSucceededKept: 200,
  attemptsOtherKept: 1_000,
  attemptsPerCodeKept: 20,
  attemptRetentionSeconds: 7 * 86_400,
  attemptStoreBytes: 1_073_741_824,
  attemptSuccessesPerSecond: 50,
  attemptFailuresPerSecond: 200,
  attemptFlushMs: 250,
  streamHeartbeatMs: 15_000,
  /** A debug stream reads new attempts this often: half a second looks live. */
  streamPollMs: 500,
  streamsPerSource: 20,

  // who may do what
  /** Tokens in use on one node; a look-up more costs a fraction of a millisecond. */
  tokenCacheEntries: 10_000,
  /** Last-used times are gathered this long: one write a minute, whatever the load. */
  tokenTouchMs: 60_000,
  userIdLength: 200,
  /** What can be made by requests has a bound, far above what people need. */
  maxWorkspacesPerUser: 100,
  maxMembersPerWorkspace: 1_000,
  /** That are neither revoked nor expired: of a workspace, and of a user for all of theirs. */
  maxTokens: 1_000,
  signInCodeMs: 10 * 60_000,
  /** Days that usage is asked for at once: a leap year. */
  usageDays: 366,

  // sources
  maxSourcesPerWorkspace: 1_000,
  /** Each rotation leaves a key behind, by which the debug view tells an install that still uses it. */
  retiredKeysKept: 50,
  debugPageSize: 50,

  // visitors that are erased
  /** Under way in one workspace: a script's worth, while the warehouse is down. */
  openErasures: 10_000,
  /** One pass over the ledger, and one change of the warehouse, are for so many. */
  erasuresAtOnce: 50,
  /** One node works at an erasure; when it is silent for so long, another does. */
  erasureLeaseMs: 60_000,
  eraseIdleMs: 1_000,
  erasureReceiptSeconds: 90 * 86_400,

  // alerts
  /** A stray request that fails is none: so many in the hour. */
  alertFailures: 5,
  /** Looked at, or sent, at once. */
  alertSources: 500,
  alertsAtOnce: 20,
  alertTimeoutMs: 10_000,
  /** Between a try and the next; after the last one it is given up. */
  alertRetryMs: [60_000, 300_000, 900_000, 3_600_000, 10_800_000],

  // the doctor: a command that looks at a page
  doctorTimeoutMs: 10_000,
  /** All of a run, however many scripts a page names. */
  doctorDeadlineMs: 60_000,
  doctorRedirects: 5,
  doctorPageBytes: 5_242_880,
  /** Scripts of the page that are looked into when the page itself holds no snippet, and the bytes of each. */
  doctorScripts: 30,
  doctorScriptBytes: 3_145_728,

  // the process
  /** Requests waiting for the ledger, and their bytes; beyond: 503 `overloaded`. */
  commitQueueRequests: 2_000,
  commitQueueBytes: 64 * 1_048_576,
  /** One source may hold this share of the queue while others wait. */
  commitQueueShare: 0.5,
  commitGroupEvents: 2_000,
  ingestInFlight: 512,
  /** Requests whose body is still on its way; they wait `requestTimeoutMs` at most, and hold no more than a payload each. */
  waitingBodies: 2_000,
  waitingBodiesOfSource: 1_000,
  waitingBodiesOfClient: 250,
  /** Connections that wait to be taken: beyond, the system drops them, and they come again a second later and then slower. */
  backlog: 4_096,
  /** From each one connection is taken in a turn of the event loop; with 64 a flood's 8,000 took ten seconds. */
  listeningSockets: 128,
  /** Requests work for so long before what has arrived meanwhile is looked at. */
  workSliceMs: 5,
  /** Requests begun and not answered: those the ledger has, and a group of as many that forms meanwhile. */
  workBegun: 64,
  /** Keys that one address may have looked up, for each unknown one that it may ask for. */
  lookUpsPerUnknownKey: 10,
  sourceCacheEntries: 10_000,
  sessionCacheEntries: 50_000,
  /** Visitors whose session may be joined, the latest: ten seconds of one source's whole rate, half an hour of 11 a second. */
  recentSessionEntries: 20_000,
  /** A session is asked for again after so long: that another node named its user may have been told to nobody. */
  sessionMemoryMs: 60_000,
  /** A site's pages are few and their views many. */
  addressCacheEntries: 2_000,
  /** Versions of browsers in use at one time. */
  deviceCacheEntries: 5_000,
  rateBuckets: 50_000,
  /** Caches on other nodes and processes follow a change within this. */
  changePollMs: 500,
  /** Connections of a node to PostgreSQL, beside the one that listens; of a hundred there is room for eight nodes. */
  databaseConnections: 10,
  /** Of them for commits: while some wait for the disk, others are at work. */
  databaseCommits: 4,
  /** A client has its answer, or its 503, before it gives up itself. */
  databaseConnectMs: 2_000,
  databaseStatementMs: 5_000,
  /** Sessions whose user other nodes are still to be told of; beyond, they learn it by `sessionMemoryMs`. */
  untoldUsers: 10_000,
  /** A node that was silent for so long counts no more. */
  nodeSilenceMs: 5_000,

  // Shipping and the warehouse
  /** Size of a page of the outbox: large enough to be cheap per event, small enough for one block of an insert. */
  pageEvents: 20_000,
  pageBytes: 4 * 1_048_576,
  /** Unpacked size of a block. An insert of 35 MB took 80 MB of memory; the smallest warehouse allows 128 MB per query. */
  blockBytes: 48 * 1_048_576,
  /** More rows than a block has, so that ClickHouse never splits one. */
  blockRows: 1_000_000,
  /** Rows of the outbox in a page. Commits wait while they are deleted. */
  pageRows: 4_000,
  /** How often the shipper looks for events when few are waiting. */
  shipIdleMs: 1_000,
  /** Wait after the first failure to ship; doubled by each further one. */
  shipRetryMs: 500,
  maxShipRetryMs: 30_000,
  /** How long a background worker may finish its round when the service stops. */
  workerStopMs: 3_000,
  /** Wait before a page that the warehouse refused is tried again. */
  pageRefusedMs: 600_000,
  /** Longer than an attempt to ship takes; then another node may claim the page. */
  pageLeaseMs: 180_000,
  warehouseRequestMs: 30_000,
  /** For commands, which nobody waits behind. */
  warehouseCommandMs: 600_000,
  /** Shared by queries, exports, shipping and pings. */
  warehouseConnections: 16,
  /** Event ids in one statement. */
  maxIdsPerStatement: 2_000,
  /** How often expired events are looked for. What is expired changes at midnight UTC. */
  retentionCheckMs: 3_600_000,
  warehouseStartMs: 60_000,
  warehousePingMs: 2_000,
  warehousePingTimeoutMs: 10_000,
  /** The warehouse is down after so many pings in a row without an answer. */
  maxMissedPings: 3,
  warehouseRetryMs: 500,
  maxWarehouseRetryMs: 30_000,

  // Stats queries
  /** Conditions in all filters of one query. */
  maxStatsFilterConditions: 50,
  maxStatsFilterDepth: 6,
  /** The minutes of a day, with an hour that the clock shows twice. */
  maxStatsBuckets: 1_500,
  maxStatsRangeDays: 3_660,
  /** The live view counts visitors of this time. */
  liveWindowSeconds: 300,
  /** What one query may take of the warehouse. An ordinary query over a year of a busy site stays below. */
  statsTimeoutSeconds: 20,
  maxStatsMemoryBytes: 536_870_912,
  maxStatsReadRows: 1_000_000_000,
  maxStatsResultRows: 10_000,
  maxStatsStatementBytes: 4 * 1_048_576,
  /** Statements that run at once, fewer than there are connections: shipping needs one. Further ones wait. */
  maxActiveStatsQueries: 6,
  maxWaitingStatsQueries: 100,
  /** Periods of a retention query. Its answer grows with their square. */
  maxStatsCohorts: 120,

  // Exports
  /** Exports under way at once. Each holds one page in memory. */
  maxExports: 4,
  exportFirstPageRows: 500,
  /** A page of the largest possible events has 16 MiB. */
  maxExportPageRows: 500,
  exportPageBytes: 4 * 1_048_576,
  /** Outbox rows that are read at once. */
  exportOutboxRows: 10,
  /** Events that the conversion thread gets at once, and its memory. */
  maxExportSliceRows: 2_000,
  maxExportSliceBytes: 2 * 1_048_576,
  maxExportThreadMb: 96,
  maxExportThreadYoungMb: 16,

  requestTimeoutMs: 10_000,
  headersTimeoutMs: 8_000,
  drainTimeoutMs: 8_000,
  drainSweepMs: 50,
  retryAfterSeconds: 1,
} as const;
