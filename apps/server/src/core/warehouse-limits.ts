/** The part of `SERVER_LIMITS` for what writes to the warehouse and reads from it. */
export const WAREHOUSE_LIMITS = {
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
  /** For commands. No user waits for them. */
  warehouseCommandMs: 600_000,
  /** Shared by queries, exports, shipping and pings. */
  warehouseConnections: 16,
  /** Event ids in one statement. */
  maxIdsPerStatement: 2_000,
  /** How often expired events are looked for. What is expired changes at midnight UTC. */
  retentionCheckMs: 3_600_000,
  /** How often the warehouse is compared with what was shipped to it, and how long another node waits for the report. */
  comparisonMs: 3_600_000,
  comparisonLeaseMs: 600_000,
  /** How often a node reads the report that another node may have made. */
  warehouseReportPollMs: 10_000,
  /** All files of the warehouse are read this often; after a query has failed on damaged data, not more often than that. */
  partCheckMs: 7 * 86_400_000,
  suspicionCheckMs: 600_000,
  /** The check of one part: ClickHouse may take many minutes until it reports a damaged block. */
  warehousePartCheckMs: 3_600_000,
  warehouseCheckIdleMs: 1_000,
  warehouseCheckRetryMs: 30_000,
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
  /** A hundred years: `maxStatsBuckets` bounds the answer. */
  maxStatsRangeDays: 36_600,
  /** The live view counts the visitors of this many seconds. */
  liveWindowSeconds: 300,
  /** Limits of one query in the warehouse. An ordinary query over a year of a busy site stays below them. */
  statsTimeoutSeconds: 20,
  maxStatsMemoryBytes: 536_870_912,
  maxStatsReadRows: 1_000_000_000,
  maxStatsResultRows: 10_000,
  /** Groups of an exact answer that is read in slices: each slice is parsed at once. */
  maxStatsSlicedGroups: 50_000,
  /** Slices of an exact answer. */
  maxStatsSlices: 64,
  maxStatsStatementBytes: 4 * 1_048_576,
  /** Statements that run at once, fewer than there are connections: shipping needs one. Further ones wait. */
  maxActiveStatsQueries: 6,
  maxWaitingStatsQueries: 100,
  /** An estimate reads at least one visitor in so many. */
  maxStatsSample: 1_024,
  /** An IN with a longer list of values does not choose what is read: no table is sorted by the session. */
  maxStatsIndexedValues: 100_000,
  /** Wait after the first failed build of a day's rollup; each further failure doubles it, up to the longer time. */
  rollupRetryMs: 60_000,
  maxRollupRetryMs: 3_600_000,
  /** Days with a failed build that are remembered. */
  maxFailedRollupDays: 1_000,
  /** Periods of a retention query. Its answer grows with their square. */
  maxStatsCohorts: 120,

  // Exports
  /** Exports under way at once. Each holds one page in memory. */
  maxExports: 4,
  maxExportsPerWorkspace: 2,
  /** An export ends when its client does not read a piece in this time; the shorter time, when another export wants its slot. */
  exportStallSeconds: 30,
  exportYieldSeconds: 10,
  /** What is passed to the connection at once, so that it shows whether the client reads. */
  exportPieceBytes: 65_536,
  exportFirstPageRows: 500,
  /** A page of the largest possible events has 16 MiB. */
  maxExportPageRows: 500,
  exportPageBytes: 4 * 1_048_576,
  /** Outbox rows that are read at once. */
  exportOutboxRows: 10,
  /** Events that the thread which writes CSV gets at once, and its memory. */
  maxExportSliceRows: 2_000,
  maxExportSliceBytes: 2 * 1_048_576,
  maxExportThreadMb: 64,
  maxExportThreadYoungMb: 16,
} as const;
