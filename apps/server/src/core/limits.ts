/**
 * Limits that several files of the server use, each with its reason. A limit that one file uses is a constant there. Limits
 * that clients see are in `@headwater/contract/limits`.
 */
export const SERVER_LIMITS = {
  /** Longer ones are cut. Those of browsers have up to 250 characters. */
  maxUserAgentLength: 512,
  unreliableSkewSeconds: 86_400,
  sessionMaxSeconds: 86_400,
  rawTextBytes: 4_096,
  /** The newest attempts of a source that the debug history keeps; of failed ones at least some of each code. */
  attemptsSucceededKept: 200,
  attemptsOtherKept: 1_000,
  attemptsPerCodeKept: 20,
  attemptRetentionSeconds: 7 * 86_400,
  attemptStoreBytes: 1_073_741_824,
  /** About two million kept events. */
  quarantineBytes: 1_073_741_824,
  userIdLength: 200,
  /** Everything that requests can create is limited, far above what people need. */
  maxWorkspacesPerUser: 100,
  maxMembersPerWorkspace: 1_000,
  /** Tokens that are neither revoked nor expired, of one workspace; also of one user across workspaces. */
  maxTokens: 1_000,
  /** How long the unsubscribe link of a mail works. */
  reportLinkMs: 90 * 24 * 3_600_000,
  /** How long the previous address can take a change of the e-mail address back. */
  emailRestoreMs: 7 * 24 * 3_600_000,
  /** Changes of one person's address within that time. */
  maxEmailChanges: 5,
  /** Open sign-in links of one user: nobody can flood a mailbox with them. */
  maxSignInLinks: 5,
  /** Passkeys of one person. */
  maxPasskeys: 10,
  maxInvitationsPerWorkspace: 200,
  maxSourcesPerWorkspace: 1_000,
  /** The time limit of each request when a page is tested. */
  doctorTimeoutMs: 10_000,
  /** All requests of a site test by the service: somebody waits for it in the console. */
  siteTestMs: 25_000,
  sourceCacheEntries: 10_000,
  /** A site has few pages and many views. */
  addressCacheEntries: 2_000,
  /** Distinct referrers and campaigns in use at one time. Most browsers send the referrer's origin only. */
  referrerCacheEntries: 5_000,
  /** Keys of a rate limit: the least recently used one is forgotten, and starts with a full bucket. */
  rateBuckets: 50_000,
  /** How often caches ask for the changes of other nodes and processes. They follow a change within twice this time. */
  changePollMs: 500,
  /** A node that has not reported for this long is not counted. */
  nodeTimeoutMs: 5_000,
  retryAfterSeconds: 1,
  /** A page of the outbox: large enough to be cheap per event, small enough for one block of an insert. */
  pageBytes: 4 * 1_048_576,
  /** Unpacked size of a block. An insert of 35 MB took 80 MB of memory; the smallest warehouse allows 128 MB per query. */
  blockBytes: 48 * 1_048_576,
  /** Rows of the outbox in a page. Commits wait while they are deleted. */
  pageRows: 4_000,
  /** For commands. No user waits for them. */
  warehouseCommandMs: 600_000,
  warehouseCheckIdleMs: 1_000,
  warehouseCheckRetryMs: 30_000,
  warehouseStartMs: 60_000,
  /** The limit of one query in the warehouse. An ordinary query over a year of a busy site stays below it. */
  maxStatsMemoryBytes: 536_870_912,
  maxStatsResultRows: 10_000,
  /** Slices of an exact answer. */
  maxStatsSlices: 64,
} as const;
