import { LIMITS } from "@headwater/contract/limits";
import { WAREHOUSE_LIMITS } from "./warehouse-limits.ts";

/** Limits that only the server uses, each with its reason. Limits that clients see are in `@headwater/contract/limits`. */
export const SERVER_LIMITS = {
  // The ledger's files
  /** A check for damage reads 200 MB a second, and keeps SQLite's `-wal` from being emptied. */
  damageCheckMs: 120_000,

  // Requests
  maxUserAgentLength: 512,
  /** The maximum length of each header. A list of four brands with versions has about 150 characters. */
  maxClientHintLength: 256,
  maxWorkspaceBodyDepth: 64,
  maxWorkspaceBodyBytes: 65_536,

  // Time
  unreliableSkewSeconds: 86_400,
  sessionMaxSeconds: 86_400,
  /**
   * For how long after a session was opened a bootstrap with `joinSession` joins it. Long enough for pages that start at the
   * same time and for retries of a bootstrap whose response was lost; not longer than a session can be resumed.
   */
  sessionJoinSeconds: 1_800,

  // Debug
  snapshotBytes: 16_384,
  rawTextBytes: 4_096,
  attemptsSucceededKept: 200,
  attemptsOtherKept: 1_000,
  attemptsPerCodeKept: 20,
  attemptRetentionSeconds: 7 * 86_400,
  attemptStoreBytes: 1_073_741_824,
  /** Of one source on average, so that of a busy source a few show how its requests look. */
  attemptSuccessesPerSecond: 5,
  /** Of one source at once, so that somebody who tries an install sees all requests. */
  attemptSuccessBurst: 50,
  /** Sources whose recent successes are known. One that is forgotten starts with the full burst. */
  attemptSampledSources: 10_000,
  /** Of all sources together: rendering and writing one takes 100 µs, so this is 2 % of a core. */
  attemptSuccessesPerSecondTotal: 200,
  /** Of the total, for sources none of whose successes was recorded in the last 10 s: a quiet source is not crowded out. */
  attemptQuietSuccessesPerSecond: 50,
  attemptQuietSeconds: 10,
  attemptFailuresPerSecond: 200,
  attemptFlushMs: 250,
  streamHeartbeatMs: 15_000,
  /** A debug stream reads new attempts this often: half a second looks live. */
  streamPollMs: 500,
  maxStreamsPerSource: 20,
  maxStreamsPerWorkspace: 40,
  /** Of one process. Each source with a stream costs two reads of the ledger a second. */
  maxStreams: 200,
  /** Views of the debug history at once, half of them of one workspace: a view has up to 6 MB, which the main thread copies. */
  maxActiveDebugViews: 2,
  maxWaitingDebugViews: 100,

  // Access
  /** Tokens in use on one node. Looking up a token that is not cached takes a fraction of a millisecond. */
  tokenCacheEntries: 10_000,
  /** The times of last use of tokens are written together, this often. */
  tokenUseFlushMs: 60_000,
  userIdLength: 200,
  /** Everything that requests can create is limited, far above what people need. */
  maxWorkspacesPerUser: 100,
  maxMembersPerWorkspace: 1_000,
  /** Tokens that are neither revoked nor expired, of one workspace; also of one user across workspaces. */
  maxTokens: 1_000,
  signInCodeMs: 10 * 60_000,
  /** How long the link works by which an address agrees to a report. */
  reportConsentMs: LIMITS.reportConsentDays * 24 * 3_600_000,
  /** How long the unsubscribe link of a mail works. */
  reportLinkMs: 90 * 24 * 3_600_000,
  /** The newest mails of one report whose links work. */
  maxReportLinks: 200,
  /** How long the previous address can take a change of the e-mail address back. */
  emailRestoreMs: 7 * 24 * 3_600_000,
  /** Changes of one person's address within that time. */
  maxEmailChanges: 5,
  /** Each is an entry in the audit log of every workspace of that person. */
  renamesPerHour: 10,
  /** Reads and refusals that the audit trail counts at once, about 200 bytes each. Beyond it a count begins anew. */
  auditTrailKeys: 10_000,
  /** How long the right password of a shared link is remembered: a working day. */
  linkUnlockMs: 12 * 3_600_000,
  /** Passwords of one link that one client address tries, and all addresses together. */
  linkPasswordsPerMinute: 10,
  linkPasswordsOfAllPerMinute: 100,
  /** Passwords that are hashed at once, each with 32 MB, and those that wait. Node has four threads for this and for files. */
  maxActivePasswordHashes: 2,
  maxWaitingPasswordHashes: 100,
  /** Open sign-in links of one user: nobody can flood a mailbox with them. */
  maxSignInLinks: 5,
  emailCodeMs: 60 * 60_000,
  /** Requests for sign-in links of one client address. */
  signInLinksPerMinute: 10,
  /** Sessions of the console of one user. A further sign-in ends the oldest. */
  maxSessionsPerUser: 50,
  invitationMs: 7 * 86_400_000,
  maxInvitationsPerWorkspace: 200,
  /** The sign-in at the identity provider, from the click to the way back. */
  oidcFlowSeconds: 600,
  /** Returns from the provider of one client address, which may be that of an office. */
  oidcCallbacksPerMinute: 60,
  oidcTimeoutSeconds: 10,
  /** An answer of the identity provider: its keys, its addresses, tokens, or what it says of a person. */
  providerAnswerBytes: 1024 * 1024,
  /** Days of one usage query: a leap year. */
  maxUsageDays: 366,

  /** Sources whose sites for embedding are known, and for how long: a notice of a change may have been lost. */
  embedCacheEntries: 1_000,
  embedCacheMs: 60_000,

  // Sources
  maxSourcesPerWorkspace: 1_000,
  /** Each rotation adds a retired key. The debug view recognizes installs that still use one. */
  retiredKeysKept: 50,
  debugPageSize: 50,

  // Erasure
  /** Unfinished erasures of one workspace: a script may request this many while the warehouse is down. */
  maxOpenErasures: 10_000,
  /** Erasures that share one pass over the ledger and one change of the warehouse. */
  erasureBatchSize: 50,
  /** One node works on an erasure. Another node takes over when it has not renewed its lease for this long. */
  erasureLeaseMs: 60_000,
  eraseIdleMs: 1_000,
  erasureReceiptSeconds: 90 * 86_400,

  // Alerts
  /** Failed requests in the last hour that make a source `failing`. Fewer may be stray requests. */
  minAlertFailures: 5,
  /** Events that violate a tracking plan within two hours until an alert is sent. */
  minAlertViolations: 10,
  /** Sources that are read at once. */
  alertSourceBatchSize: 500,
  /** Alerts that are sent at once. */
  alertSendBatchSize: 20,
  /** Also for reports. */
  webhookTimeoutMs: 10_000,
  /** Waits between the tries to send an alert. After the last try the alert is dropped. */
  alertRetryMs: [60_000, 300_000, 900_000, 3_600_000, 10_800_000],

  // Reports
  /** Reports that are sent at once. */
  reportSendBatchSize: 4,
  /** Waits between the tries to send a report, each longer than a try takes. After the last try it waits for its next period. */
  reportRetryMs: [300_000, 900_000, 3_600_000, 10_800_000, 43_200_000],
  /** Reports of one source that users send now: nobody can flood a mailbox with them. */
  reportsSentPerMinute: 5,
  reportRows: 5,
  /** Longer names are cut in reports. */
  maxReportNameLength: 120,
  maxReportErrorLength: 300,

  // Mail
  /** Mails that are sent at once, and with those that wait: the invitations and reports of some minutes. */
  maxActiveMails: 2,
  maxWaitingMails: 500,
  /** To connect, and for each answer of the mail server. */
  mailTimeoutMs: 10_000,
  /** Waits between the tries to send a mail. Greylisting servers accept after a minute or more. */
  mailRetryMs: [2_000, 30_000, 300_000],
  maxMailAnswerBytes: 65_536,

  // `headwater doctor` and POST …/test, which inspect a web page
  doctorTimeoutMs: 10_000,
  /** Time of a whole run, however many scripts the page has. */
  doctorDeadlineMs: 60_000,
  /** Of the requests of a run by the service, for whoever waits for it in the console. */
  siteTestMs: 25_000,
  /** After this longer time the thread of the run is ended. */
  siteTestGraceMs: 5_000,
  /** Memory of the thread. The largest hostile pages took 30 MB, and the modules 10 MB. */
  maxSiteTestThreadMb: 64,
  maxSiteTestThreadYoungMb: 16,
  /** A thread takes up to 75 MB. */
  maxActiveSiteTests: 1,
  maxWaitingSiteTests: 20,
  doctorRedirects: 5,
  doctorPageBytes: 5_242_880,
  /** Of the service's answer to the doctor. */
  doctorAnswerBytes: 65_536,
  /** Scripts that are searched when the page itself does not contain the snippet. */
  doctorScripts: 30,
  doctorScriptBytes: 3_145_728,

  // The ledger's file
  /** Unused pages of 4 KiB that stay in the file: 64 MiB, about the deletions of a minute. */
  minSparePages: 16_384,
  /** Pages of a slice: 1 MiB. Commits wait for a slice, and then run before the next one, so a slice also ends after a time. */
  releasedPagesPerSlice: 256,
  releaseSliceMs: 5,
  /** 8 MiB a second: a backlog of 10 GB is given back in 20 minutes. */
  releaseSlicesPerSecond: 8,

  // Ingest
  /** Requests that wait for the ledger, and their bytes. Further ones are refused with 503 `overloaded`. */
  commitQueueRequests: 2_000,
  commitQueueBytes: 64 * 1_048_576,
  /** The share of the queue that one source may use while other sources wait. */
  commitQueueShare: 0.5,
  commitGroupEvents: 2_000,
  maxIngestInFlight: 512,
  /** A request waits this long for its turn, then it is refused. Clients wait longer: our server client 10 s, browsers 30 s. */
  maxIngestWaitMs: 3_000,
  /**
   * Request bodies that are on their way, all together: those of 750 connections that send nothing, or of 75 that send
   * large bodies. Memory that they have used is not returned to the system. Beyond it, bodies of the clients and sources that hold the most are refused.
   */
  maxPendingBodyBytes: 48 * 1_048_576,
  /** Bytes that the connection and the request of a pending body count as. */
  pendingBodyOverheadBytes: 65_536,
  /** A body that is pending for this long must have arrived at the lowest speed: that of the slowest mobile networks. */
  bodyGraceSeconds: 4,
  minBodyBytesPerSecond: 1_000,
  /** Requests are processed for this long before the event loop reads what arrived meanwhile. */
  timeSliceMs: 5,
  /** Requests that are processed at once: a group that the ledger commits, and the next group. */
  maxActiveRequests: 64,
  /** How many uncached keys a client address may look up for each unknown key that it may try. */
  lookUpsPerUnknownKey: 10,
  sourceCacheEntries: 10_000,
  /** Compiled tracking plans, and their bytes as JSON: 32 plans of the greatest size. */
  planCacheEntries: 1_000,
  planCacheBytes: 8 * 1_048_576,
  /** What a node knows of events that are not in the catalogue yet: names, properties, values and pages of about 400 bytes each. */
  learnedEntries: 20_000,
  /** Property names of all sources that a node remembers, of at most 200 characters each. */
  knownPropertyNames: 100_000,
  /** Violations of tracking plans that a node has not stored yet, with up to 20 pages of about 300 bytes each. */
  learnedViolations: 2_000,
  /** How often it is added to the catalogue, and events of one source in a transaction. */
  catalogFlushMs: 5_000,
  catalogFlushEvents: 100,
  sessionCacheEntries: 50_000,
  /** Joinable sessions: ten seconds at one source's full rate, or half an hour at 11 a second. */
  recentSessionEntries: 20_000,
  /** A cached session is looked up again after this time, since a notice of another node may have been lost. */
  sessionCacheMs: 60_000,
  /** A site has few pages and many views. */
  addressCacheEntries: 2_000,
  titleCacheEntries: 2_000,
  /** Decoded parts of the address file, such as one for each city: about 1 kB each. */
  placeCacheEntries: 5_000,
  /** Distinct referrers and campaigns in use at one time. Most browsers send the referrer's origin only. */
  referrerCacheEntries: 5_000,
  /** Visits with longer referrers and campaigns, which few share, are classified each time. */
  maxCachedVisitKeyLength: 400,
  /** A list of referrers that an operator configures. The built-in one has 230,000 characters. */
  maxReferrerListLength: 5_000_000,
  /** Longer paths of referrers are cut: the lists name the beginnings of paths. */
  maxReferrerPathLength: 60,
  /** Distinct user agents with client hints in use at one time. */
  deviceCacheEntries: 5_000,
  /** Detecting a device takes 20 to 400 µs. So a flood of invented user agents takes 2 % of a core, after as many as the cache has. */
  deviceDetectionMsPerSecond: 20,
  deviceDetectionBurstMs: 500,
  /** The maximum number of lines in DATA_CENTRES_FILE and in REFERRER_SPAM_FILE. The networks of all large clouds are about 40,000 ranges. */
  maxListFileLines: 200_000,
  rateBuckets: 50_000,
  /** Clients of one IPv6 /48 that may use their whole rate at once. */
  networkRateFactor: 16,
  /** A client address can send its bytes of this many seconds at once: a page that was offline, or a batch of a server. */
  clientBytesBurstSeconds: 10,
  /** How old the known usage of a workspace with quotas can be: after this, a node has seen what the others stored. */
  quotaRefreshMs: 5_000,

  // Memory
  /** How often memory that is not used is looked for. */
  memoryCheckMs: 20_000,
  /** Memory is returned when it has grown by this much. */
  minReleasedBytes: 64 * 1_048_576,
  /**
   * Returning memory stops each thread for about 50 ms and drops compiled code. A main thread that is busy for more than this share needs
   * both: at half, ingest lost a tenth of its throughput.
   */
  maxBusyShare: 0.2,

  // Listening
  /** Connections that wait to be accepted, per socket. The system drops further ones; clients retry after a second or more. */
  listenBacklog: 4_096,
  /** Each accepts one connection per turn of the event loop. With 64, a flood of 8,000 connections took ten seconds. */
  listeningSockets: 128,

  // Nodes and PostgreSQL
  /** How often caches ask for the changes of other nodes and processes. They follow a change within twice this time. */
  changePollMs: 500,
  /** Connections of a node, beside the one that reads changes. A server with 100 connections has room for eight nodes. */
  databaseConnections: 10,
  /** How many of these connections are used for commits. While some wait for the disk, the others work. */
  databaseCommitConnections: 4,
  /** Short enough that clients get an answer or a 503 before they give up. */
  databaseConnectMs: 2_000,
  databaseStatementMs: 5_000,
  /** Changed sessions that the other nodes are not told of yet. They see further changes after `sessionCacheMs`. */
  maxUntoldSessions: 10_000,
  /** Changes that a node reads at once. If there are more, it drops all that it has cached. */
  maxLearnedChanges: 5_000,
  /** A node that has not reported for this long is not counted. */
  nodeTimeoutMs: 5_000,

  ...WAREHOUSE_LIMITS,

  /** How long a stop waits until the last spans are sent to the collector of traces. */
  traceFlushMs: 1_000,
  /** Lines about refused requests. Further ones of the same second are only counted. */
  maxLogLinesPerSecond: 50,

  // HTTP and stopping
  requestTimeoutMs: 10_000,
  headersTimeoutMs: 8_000,
  /** Requests of a connection that wait until the answer before them is sent. Browsers and proxies send none ahead. */
  maxPipelinedRequests: 8,
  /** A client has this long to take an answer, and a second more for each `minAnswerBytesPerSecond` of it. */
  answerGraceMs: 20_000,
  minAnswerBytesPerSecond: 32_768,
  /** Answers that clients have not taken yet, all together. The oldest of them makes room. */
  maxUnsentAnswerBytes: 32 * 1_048_576,
  drainTimeoutMs: 8_000,
  drainSweepMs: 50,
  retryAfterSeconds: 1,
  /** Paused connections that a turn of the event loop reads again: two or three milliseconds of refusals. */
  resumedPerTurn: 64,
  /** A connection is paused for so many turns at most: a few seconds when thousands are. */
  maxPausedTurns: 128,
} as const;
