/**
 * The limits that the API promises and the console shows, each with its reason (docs/api/limits.md).
 * Some are settings of the server; the number here is then the default. Limits that only the server uses are in
 * `apps/server/src/core/limits.ts`.
 */
export const LIMITS = {
  // Ingest. A source can raise the first three for itself, up to the ceilings below.
  /** Events in a batch. The browser client sends at most 20 at once; servers send larger batches. */
  maxBatchSize: 500,
  /** Bytes of a body after decompression: 512 KiB hold 500 events of 1 KB. */
  maxPayloadBytes: 524_288,
  /** Requests of one client address to one source. A server, or an office behind one address, stays below it without pacing. */
  clientRatePerSecond: 500,
  clientRateBurst: 5_000,
  /** The highest values that a source can set for itself: a server that imports in bulk needs no more. */
  maxBatchSizeCeiling: 5_000,
  maxPayloadBytesCeiling: 5_242_880,
  clientRatePerSecondCeiling: 2_000,
  /** The highest daily quota of events or bytes: more than any service stores, and exact as a number. */
  maxDailyQuota: 1_000_000_000_000_000,
  /** Bytes of one event: 32 KiB, as at Segment. Larger ones are logs, not analytics. */
  maxEventBytes: 32_768,
  /** Requests to one source: one flooded source must not use the whole server. One address cannot use up the burst. */
  sourceRatePerSecond: 2_000,
  sourceRateBurst: 20_000,
  /** Requests of one address with unknown keys. A key has 128 bits, so this only keeps guessing cheap to refuse. */
  unknownKeyRatePerSecond: 20,
  /** Requests of one access token: a client that sends one call after the other stays below it without pacing. */
  workspaceRatePerSecond: 200,
  workspaceRateBurst: 2_000,
  /** Failed authentications of one client address, 100 a second. A token has 160 bits, so this only bounds their cost. */
  failedAuthPerMinute: 6_000,

  // The shape of events
  /** Characters of a session, visitor, user or batch id: several UUIDs fit. Ids are never cut. */
  maxEnvelopeIdLength: 200,
  /** Characters of an event id: it is part of the deduplication key. A UUID has 36. */
  maxEventIdLength: 128,
  /** Characters of an event name: it is a label in charts. */
  maxEventNameLength: 200,
  /** Characters of a URL that are stored. Longer ones are cut, with a warning. */
  maxUrlLength: 4_096,
  /** Characters of a page title that are stored. Longer ones are cut, with a warning. */
  maxTitleLength: 500,
  /** Days before an event in which its first touch is searched. A longer window reads more events. */
  maxAttributionWindowDays: 90,
  defaultAttributionWindowDays: 30,
  /** The greatest amount of `revenue` in `properties`, positive or negative. */
  maxRevenue: 1_000_000_000_000,
  /** Seconds of an engagement report: a day. */
  maxEngagedSeconds: 86_400,
  /** Characters of a string in `properties` that are stored. Longer ones are cut, with a warning. */
  maxPropertyStringLength: 8_192,
  /** Keys in `properties`: a chart never needs more, and each key costs the warehouse memory. */
  maxProperties: 256,
  /** Different property names of a source in a day, before events are warned: a tracking plan has at most hundreds. */
  maxPropertyNamesPerDay: 1_000,
  /** Nesting of `page`, `context` and `properties`: deeper data is never charted and costs stack. */
  maxDepth: 10,
  /** Bytes of a `page` object: four URLs of the greatest length. Of a larger one each known member is cut before it is masked. */
  maxPageBytes: 16_384,
  /** Bytes of a `context` that are stored. Of a larger one the known members are kept, with a warning. */
  maxContextBytes: 16_384,
  /** Bytes of a body's `context` times its events, since it is stored with each: twice the default body. */
  maxSharedContextBytes: 1_048_576,
  /** Issues that one 422 lists: a client with more needs the first ones only. */
  maxIssues: 100,

  // The time of events
  /** Age of an event: a year and a month, so that a client or a server can send what it has kept. */
  maxEventAgeSeconds: 400 * 86_400,
  /** How far ahead an event may be: a device whose clock is set to another time zone is at most a day off. */
  maxFutureSeconds: 86_400,
  /** Events that are ahead by more than this are set to the time of receipt: clocks differ by a few minutes. */
  futureClampSeconds: 300,
  /** A clock that differs by less is taken as right: the request's own way takes some of that time. */
  skewToleranceSeconds: 30,
  /** A session ends after half an hour without activity, as in other analytics tools. */
  sessionTimeoutSeconds: 1_800,
  /** Idle time after which a session accepts no events: late events of yesterday's visit still arrive. */
  sessionIdleForEventsSeconds: 86_400,
  /** Age after which a session accepts no events: a client that was offline for a week still delivers. */
  sessionAgeForEventsSeconds: 8 * 86_400,
  /** Time after its last activity when a session is deleted: one day after it stopped accepting events. */
  sessionRetentionSeconds: 9 * 86_400,
  /** Time that one generation of deduplication keys spans: a commit then searches five at most (docs/decisions/0003). */
  keyGenerationSeconds: 4 * 86_400,

  // Sources
  /** Characters of a name that people read: of a source, goal, workspace, member or token. */
  maxNameLength: 120,
  /** Characters of the password of a shared link. */
  minPasswordLength: 8,
  maxPasswordLength: 200,
  /** Characters of a slug: as long as a DNS label may be. */
  maxSlugLength: 63,
  /** Allowed origins of a source: ingest compares every request with them. */
  maxAllowedOrigins: 100,
  /** They are in a header of the page, which many proxies limit to 8 KiB. */
  maxEmbedOrigins: 20,
  /** Characters of an origin: scheme, a host name of 253 characters, and port. */
  maxOriginLength: 300,
  /** Characters of INGEST_ALIAS and of the path in the proxy rules: people paste them into configuration files. */
  maxSitePathLength: 100,
  /** Snippets in a page's report: a page should have one. */
  maxReportedSnippets: 20,
  /** Content security policies in a page's report: few pages have more than three. */
  maxReportedPolicies: 20,
  /** Characters of one policy: servers limit all headers together to about as much. */
  maxReportedPolicyLength: 8_192,
  /** Goals of a source: each is one line of a report. */
  maxGoals: 100,
  /** Conditions of a goal on properties. */
  maxGoalConditions: 5,
  /** Content groups of a source, and patterns of each: a query compares every path with them. */
  maxContentGroups: 50,
  maxContentGroupPaths: 20,
  /** Excluded paths of a source: ingest compares every event with them. */
  maxExcludedPaths: 100,
  /** Excluded addresses and ranges of a source: offices and homes of those who run the site. */
  maxExcludedAddresses: 100,
  /** A source's own rules for sources and channels: ingest compares every new referrer and campaign with them. */
  maxChannelRules: 100,
  /** Characters of the pattern and of the source of such a rule. */
  maxChannelRuleLength: 200,
  /** Events of a tracking plan. */
  maxPlannedEvents: 500,
  /** Bytes of a tracking plan as JSON: 500 schemas of ten properties. */
  maxPlanBytes: 262_144,
  /** Earlier versions of a tracking plan that are kept, the current one included. */
  maxPlanVersions: 50,
  /** The cost of the schema of one planned event, which docs/api/tracking-plan.md defines. It bounds the time of a check. */
  maxPlanSchemaCost: 1_000,
  /** The cost of all schemas of a plan. A plan of 500 events with ten properties each costs a tenth. */
  maxPlanCost: 50_000,
  /** Nesting of such a schema: properties nest ten levels deep. */
  maxPlanSchemaDepth: 24,
  /** Characters of a pattern in a plan, and the size of the program that matches it in linear time. */
  maxPlanPatternLength: 200,
  maxPlanPatternSize: 500,
  /** States that the patterns of a plan visit for one event: about 2 ms. A text that needs more does not match. */
  maxPlanPatternSteps: 50_000,
  /** Violations of its tracking plan that a source keeps: those that were seen last. */
  maxPlanViolations: 50,
  /** Event names in the catalogue of a source, and properties of each. Events of further names are counted together. */
  maxCatalogEvents: 500,
  maxCatalogProperties: 100,
  /** Examples of a property, client versions and pages of an event name in the catalogue. */
  maxCatalogExamples: 5,
  maxCatalogVersions: 10,
  maxCatalogPages: 10,
  /** Characters of a text that can be an example, and of a path or the name of a property. Longer ones are left out. */
  maxCatalogExampleLength: 40,
  maxCatalogPathLength: 100,
  /** Query parameters that a source keeps by name: ingest compares those of every new address with them. */
  maxQueryParameters: 100,
  /** Characters of the name of a query parameter. */
  maxParameterLength: 100,
  /** Patterns that merge pages of a source: ingest compares every new path with them. */
  maxPathRulePatterns: 50,
  /** Characters of a path pattern. */
  maxPathPatternLength: 500,
  /** Days that a source can keep its events: ten years. `null` keeps them forever. */
  maxRetentionDays: 3_650,
  /** Days that a source can keep what it refuses: a month is enough to notice and to mend it. */
  maxKeepRejectedDays: 30,
  /** Groups of kept events in one answer: what needs more is not mended one by one. */
  maxKeptGroups: 200,
  /** Edits of a replay: an event rarely violates a plan in more ways. */
  maxReplayEdits: 20,
  /** Kept events that a test of a replay evaluates: somebody waits for it. */
  maxReplayTestEvents: 1_000,
  /** Replays of a source in a list. */
  maxListedReplays: 100,
  /** Characters of the name and the origin by which kept events are found. */
  maxKeptTextLength: 300,
  /** Grace period of a replaced public key: one week is enough to update every install. */
  maxGraceSeconds: 604_800,
  /** Rows of one page of a list. It is also the default. */
  maxPageSize: 100,
  /** Attempts of each kind on one page of the debug view. Each can have a snapshot of 16 KiB. */
  maxDebugPageSize: 200,

  // Stats queries. They bound what one query costs the warehouse.
  maxStatsMetrics: 12,
  /** A chart shows at most two, a table three. */
  maxStatsDimensions: 4,
  /** Sources of one query: as many as a workspace has. */
  maxStatsSources: 1_000,
  /** Filters in one list. */
  maxStatsFilters: 20,
  /** Segments, funnels and annotations of a source, those of all members together. */
  maxSavedItems: 300,
  /** Characters of a segment's filters or a funnel's steps as JSON. With `maxSavedItems` it bounds a list at 2.5 MB. */
  maxSavedItemLength: 8_192,
  /** Reports of a source that are sent every week or month. */
  maxReports: 20,
  /** How long an address outside the workspace can agree to a report. */
  reportConsentDays: 7,
  /** Webhooks of Slack have 80 characters. */
  maxReportTargetLength: 500,
  /** Values of one filter. */
  maxStatsValues: 100,
  /** Characters of one value of a filter. */
  maxStatsValueLength: 1_000,
  /** Characters of a path pattern in a goal. */
  maxStatsPatternLength: 300,
  /** Characters of a property's name. */
  maxStatsPropertyLength: 200,
  /** Characters of a date-time: ISO 8601 needs 35. */
  maxStatsTimeLength: 40,
  /** Rows of one answer: one for each minute of a day, and an extra hour when clocks go back. */
  maxStatsRows: 1_500,
  /** Rows that `offset` can skip: the warehouse computes them all. */
  maxStatsOffset: 100_000,
  /** Steps of a funnel or of a path. */
  maxStatsSteps: 10,
  /** The longest time that a funnel can span. */
  maxStatsWindowSeconds: 30 * 86_400,
  /** Segments of a funnel. */
  maxStatsSegments: 20,
  /** Paths in one answer. */
  maxStatsPaths: 100,

  // Mails of all kinds together
  /** To one mailbox. */
  mailsPerRecipientAndHour: 10,
  /** That one person causes, such as invitations. */
  mailsPerPersonAndHour: 100,
  /** For one workspace: invitations and reports. */
  mailsPerWorkspaceAndHour: 500,

  // Exports
  /** Events in one file. An export continues after a cursor. */
  maxExportRows: 1_000_000_000,
} as const;

/**
 * How long an event id is remembered after its first acceptance, whatever the time of the event (docs/api/events.md,
 * "Duplicates").
 */
export const DEDUP_WINDOW_SECONDS = 3 * LIMITS.keyGenerationSeconds;

/** The limits on events and sessions that are the same for every source. The debug view reports them besides those of the source. */
export const CONTENT_LIMITS = {
  maxEnvelopeIdLength:
    "Characters of `sdkVersion` and of the ids of a session, visitor, user or batch. A body with a longer one is refused.",
  maxEventIdLength: "Characters of an event's `id`. An event with a longer one is rejected.",
  maxEventNameLength: "Characters of an event's `name`. An event with a longer one is rejected.",
  maxProperties: "Keys of `properties`. An event with more is rejected.",
  maxDepth: "Nesting of `properties`, `context` and `page`. Deeper properties are rejected, the others cut.",
  maxPropertyStringLength: "Characters of a string in `properties`. Longer ones are cut.",
  maxPageBytes: "Bytes of a `page`. Of a larger one, only the known members are kept.",
  maxContextBytes: "Bytes of a `context`. Of a larger one, only the known members are kept.",
  maxSharedContextBytes:
    "Bytes of a body's `context` times its events. Of a larger one, only the known members are kept.",
  maxUrlLength: "Characters of a URL, path or referrer. Longer ones are cut.",
  maxTitleLength: "Characters of a title. Longer ones are cut.",
  maxRevenue: "The greatest amount of revenue. A greater amount is not counted.",
  maxEngagedSeconds: "The greatest number of seconds of an engagement event.",
  maxFutureSeconds: "How far in the future an event may be. One further ahead is rejected.",
  futureClampSeconds: "An event further in the future gets the time of receipt.",
  sessionIdleForEventsSeconds: "Events of a session are refused after this time without activity.",
  sessionAgeForEventsSeconds: "Events of a session are refused when it is older.",
} as const satisfies Partial<Record<keyof typeof LIMITS, string>>;
export type ContentLimit = keyof typeof CONTENT_LIMITS;
export const CONTENT_LIMIT_NAMES = Object.keys(CONTENT_LIMITS) as ContentLimit[];
/** The names are those of `LIMITS`, which `Object.fromEntries` forgets. */
export const CONTENT_LIMIT_VALUES = Object.fromEntries(
  CONTENT_LIMIT_NAMES.map((name) => [name, LIMITS[name]]),
) as Pick<typeof LIMITS, ContentLimit>;
