/** Generated from the OpenAPI document by `npm run generate -w @headwater/api`. Do not edit. */
export interface Schemas {
/** A time in UTC with milliseconds, such as 2026-11-21T12:00:00.000Z. */
Timestamp: string;
Error: {
/** Always false in an error. */
ok: false;
/** The kind of error, one for each status. */
error: "bad_request" | "request_timeout" | "headers_too_large" | "unauthorized" | "Forbidden" | "not_found" | "method_not_allowed" | "unsupported_media_type" | "conflict" | "payload_too_large" | "invalid_payload" | "rate_limited" | "internal" | "unavailable";
/** What went wrong, for programs. Codes never change. */
code: "malformed_http" | "request_timeout" | "headers_too_large" | "missing_token" | "invalid_token" | "expired_token" | "revoked_token" | "password_required" | "permission_denied" | "not_a_member" | "passkey_refused" | "source_inactive" | "origin_missing" | "origin_not_allowed" | "invalid_session" | "session_expired" | "route_not_found" | "source_not_found" | "member_not_found" | "token_not_found" | "invitation_not_found" | "invalid_code" | "erasure_not_found" | "replay_not_found" | "saved_item_not_found" | "report_not_found" | "plan_version_not_found" | "unknown_public_key" | "rotated_public_key" | "method_not_allowed" | "unsupported_media_type" | "slug_taken" | "last_owner" | "member_exists" | "email_taken" | "key_not_retired" | "too_many_sources" | "limit_reached" | "replay_running" | "too_many_erasures" | "too_many_saved_items" | "too_many_reports" | "report_unconfirmed" | "plan_changed" | "payload_too_large" | "batch_too_large" | "invalid_payload" | "rate_limited" | "quota_exceeded" | "internal_error" | "mail_unavailable" | "report_not_sent" | "overloaded" | "storage_unavailable" | "storage_full" | "warehouse_off" | "warehouse_elsewhere" | "warehouse_unavailable" | "warehouse_damaged" | "query_too_heavy" | "shutting_down";
/** What is wrong, in one sentence. */
message: string;
/** What to do about it. */
hint: string;
/** The same request can succeed later. Wait as long as `Retry-After` says. */
retryable: boolean;
/** The id of the request, as in `X-Request-Id`. Include it when you report a problem. */
requestId: string;
/** The id of the attempt in the debug view. On ingest routes only. */
attemptId?: string;
/** The debug view of the source. On ingest routes with a known key only. */
debugUrl?: string;
/** Every field that is not valid. With status 422 only. */
issues?: (Schemas["Issue"])[];
/** There are more than 100 issues. */
issuesTruncated?: true;
/** The limit that the request exceeded. With status 413 and `quota_exceeded` only. */
limit?: number;
/** What was sent, or used. With status 413 and `quota_exceeded` only. */
actual?: number;
/** When the quota is reset. With `quota_exceeded` only. */
resetAt?: Schemas["Timestamp"];
};
/** One field of a request that is not valid. */
Issue: {
/** Where the field is: names of members and indexes of lists. */
path: (string | number)[];
/** What is wrong with the field. */
code: "required" | "invalid_type" | "invalid_value" | "too_short" | "too_long" | "too_many" | "invalid_timestamp" | "invalid_json" | "invalid_encoding" | "unknown_field";
/** What is wrong, for people. */
message: string;
/** The id of the event that contains the field, if it can be read. */
eventId?: string;
};
/** One event. */
Event: {
/** The idempotency key of the event, such as a UUID. A source accepts an id once. */
id: string;
/** `page`: a page view. `track`: any other event. */
type: string;
/** When the event occurred. Without a time zone it is read as UTC. An ISO 8601 date-time. */
timestamp: string;
/** The name of the event. `track` events need one. */
name?: string | null;
/** The page on which the event occurred. `page` events need one. */
page?: Schemas["Page"] | null;
/** The visitor. Default: that of the batch. */
anonymousId?: string | null;
/** The session. Default: that of the batch. */
sessionId?: string | null;
/** Any further data, as a JSON object. */
properties?: Record<string, unknown> | null;
/** The visitor's environment. Default: that of the batch. */
context?: Schemas["Context"] | null;
/** True: the visitor did nothing, as in a measurement. A `track` event is stored and counted, but opens no session and does not affect the bounce rate. */
passive?: unknown;
/** Events that the client lost before this one, as a string (docs/api/events.md, Sequences). */
lost?: unknown;
[member: string]: unknown;
};
/** The page that the visitor sees. A page view needs `url` or `path`. */
Page: {
/** The address of the page. */
url?: string | null;
/** The path of the page. It is derived from `url` when it is missing. */
path?: string | null;
/** The title of the page. */
title?: string | null;
/** The address of the page that led here. */
referrer?: string | null;
/** True: the path includes the fragment of `url`, because the fragment names the page. */
hashRouting?: unknown;
[member: string]: unknown;
};
/** The visitor's environment. All members are stored as they are. Those listed here are used only if they are strings. */
Context: {
/** The visitor's language and region, such as `en-GB`. */
locale?: unknown;
/** The visitor's time zone, such as `Europe/Berlin`. */
timezone?: unknown;
/** The visitor's user agent. Default: the header of the request. */
userAgent?: unknown;
[member: string]: unknown;
};
StartSession: {
/** The version of the ingest API. */
ingestVersion: 2;
/** The name and version of the client, for the debug view. */
sdkVersion: string;
/** An id of the visitor that the client generates and keeps. */
anonymousId: string;
/** The session to resume. If it cannot be resumed, a new session is opened. */
sessionId?: string | null;
/** `true`, without `sessionId`: joins the session that another bootstrap opened in the last 30 minutes, if it had the same `anonymousId` and `joinSession`. */
joinSession?: unknown;
/** The signed-in user, when there is one. */
userId?: string | null;
page: Schemas["Page"];
/** The visitor's environment. */
context?: Schemas["Context"] | null;
/** With `events`: The id of the batch, for the debug view. */
batchId?: unknown;
/** With `events`: When the request is sent, by the client's clock. Set it again before each retry. */
sentAt?: unknown;
/** Events to store in the same request. They need `batchId` and `sentAt`. */
events?: (Schemas["Event"])[] | null;
[member: string]: unknown;
};
Session: {
/** Always true in a successful response. */
ok: true;
/** The id of the request in the debug view. */
attemptId: string;
/** The version of the ingest API. */
ingestVersion: 2;
/** The source of the public key. */
sourceId: string;
/** The session to send events with. */
sessionId: string;
/** The visitor of the request. */
anonymousId: string;
/** The signed-in user of the session; null: there is none. */
identifiedUserId: string | null;
/** The path to send events to, after `apiBaseUrl`. */
ingestUrl: string;
/** False: a new session was opened. */
sessionResumed: boolean;
/** When the session ends without further activity. */
sessionExpiresAt: Schemas["Timestamp"];
/** The time of the service, to correct the client's clock. */
serverTime: Schemas["Timestamp"];
limits: Schemas["ClientLimits"];
privacy: Schemas["Privacy"];
/** Events that were stored. */
accepted?: number;
/** Events that had been stored before. */
duplicates?: number;
/** Events that were not stored. */
rejected?: number;
/** The outcome of each event. */
results?: (Schemas["EventResult"])[];
};
EventBatch: {
/** The version of the ingest API. */
ingestVersion: 2;
/** The name and version of the client, for the debug view. */
sdkVersion: string;
/** The id of the batch, for the debug view. */
batchId: string;
/** When the request is sent, by the client's clock. Set it again before each retry. An ISO 8601 date-time. */
sentAt: string;
/** The session, as bootstrap returned it. */
sessionId: string;
/** The visitor, as in the bootstrap. */
anonymousId: string;
/** The signed-in user, when there is one. */
userId?: string | null;
/** The visitor's environment. */
context?: Schemas["Context"] | null;
/** The events, at most `maxBatchSize`. Each is accepted or rejected on its own. Ids make retries safe: send the same ids again. */
events: (Schemas["Event"])[];
[member: string]: unknown;
};
EventBatchResult: {
/** Always true in a successful response. */
ok: true;
/** The id of the request in the debug view. */
attemptId: string;
/** The source of the public key. */
sourceId: string;
/** The session of the batch. */
sessionId: string;
/** Events that were stored. */
accepted: number;
/** Events that had been stored before. */
duplicates: number;
/** Events that were not stored. */
rejected: number;
/** The outcome of each event. */
results: (Schemas["EventResult"])[];
};
/** The outcome of one event. Results are in the order of the events in the request. */
EventResult: {
/** The index of the event in the request. */
index: number;
/** The `id` of the event. */
eventId: string;
/** The id under which the event is stored; empty when the event has no readable id. */
analyticsEventId: string;
/** The `type` of the event. */
type: string;
/** The name under which the event is stored; `page_view` for page views. */
name: string;
/** `accepted`: stored durably. `duplicate`: stored before, and counted once. `rejected`: not stored. */
status: "accepted" | "duplicate" | "rejected";
/** Why the event was not stored; null: it was. */
code: "duplicate_event" | "invalid_event" | "id_not_exact" | "unsupported_event_type" | "timestamp_too_old" | "timestamp_in_future" | "session_mismatch" | "page_address_missing" | "event_name_too_long" | "event_id_too_long" | "event_too_large" | "properties_too_deep" | "path_excluded" | "address_excluded" | "bot_rejected" | "plan_violation" | "too_many_properties" | null;
/** What to do about it; null: the event was stored. */
message: string | null;
/** The corrections of the event. `timestamp_clamped`: The event's time is more than 5 minutes in the future. The time of receipt was stored instead. Check the client's clock. `old_event`: The event is more than 12 days old. If it was stored before, it may count twice. `url_truncated`: A url, path or referrer has more than 4,096 characters and was cut. `value_truncated`: A title has more than 500 characters, or a property more than 8,192, and was cut. `context_truncated`: The event's `context` and the body's together exceed 16 KiB, or nest deeper than 10 levels. Only their known members were stored. `timezone_assumed`: A time has no zone and was read as UTC. End it with Z or an offset. `anonymous_id_mismatch`: The event's `anonymousId` differs from its session's. Send the same `anonymousId` in bootstrap and in events. `bot_suspected`: The user agent belongs to a crawler or an HTTP library. To send events from a server, use a token with the `ingest` scope. `data_centre`: The client's address is in a data centre, so the event is suspected to be from a bot. `referrer_spam`: The referrer is a known spam site, so the event is suspected to be from a bot. `sent_at_unreliable`: `sentAt` differs from the server's time by more than 24 hours. Set it anew before each request. `number_not_finite`: A number is too large and was stored as null. `too_many_property_names`: The source has sent too many different property names today. The event is stored with all of them. Send {"productId": 7} instead of {"7": true}. `plan_violation`: The event violates the source's tracking plan. `planViolation` says where. `revenue_invalid`: The revenue is not valid, so the event counts without it. Send `properties.revenue` as an amount and an ISO 4217 currency: {"amount": 12.5, "currency": "EUR"}. */
warnings: ("timestamp_clamped" | "old_event" | "url_truncated" | "value_truncated" | "context_truncated" | "timezone_assumed" | "anonymous_id_mismatch" | "bot_suspected" | "data_centre" | "referrer_spam" | "sent_at_unreliable" | "number_not_finite" | "too_many_property_names" | "plan_violation" | "revenue_invalid")[];
/** How the event violates the source's tracking plan; null: it does not. */
planViolation: {
/** What violates the plan, such as `properties.price`. */
path: string;
/** What the plan expects there. */
expected: string;
/** What was found instead. */
found: string;
} | null;
};
/** The limits that a client must respect. */
ClientLimits: {
/** Events in a batch. */
maxBatchSize: number;
/** Bytes of a body after decompression. */
maxPayloadBytes: number;
/** Bytes of one event. */
maxEventBytes: number;
/** The greatest age of an event. */
maxEventAgeSeconds: number;
/** A session ends after this time without activity. */
sessionTimeoutSeconds: number;
};
LegacyStartSession: {
/** The version of the ingest API. */
ingestVersion?: 2 | null;
/** The name and version of the client, for the debug view. */
sdkVersion?: string | null;
/** An id of the visitor that the client generates and keeps. */
anonymousId: string;
/** The session to resume. If it cannot be resumed, a new session is opened. */
sessionId?: string | null;
/** `true`, without `sessionId`: joins the session that another bootstrap opened in the last 30 minutes, if it had the same `anonymousId` and `joinSession`. */
joinSession?: unknown;
/** The signed-in user, when there is one. */
userId?: string | null;
page: Schemas["Page"];
/** The visitor's environment. */
context?: Schemas["Context"] | null;
/** With `events`: The id of the batch, for the debug view. */
batchId?: unknown;
/** With `events`: When the request is sent, by the client's clock. Set it again before each retry. */
sentAt?: unknown;
/** Events to store in the same request. They need `batchId` and `sentAt`. */
events?: (Schemas["Event"])[] | null;
[member: string]: unknown;
};
LegacyEventBatch: {
/** The version of the ingest API. */
ingestVersion?: 2 | null;
/** The name and version of the client, for the debug view. */
sdkVersion?: string | null;
/** The id of the batch, for the debug view. */
batchId: string;
/** When the request is sent, by the client's clock. Set it again before each retry. An ISO 8601 date-time. */
sentAt: string;
/** The session, as bootstrap returned it. */
sessionId: string;
/** The visitor, as in the bootstrap. */
anonymousId: string;
/** The signed-in user, when there is one. */
userId?: string | null;
/** The visitor's environment. */
context?: Schemas["Context"] | null;
/** The events, at most `maxBatchSize`. Each is accepted or rejected on its own. Ids make retries safe: send the same ids again. */
events: (Schemas["Event"])[];
[member: string]: unknown;
};
/** A call from a Segment or RudderStack client. */
SegmentCall: {
/** The id of the event. */
messageId?: unknown;
/** The visitor. Default: `userId`. */
anonymousId?: unknown;
/** The user. */
userId?: unknown;
/** The name of a `track` event. */
event?: unknown;
/** The name of a page or screen. */
name?: unknown;
/** The properties of the event, page or screen, an object. */
properties?: unknown;
/** The traits of a user or group, an object. */
traits?: unknown;
/** The visitor's environment, an object. */
context?: unknown;
/** When the event occurred. */
timestamp?: unknown;
/** When the request is sent, by the client's clock. */
sentAt?: unknown;
/** The messages of a batch, each with its `type`. */
batch?: unknown;
[member: string]: unknown;
};
/** The outcome of the call. */
SegmentAnswer: {
/** False: an event was rejected. */
success: boolean;
/** The id of the request in the debug view. */
attemptId: string;
/** Events that were stored. */
accepted: number;
/** Events that had been stored before. */
duplicates: number;
/** Events that were not stored. */
rejected: number;
/** The outcome of each event. */
results: (Schemas["EventResult"])[];
};
/** The settings of a Segment client. */
SegmentSettings: {
/** The destinations: this service only. */
integrations: Record<string, unknown>;
/** Empty: no call is blocked. */
plan: Record<string, unknown>;
/** The client's reports about itself. */
metrics: {
/** 0: the client reports nothing about itself. */
sampleRate: number;
};
};
/** The report was received. */
SegmentMetricsAnswer: {
/** True. */
success: boolean;
};
/** The settings of a RudderStack client. */
RudderConfig: {
/** An enabled source without destinations. */
source: Record<string, unknown>;
};
/** An event from a Plausible client. */
PlausibleEvent: {
/** The name of the event, or `n`. `pageview`: a page view. `engagement`: time on page and scroll depth. */
name?: unknown;
/** The address of the page, or `u`. */
url?: unknown;
/** The address of the page that led here, or `r`. */
referrer?: unknown;
/** Further data, or `p`: an object. */
props?: unknown;
/** `amount` and `currency`, or `$`. */
revenue?: unknown;
/** False: the visitor did nothing, or `i`. */
interactive?: unknown;
[member: string]: unknown;
};
/** The outcome of the call. */
UmamiAnswer: {
/** The session of the first event. */
sessionId: string;
/** The same. */
visitId: string;
/** The id of the request in the debug view. */
attemptId: string;
/** Events that were stored. */
accepted: number;
/** Events that had been stored before. */
duplicates: number;
/** Events that were not stored. Not in the response to a batch. */
rejected?: number;
/** In the response to a batch: its events. */
size?: number;
/** In the response to a batch: events that were not rejected. */
processed?: number;
/** In the response to a batch: events that were rejected. */
errors?: number;
/** The rejected events. */
details: ({
/** The place of the event in the request. */
index: number;
/** The reason. */
response: {
/** Why it was rejected. */
code: string;
/** What to do about it. */
message: string;
};
})[];
};
/** A request of the Measurement Protocol. */
Ga4Payload: {
/** The visitor. Default: `user_id`. */
client_id?: unknown;
/** The user. */
user_id?: unknown;
/** When the events occurred, in microseconds since 1970. */
timestamp_micros?: unknown;
/** The events, each with its `name` and `params`. */
events?: unknown;
[member: string]: unknown;
};
Source: {
/** The id of the source. */
sourceId: string;
/** The workspace that the source belongs to. */
organizationId: string;
/** The key that pages send events with. It is public, and identifies the source. */
publicKey: string;
/** The name that people see. */
name: string;
/** A short name for addresses, unique within the workspace. */
slug: string;
/** The origins whose pages can send events. Each is `scheme://host[:port]`. `https://*.example.com`, `http://localhost:*` and `*` are patterns. `[]` refuses every browser. */
allowedOrigins: (string)[];
/** The framework whose example the install page shows first, such as `nextjs`. */
frameworkHint: string | null;
/** False: bootstrap and events are refused. */
isActive: boolean;
/** Ingest requests without an Origin or Referer header are refused, unless they have a token. */
requireOrigin: boolean;
privacy: Schemas["Privacy"];
/** The snippets load the client with its optional part `engagement`, which measures time on page and scroll depth. */
engagement: boolean;
/** The goals that stats can count. Each has either an event name or a path pattern. */
goals: (Schemas["Goal"])[];
/** Groups of pages for stats. A page belongs to the first one that it matches. */
contentGroups: ({
/** The group's name, which is the value of the `contentGroup` dimension. */
name: string;
/** A page whose path matches one of these patterns belongs to the group. */
paths: (string)[];
})[];
/** What happens to bots' events. `apart`: they are stored, marked, and left out of stats by default. `reject`: they are not stored. `keep`: they are stored unmarked. */
bots: "apart" | "reject" | "keep";
/** Events of pages whose path matches one of these patterns are rejected. */
excludedPaths: (string)[];
/** Events from these addresses are rejected, unless they have a token. Each entry is an IPv4 or IPv6 address or a CIDR range, such as 203.0.113.0/24. */
excludedAddresses: (string)[];
/** Which query parameters are stored in addresses of pages. `all`; `campaign`: those that name a campaign, such as utm_source; or a list of names. Values of secret parameters are masked in any case. */
queryParameters: "all" | "campaign" | (string)[];
/** How paths are changed before they are stored, so that one page has one path. */
pathRules: {
/** `/shop/index.html` becomes `/shop/`. */
removeIndex: boolean;
/** `/shop/` becomes `/shop`, and `//shop` becomes `/shop`. */
removeTrailingSlash: boolean;
/** `/Shop` becomes `/shop`. */
lowerCase: boolean;
/** A path becomes the first pattern that matches it: `/orders/17` becomes `/orders/*`. */
patterns: (string)[];
};
/** The source's own rules for sources and channels. The first one that matches a visit wins over the service's lists. */
channelRules: (Schemas["ChannelRule"])[];
/** Events older than this many days are deleted from the warehouse; null: events are kept forever. */
retentionDays: number | null;
/** Days to keep rejected events for replay. 0: the source keeps none, and kept events are deleted. */
keepRejected: number;
/** The origins whose pages can show the source's share links in a frame, in the form of `allowedOrigins`. Empty: none can. */
embedOrigins: (string)[];
limits: Schemas["SourceLimits"];
/** When the previous public key stops working; null: there is none. */
previousKeyExpiresAt: Schemas["Timestamp"] | null;
/** When the public key was last replaced; null: never. */
publicKeyRotatedAt: Schemas["Timestamp"] | null;
/** When bootstrap last succeeded; null: never. */
lastBootstrapAt: Schemas["Timestamp"] | null;
/** When an event was last accepted; null: never. */
lastEventAt: Schemas["Timestamp"] | null;
/** When the source was created. */
createdAt: Schemas["Timestamp"];
/** When the source was last changed. */
updatedAt: Schemas["Timestamp"];
};
SourceList: {
/** The sources of this page. */
sources: ({
/** The id of the source. */
sourceId: string;
/** The workspace that the source belongs to. */
organizationId: string;
/** The key that pages send events with. It is public, and identifies the source. */
publicKey: string;
/** The name that people see. */
name: string;
/** A short name for addresses, unique within the workspace. */
slug: string;
/** The origins whose pages can send events. Each is `scheme://host[:port]`. `https://*.example.com`, `http://localhost:*` and `*` are patterns. `[]` refuses every browser. */
allowedOrigins: (string)[];
/** The framework whose example the install page shows first, such as `nextjs`. */
frameworkHint: string | null;
/** False: bootstrap and events are refused. */
isActive: boolean;
/** Ingest requests without an Origin or Referer header are refused, unless they have a token. */
requireOrigin: boolean;
privacy: Schemas["Privacy"];
/** The snippets load the client with its optional part `engagement`, which measures time on page and scroll depth. */
engagement: boolean;
/** The goals that stats can count. Each has either an event name or a path pattern. */
goals: (Schemas["Goal"])[];
/** Groups of pages for stats. A page belongs to the first one that it matches. */
contentGroups: ({
/** The group's name, which is the value of the `contentGroup` dimension. */
name: string;
/** A page whose path matches one of these patterns belongs to the group. */
paths: (string)[];
})[];
/** What happens to bots' events. `apart`: they are stored, marked, and left out of stats by default. `reject`: they are not stored. `keep`: they are stored unmarked. */
bots: "apart" | "reject" | "keep";
/** Events of pages whose path matches one of these patterns are rejected. */
excludedPaths: (string)[];
/** Events from these addresses are rejected, unless they have a token. Each entry is an IPv4 or IPv6 address or a CIDR range, such as 203.0.113.0/24. */
excludedAddresses: (string)[];
/** Which query parameters are stored in addresses of pages. `all`; `campaign`: those that name a campaign, such as utm_source; or a list of names. Values of secret parameters are masked in any case. */
queryParameters: "all" | "campaign" | (string)[];
/** How paths are changed before they are stored, so that one page has one path. */
pathRules: {
/** `/shop/index.html` becomes `/shop/`. */
removeIndex: boolean;
/** `/shop/` becomes `/shop`, and `//shop` becomes `/shop`. */
removeTrailingSlash: boolean;
/** `/Shop` becomes `/shop`. */
lowerCase: boolean;
/** A path becomes the first pattern that matches it: `/orders/17` becomes `/orders/*`. */
patterns: (string)[];
};
/** The source's own rules for sources and channels. The first one that matches a visit wins over the service's lists. */
channelRules: (Schemas["ChannelRule"])[];
/** Events older than this many days are deleted from the warehouse; null: events are kept forever. */
retentionDays: number | null;
/** Days to keep rejected events for replay. 0: the source keeps none, and kept events are deleted. */
keepRejected: number;
/** The origins whose pages can show the source's share links in a frame, in the form of `allowedOrigins`. Empty: none can. */
embedOrigins: (string)[];
limits: Schemas["SourceLimits"];
/** When the previous public key stops working; null: there is none. */
previousKeyExpiresAt: Schemas["Timestamp"] | null;
/** When the public key was last replaced; null: never. */
publicKeyRotatedAt: Schemas["Timestamp"] | null;
/** When bootstrap last succeeded; null: never. */
lastBootstrapAt: Schemas["Timestamp"] | null;
/** When an event was last accepted; null: never. */
lastEventAt: Schemas["Timestamp"] | null;
/** When the source was created. */
createdAt: Schemas["Timestamp"];
/** When the source was last changed. */
updatedAt: Schemas["Timestamp"];
/** The health of the source. */
health: {
/** `failing`: requests are refused. `quiet`: nothing was accepted for 24 hours. `receiving`: events arrive. `waiting`: nothing arrived yet. `off`: the source is inactive. Without `debug:read` no source is `failing`. */
status: "failing" | "quiet" | "receiving" | "waiting" | "off";
/** The counts for the last 24 hours; null: the caller does not have `debug:read`. */
last24h: {
/** Events that were stored. */
accepted: number;
/** Events that had been stored before. */
duplicates: number;
/** Events that were not stored. */
rejected: number;
/** Requests that were refused. */
failed: number;
} | null;
/** The most frequent code of a refusal or of a rejected event in these hours. */
topCode: string | null;
};
})[];
/** The `cursor` of the next page; null: this is the last page. */
nextCursor: string | null;
/** How many of the sources that the search finds have each status. */
statuses: {
/** Sources with this status. */
failing: number;
/** Sources with this status. */
quiet: number;
/** Sources with this status. */
receiving: number;
/** Sources with this status. */
waiting: number;
/** Sources with this status. */
off: number;
};
};
Goal: {
/** The name of the goal, unique within the source. */
name: string;
/** An event with this name reaches the goal. */
event: string | null;
/** A view of a page whose path matches this pattern reaches the goal. */
path: string | null;
/** Conditions on the properties of the event. An event that reaches the goal satisfies all of them. */
conditions: ({
/** The name of a property of the event. */
property: string;
/** How the property is compared with the value. `gt` and `lt` compare numbers; `contains` compares strings. */
operator: "is" | "is_not" | "contains" | "gt" | "lt";
/** The value. The number 1 and the string "1" are different. */
value: string | number | boolean;
})[];
/** The value of a conversion that has no revenue of its own. null: none. */
value: {
/** The amount, with at most four decimal places. */
amount: number;
/** An ISO 4217 code, such as EUR. Stored in capital letters. */
currency: string;
} | null;
};
GoalInput: {
/** The name of the goal, unique within the source. */
name: string;
/** An event with this name reaches the goal. */
event?: string | null;
/** A view of a page whose path matches this pattern reaches the goal. */
path?: string | null;
/** Conditions on the properties of the event. An event that reaches the goal satisfies all of them. */
conditions?: ({
/** The name of a property of the event. */
property: string;
/** How the property is compared with the value. `gt` and `lt` compare numbers; `contains` compares strings. */
operator: "is" | "is_not" | "contains" | "gt" | "lt";
/** The value. The number 1 and the string "1" are different. */
value: string | number | boolean;
})[];
/** The value of a conversion that has no revenue of its own. null: none. */
value?: {
/** The amount, with at most four decimal places. */
amount: number;
/** An ISO 4217 code, such as EUR. Stored in capital letters. */
currency: string;
} | null;
};
/** How paths are changed before they are stored, so that one page has one path. */
PathRulesInput: {
/** `/shop/index.html` becomes `/shop/`. */
removeIndex?: boolean;
/** `/shop/` becomes `/shop`, and `//shop` becomes `/shop`. */
removeTrailingSlash?: boolean;
/** `/Shop` becomes `/shop`. */
lowerCase?: boolean;
/** A path becomes the first pattern that matches it: `/orders/17` becomes `/orders/*`. */
patterns?: (string)[];
};
ChannelRule: {
/** What the pattern is compared with: the referrer's host without www., the source as the lists name it, utm_medium or utm_campaign. */
field: "referrer" | "source" | "medium" | "campaign";
/** `*` matches any characters. Case does not matter. A visit without the value matches no pattern. */
pattern: string;
/** The source of the visit; null: as without the rule. */
source: string | null;
/** The channel of the visit; null: as without the rule. */
channel: "Direct" | "Organic Search" | "Paid Search" | "Organic Social" | "Paid Social" | "Organic Video" | "Paid Video" | "Organic Shopping" | "Paid Shopping" | "Cross-network" | "Display" | "Paid Other" | "AI" | "Email" | "Affiliates" | "Referral" | "Audio" | "SMS" | "Mobile Push Notifications" | "Unassigned" | null;
};
Privacy: {
/** Visitors with Global Privacy Control are not counted unless the page reports consent. */
respectGpc: boolean;
/** Nothing is counted or stored in the browser before the page reports consent. */
requireConsent: boolean;
};
SourceLimits: {
/** Events in a batch; null: the service's default. */
maxBatchSize: number | null;
/** Bytes of a body after decompression; null: the service's default. */
maxPayloadBytes: number | null;
/** Requests per second from one client address; null: the service's default. */
clientRatePerSecond: number | null;
/** Accepted events a UTC day. A lower setting of the service applies instead; null: the service's setting. */
eventsPerDay: number | null;
/** Bytes of the bodies of requests that stored something, a UTC day. A lower setting of the service applies instead; null: the service's setting. */
bytesPerDay: number | null;
};
CreateSource: {
/** The id of the workspace. */
organizationId: string;
/** 1 to 120 characters after trimming, without control characters */
name: string;
/** Words of lower-case letters (a to z) and digits, joined by single hyphens, such as my-shop. */
slug?: string | null;
/** The origins whose pages can send events. Each is `scheme://host[:port]`. `https://*.example.com`, `http://localhost:*` and `*` are patterns. `[]` refuses every browser. */
allowedOrigins?: (string)[];
/** A framework's name of at most 64 letters, digits, dots, hyphens and underscores, such as nextjs. */
frameworkHint?: string | null;
/** False: bootstrap and events are refused. */
isActive?: boolean;
/** Ingest requests without an Origin or Referer header are refused, unless they have a token. */
requireOrigin?: boolean;
/** The privacy rules that pages follow. */
privacy?: {
/** Visitors with Global Privacy Control are not counted unless the page reports consent. */
respectGpc?: boolean;
/** Nothing is counted or stored in the browser before the page reports consent. */
requireConsent?: boolean;
};
/** The snippets load the client with its optional part `engagement`, which measures time on page and scroll depth. */
engagement?: boolean;
/** The goals that stats can count. Each has either an event name or a path pattern. */
goals?: (Schemas["GoalInput"])[];
/** Groups of pages for stats. A page belongs to the first one that it matches. */
contentGroups?: ({
/** The group's name, which is the value of the `contentGroup` dimension. */
name: string;
/** A page whose path matches one of these patterns belongs to the group. */
paths: (string)[];
})[];
/** What happens to bots' events. `apart`: they are stored, marked, and left out of stats by default. `reject`: they are not stored. `keep`: they are stored unmarked. */
bots?: "apart" | "reject" | "keep";
/** Events of pages whose path matches one of these patterns are rejected. */
excludedPaths?: (string)[];
/** Events from these addresses are rejected, unless they have a token. Each entry is an IPv4 or IPv6 address or a CIDR range, such as 203.0.113.0/24. */
excludedAddresses?: (string)[];
/** Which query parameters are stored in addresses of pages. `all`; `campaign`: those that name a campaign, such as utm_source; or a list of names. Values of secret parameters are masked in any case. */
queryParameters?: "all" | "campaign" | (string)[];
pathRules?: Schemas["PathRulesInput"];
/** The source's own rules for sources and channels. The first one that matches a visit wins over the service's lists. */
channelRules?: (Schemas["ChannelRule"])[];
/** Events older than this many days are deleted from the warehouse; null: events are kept forever. */
retentionDays?: number | null;
/** Days to keep rejected events for replay. 0: the source keeps none, and kept events are deleted. */
keepRejected?: number;
/** The origins whose pages can show the source's share links in a frame, in the form of `allowedOrigins`. Empty: none can. */
embedOrigins?: (string)[];
};
UpdateSource: {
/** The workspace of the source. */
organizationId: string;
/** 1 to 120 characters after trimming, without control characters */
name?: string;
/** Words of lower-case letters (a to z) and digits, joined by single hyphens, such as my-shop. */
slug?: string;
/** The origins whose pages can send events. Each is `scheme://host[:port]`. `https://*.example.com`, `http://localhost:*` and `*` are patterns. `[]` refuses every browser. */
allowedOrigins?: (string)[];
/** A framework's name of at most 64 letters, digits, dots, hyphens and underscores, such as nextjs. */
frameworkHint?: string | null;
/** False: bootstrap and events are refused. */
isActive?: boolean;
/** Ingest requests without an Origin or Referer header are refused, unless they have a token. */
requireOrigin?: boolean;
/** The privacy rules that pages follow. */
privacy?: {
/** Visitors with Global Privacy Control are not counted unless the page reports consent. */
respectGpc?: boolean;
/** Nothing is counted or stored in the browser before the page reports consent. */
requireConsent?: boolean;
};
/** The snippets load the client with its optional part `engagement`, which measures time on page and scroll depth. */
engagement?: boolean;
/** The goals that stats can count. Each has either an event name or a path pattern. */
goals?: (Schemas["GoalInput"])[];
/** Groups of pages for stats. A page belongs to the first one that it matches. */
contentGroups?: ({
/** The group's name, which is the value of the `contentGroup` dimension. */
name: string;
/** A page whose path matches one of these patterns belongs to the group. */
paths: (string)[];
})[];
/** What happens to bots' events. `apart`: they are stored, marked, and left out of stats by default. `reject`: they are not stored. `keep`: they are stored unmarked. */
bots?: "apart" | "reject" | "keep";
/** Events of pages whose path matches one of these patterns are rejected. */
excludedPaths?: (string)[];
/** Events from these addresses are rejected, unless they have a token. Each entry is an IPv4 or IPv6 address or a CIDR range, such as 203.0.113.0/24. */
excludedAddresses?: (string)[];
/** Which query parameters are stored in addresses of pages. `all`; `campaign`: those that name a campaign, such as utm_source; or a list of names. Values of secret parameters are masked in any case. */
queryParameters?: "all" | "campaign" | (string)[];
pathRules?: Schemas["PathRulesInput"];
/** The source's own rules for sources and channels. The first one that matches a visit wins over the service's lists. */
channelRules?: (Schemas["ChannelRule"])[];
/** Events older than this many days are deleted from the warehouse; null: events are kept forever. */
retentionDays?: number | null;
/** Days to keep rejected events for replay. 0: the source keeps none, and kept events are deleted. */
keepRejected?: number;
/** The origins whose pages can show the source's share links in a frame, in the form of `allowedOrigins`. Empty: none can. */
embedOrigins?: (string)[];
/** The limits that the source sets for itself. */
limits?: {
/** Events in a batch; null: the service's default. */
maxBatchSize?: number | null;
/** Bytes of a body after decompression; null: the service's default. */
maxPayloadBytes?: number | null;
/** Requests per second from one client address; null: the service's default. */
clientRatePerSecond?: number | null;
/** Accepted events a UTC day. A lower setting of the service applies instead; null: the service's setting. */
eventsPerDay?: number | null;
/** Bytes of the bodies of requests that stored something, a UTC day. A lower setting of the service applies instead; null: the service's setting. */
bytesPerDay?: number | null;
};
/** Read-only. The source's own value is ignored, any other is refused. */
sourceId?: string;
/** Read-only. The source's own value is ignored, any other is refused. */
publicKey?: string;
/** Read-only. Ignored, since the service may have changed it. */
createdAt?: Schemas["Timestamp"] | null;
/** Read-only. Ignored, since the service may have changed it. */
updatedAt?: Schemas["Timestamp"] | null;
/** Read-only. Ignored, since the service may have changed it. */
previousKeyExpiresAt?: Schemas["Timestamp"] | null;
/** Read-only. Ignored, since the service may have changed it. */
publicKeyRotatedAt?: Schemas["Timestamp"] | null;
/** Read-only. Ignored, since the service may have changed it. */
lastBootstrapAt?: Schemas["Timestamp"] | null;
/** Read-only. Ignored, since the service may have changed it. */
lastEventAt?: Schemas["Timestamp"] | null;
/** Read-only. Ignored. */
health?: unknown;
};
DeletedSource: {
/** The id of the source. */
sourceId: string;
/** When it was deleted. */
deletedAt: Schemas["Timestamp"];
};
RegenerateKey: {
/** The source's workspace; 404 for any other. */
organizationId?: string;
/** How long the old key still works. 0: it stops working within a second. */
gracePeriodSeconds?: number;
};
RestoreKey: {
/** The source's workspace; 404 for any other. */
organizationId?: string;
/** A retired key of the source. */
publicKey: string;
/** How long the key works again. */
gracePeriodSeconds: number;
};
EventCatalog: {
/** At most 500 event names, by name. */
events: (Schemas["CatalogEvent"])[];
/** Accepted events with other names. */
otherEvents: number;
};
/** The accepted events of one name. */
CatalogEvent: {
/** The name under which the events are stored. */
name: string;
/** Accepted events. */
events: number;
/** When the first of them was received. */
firstSeenAt: Schemas["Timestamp"];
/** When the last of them was received. */
lastSeenAt: Schemas["Timestamp"];
/** How many of these events had their properties read. */
sampledEvents: number;
/** At most 100 properties of the sampled events, by name. */
properties: ({
/** The name of the property, masked like the debug history. */
name: string;
/** The types of its values, the most frequent first. */
types: ("string" | "number" | "boolean" | "null" | "object" | "array")[];
/** The share of the sampled events that have the property. */
coverage: number;
/** Short values that at least three sessions sent, as masked JSON. */
examples: (string)[];
})[];
/** The `sdkVersion` of clients that sent sampled events. */
clientVersions: (string)[];
/** Paths of pages on which at least three sessions sent sampled events. */
pages: (string)[];
};
/** A tracking plan. */
TrackingPlan: {
/** What happens to an event that violates the plan. `off`: nothing. `warn`: it is accepted with the warning `plan_violation`. `reject`: it is rejected with the code `plan_violation`. */
mode: "off" | "warn" | "reject";
/** How `track` events whose name is not in the plan are treated, unless `mode` is `off`. */
unknownEvents: "allow" | "warn" | "reject";
/** The planned events by name. Page views have the name `page_view`. */
events: Record<string, Schemas["PlannedEvent"]>;
};
/** What the events of one name should look like. */
PlannedEvent: {
/** The mode of this event; null: that of the plan. */
mode?: "off" | "warn" | "reject" | null;
/** A JSON Schema (2020-12) of the event's `properties`. docs/api/tracking-plan.md lists the keywords. */
schema: Record<string, unknown>;
};
PlanVersion: {
/** The number of the version; 0: the source has no plan. */
version: number;
/** When the version was saved; null: the source has no plan. */
createdAt: Schemas["Timestamp"] | null;
/** Who saved it. Another user's id is only for callers with `members:manage`. */
userId: string | null;
/** The token with which it was saved. */
tokenId: string | null;
plan: Schemas["TrackingPlan"];
};
PlanVersionList: {
/** The last 50 versions, the newest first. */
versions: ({
/** The number of the version; 0: the source has no plan. */
version: number;
/** When the version was saved; null: the source has no plan. */
createdAt: Schemas["Timestamp"] | null;
/** Who saved it. Another user's id is only for callers with `members:manage`. */
userId: string | null;
/** The token with which it was saved. */
tokenId: string | null;
})[];
};
PlanProposal: {
/** The current version of the plan. Save the proposal with it as `baseVersion`. */
version: number;
plan: Schemas["TrackingPlan"];
/** The events that the current plan does not have, the most frequent first. */
addedEvents: (string)[];
/** Further events in the catalogue for which the plan has no room. */
leftOut: number;
};
SavePlan: {
/** The source's workspace; 404 for any other. */
organizationId?: string;
/** The version that was edited. If another one is current, the response is 409. null: not checked. */
baseVersion?: number | null;
plan: Schemas["TrackingPlan"];
};
CreateSavedItem: {
/** The source's workspace; 404 for any other. */
organizationId?: string;
/** `segment`: filters with a name. `funnel`: steps with a name. `annotation`: a note on a day, which the chart shows. */
kind: "segment" | "funnel" | "annotation";
/** Its name, or the text of an annotation. */
name: string;
/** True: all members of the workspace can see it, which needs `sources:write`. Default: only you can. */
shared?: boolean;
/** Required for a segment, and only allowed there. */
filters?: (Schemas["Filter"])[] | null;
/** Required for a funnel, and only allowed there. */
steps?: (Schemas["StatsGoal"])[] | null;
/** For a funnel: the time for all steps. Default: one day. */
windowSeconds?: number | null;
/** Required for an annotation, and only allowed there. */
day?: string | null;
};
SavedItem: {
/** Its id. */
savedId: string;
/** `segment`: filters with a name. `funnel`: steps with a name. `annotation`: a note on a day, which the chart shows. */
kind: "segment" | "funnel" | "annotation";
/** Its name, or the text of an annotation. */
name: string;
/** True: all members of the workspace can see it. */
shared: boolean;
/** Who saved it. null: another user, whom only callers with `members:manage` can see. */
userId: string | null;
/** When it was saved. */
createdAt: Schemas["Timestamp"];
/** The filters of a segment; null for other kinds. */
filters: (Schemas["Filter"])[] | null;
/** The steps of a funnel; null for other kinds. */
steps: (Schemas["StatsGoal"])[] | null;
/** For a funnel; null: one day. */
windowSeconds: number | null;
/** The day of an annotation; null for other kinds. */
day: string | null;
};
SavedItemList: {
/** Shared items and your own, oldest first. */
items: (Schemas["SavedItem"])[];
};
DeletedSavedItem: {
/** The id of the deleted item. */
savedId: string;
/** When it was deleted. */
deletedAt: Schemas["Timestamp"];
};
CreateReport: {
/** The source's workspace; 404 for any other. */
organizationId?: string;
/** Weeks begin on Monday. */
period: "week" | "month";
/** How the report is sent. */
channel: "email" | "slack";
/** One email address, or the URL of a Slack incoming webhook. */
target: string;
/** A name of the IANA database, such as `Europe/Berlin`. Default: `UTC`. */
timezone?: string;
};
Report: {
/** Its id. */
reportId: string;
/** Weeks begin on Monday. */
period: "week" | "month";
/** How the report is sent. */
channel: "email" | "slack";
/** The email address, or the origin of the webhook and the last characters of its URL. */
target: string;
/** The time zone of its days. */
timezone: string;
/** Who created it. */
userId: string;
/** When it was created. */
createdAt: Schemas["Timestamp"];
/** When sending began; null: the recipient has not agreed yet. */
confirmedAt: Schemas["Timestamp"] | null;
/** When it is sent next; null: the recipient has not agreed yet. */
nextAt: Schemas["Timestamp"] | null;
/** When it was sent last; null: not yet. */
lastSentAt: Schemas["Timestamp"] | null;
/** Why the last attempt to send it failed; null: it did not fail. */
lastError: string | null;
};
ReportList: {
/** Oldest first. */
reports: (Schemas["Report"])[];
/** False: the service has no mail server (SMTP_URL), so it sends no reports by email. */
canMail: boolean;
};
DeletedReport: {
/** The id of the deleted report. */
reportId: string;
/** When it was deleted. */
deletedAt: Schemas["Timestamp"];
};
ReportPreview: {
/** The subject of the email. */
subject: string;
/** The HTML part of the email. */
html: string;
/** The text part of the email. */
text: string;
};
Install: {
/** The source's public key. */
publicKey: string;
/** The address that pages send to. */
apiBaseUrl: string;
/** The version of the ingest API. */
ingestVersion: 2;
/** The HTML to paste into any page. */
browserSnippet: string;
/** An element to add to the `<body>` of a root layout (App Router of Next.js). */
nextjsExample: string;
/** A module for React applications. */
reactExample: string;
/** The debug view of the source. */
debugUrl: string;
/** What to paste into an application of each kind. */
snippets: {
/** A module for Remix 2, and for React Router 7 and later in framework mode. */
remix: string;
/** A module for Vue. */
vue: string;
/** A plugin for Nuxt. */
nuxt: string;
/** A module for Svelte. */
svelte: string;
/** A module for Angular. */
angular: string;
/** A component for Astro. */
astro: string;
/** A module for a server, which needs a token with the scope `ingest`. */
node: string;
/** A command that sends one page view. */
curl: string;
};
/** What the Content-Security-Policy of a page must allow in addition. */
csp: {
/** Add these to script-src. */
scriptSrc: (string)[];
/** Add these to connect-src. */
connectSrc: (string)[];
/** Add this to script-src if the policy allows inline scripts by hash or nonce. Do not add it if the policy uses 'unsafe-inline', which a hash would switch off. */
snippetHash: string;
};
/** Rules that serve the client and ingest under a path of the application's own site. */
proxy: {
/** The path of the site that the rules serve. */
path: string;
/** The browser snippet that loads from that path and sends to it. */
browserSnippet: string;
/** A `proxy.ts` for Next.js. */
nextjs: string;
/** A `location` block for nginx. */
nginx: string;
/** A block for a Caddyfile. */
caddy: string;
/** A Cloudflare Worker. */
cloudflare: string;
};
};
VerifyInstall: {
/** The source's workspace; 404 for any other. */
organizationId?: string;
report: Schemas["PageReport"];
};
TestInstall: {
/** The source's workspace; 404 for any other. */
organizationId?: string;
/** An address that starts with http:// or https://. */
url: string;
};
PageReport: {
/** An address that starts with http:// or https://. */
url: string;
/** Every place in the page that loads the client. */
snippets: (Schemas["PageSnippet"])[];
/** Every Content-Security-Policy of the page, from headers and `<meta>` elements. */
policies: (string)[];
/** Whether the client's script loaded. */
script: "loaded" | "failed" | "unknown";
/** The client's last request; null: there was none. */
request: {
/** The response's status; null: the network or the browser blocked the request. */
status: number | null;
/** The `code` of the response. */
code: string | null;
/** The `attemptId` of the response, which shows that Headwater responded, and not another web server. */
attemptId?: string | null;
} | null;
sentAt: Schemas["Timestamp"];
};
PageSnippet: {
/** `tag`: a script element with an address. `inline`: the pasted snippet. `bundle`: part of the application's own scripts. */
kind: "tag" | "inline" | "bundle";
/** The address of the script; null: it is not known. */
scriptUrl: string | null;
/** The key in the snippet; null: it is not known. */
publicKey: string | null;
/** The address that it sends to; null: it is not known. */
apiBaseUrl: string | null;
/** The nonce of the element, for policies that allow scripts by nonce. */
nonce: string | null;
/** The hash of an inline script's text, `sha256-…`. */
hash: string | null;
};
Verification: {
/** No check is `wrong`, and `reachable` is not `unknown`. */
isWorking: boolean;
/** One entry for each check, always in the same order. */
checks: (Schemas["InstallCheck"])[];
};
InstallCheck: {
/** What was checked. */
check: "page" | "snippet" | "snippet_once" | "key" | "api_address" | "reachable" | "cors" | "source_active" | "origin" | "csp_script" | "csp_connect" | "clock" | "blocked_by_name";
/** The result. `unknown`: the page could not report it. */
status: "ok" | "warning" | "wrong" | "unknown";
/** The result, for people. */
message: string;
/** What to do; null: nothing. */
hint: string | null;
/** The line that fixes the problem; null: there is none. */
paste: string | null;
};
DebugView: {
source: Schemas["Source"];
limits: Schemas["AppliedLimits"];
health: Schemas["SourceHealth"];
/** The last 50 different violations of the tracking plan, the newest first. Each node adds its own every 5 seconds. */
planViolations: ({
/** The name of the events. */
event: string;
/** What violates the plan, such as `properties.price`. */
path: string;
/** What the plan expects there. */
expected: string;
/** The type of what was found last. An attempt's results have the value. */
found: string;
/** How many events violated the plan in this way. */
events: number;
/** When the first of them was received. */
firstSeenAt: Schemas["Timestamp"];
/** When the last of them was received. */
lastSeenAt: Schemas["Timestamp"];
/** The `sdkVersion` of clients that sent them. */
clientVersions: (string)[];
/** Paths of pages from which at least three sessions sent them. */
pages: (string)[];
})[];
/** The stored attempts of the last 24 hours that the filter selects, by origin, outcome and code, the most frequent first. */
requestGroups: ({
/** The origin of the page. */
origin: string | null;
/** The outcome of the requests. */
outcome: "succeeded" | "partial" | "failed" | "test";
/** The code of the refusals, or of the first rejected event of each request. */
code: string | null;
/** How many stored attempts have these three. */
requests: number;
/** When the last of them was received. */
lastSeenAt: Schemas["Timestamp"];
})[];
/** Attempts to bootstrap, newest first. */
bootstrapAttempts: (Schemas["Attempt"])[];
/** Attempts to send events, newest first. */
eventAttempts: (Schemas["Attempt"])[];
/** The `cursor` of the next page; null: this is the last page. */
nextCursor: string | null;
};
Attempt: {
/** The attempt's id. It is also in the request's response. */
attemptId: string;
/** The request's route. */
kind: "bootstrap" | "events";
/** When the request arrived. */
receivedAt: Schemas["Timestamp"];
/** How long the service worked on it. */
durationMs: number;
/** The response's status. */
httpStatus: number;
/** `partial`: some events were rejected. `failed`: nothing was stored. `test`: a request from the doctor or a page test, which is not counted. */
outcome: "succeeded" | "partial" | "failed" | "test";
/** The code of the refusal, or of the first rejected event. */
code: string | null;
/** What was wrong. */
message: string | null;
/** What to change, with the value to paste. */
hint: string | null;
/** The origin of the page. */
origin: string | null;
/** The request used a route without `/v2`. */
legacy: boolean;
/** The request's compatible endpoint; null: it used Headwater's own. */
endpoint: "segment" | "plausible" | "umami" | "ga4" | "matomo" | null;
/** The state of the request's key at that time. `previous`: replaced, but still accepted. `retired`: no longer accepted. */
keyState: "current" | "previous" | "retired";
/** The request's key. */
publicKey: string | null;
/** The trace that the request's `traceparent` named. */
traceId: string | null;
/** The version of the client. */
sdkVersion: string | null;
/** The version of the ingest API in the body. */
ingestVersion: number | null;
/** The user agent of the client. */
userAgent: string | null;
/** The id of the batch. */
batchId: string | null;
/** When the client sent the request, by its own clock. */
sentAt: string | null;
/** How far the client's clock is behind. */
clockSkewMs: number | null;
/** Bytes of the body after decompression. */
payloadBytes: number;
/** The session of the request. */
sessionId: string | null;
/** The visitor of the request. */
anonymousId: string | null;
/** The signed-in user of the request. */
userId: string | null;
/** Events that were stored. */
accepted: number;
/** Events that had been stored before. */
duplicates: number;
/** Events that were not stored. */
rejected: number;
/** The fields that are not valid. */
issues: (Schemas["Issue"])[];
/** The source's limit that refused the request; null: none did. */
limit: {
/** The limit's name in the source's `limits`. */
name: "maxBatchSize" | "maxPayloadBytes" | "clientRatePerSecond" | "eventsPerDay" | "bytesPerDay";
/** The limit. */
value: number;
/** The request's value; null: it is not known. */
actual: number | null;
} | null;
/** The body, masked. If it is not JSON: its beginning as text. */
raw: unknown;
/** What the service read from the body: the events in their stored form. */
normalized: unknown;
/** `raw`, `normalized` or `results` were longer than 16 KiB and are cut. */
truncated: boolean;
/** The outcome of each event. */
results: (Schemas["EventResult"])[];
};
AppliedLimits: {
/** Events in a batch. */
maxBatchSize: number;
/** Bytes of a body after decompression. */
maxPayloadBytes: number;
/** Bytes of one event. */
maxEventBytes: number;
/** The greatest age of an event. */
maxEventAgeSeconds: number;
/** How long the id of an event is remembered. */
dedupWindowSeconds: number;
/** A session ends after this time without activity. */
sessionTimeoutSeconds: number;
/** The rate limits of ingest. */
requestRate: {
/** Requests from one client address to the source. */
client: {
/** Requests a second, over time. */
perSecond: number;
/** Requests that can come at once. */
burst: number;
};
/** Requests to the source. */
source: {
/** Requests a second, over time. */
perSecond: number;
/** Requests that can come at once. */
burst: number;
};
};
/** Bytes of bodies from one client address a second; null: no limit. */
clientBytesPerSecond: number | null;
/** Characters of `sdkVersion` and of the ids of a session, visitor, user or batch. A body with a longer one is refused. */
maxEnvelopeIdLength: number;
/** Characters of an event's `id`. An event with a longer one is rejected. */
maxEventIdLength: number;
/** Characters of an event's `name`. An event with a longer one is rejected. */
maxEventNameLength: number;
/** Keys of `properties`. An event with more is rejected. */
maxProperties: number;
/** Nesting of `properties`, `context` and `page`. Deeper properties are rejected, the others cut. */
maxDepth: number;
/** Characters of a string in `properties`. Longer ones are cut. */
maxPropertyStringLength: number;
/** Bytes of a `page`. Of a larger one, only the known members are kept. */
maxPageBytes: number;
/** Bytes of a `context`. Of a larger one, only the known members are kept. */
maxContextBytes: number;
/** Bytes of a body's `context` times its events. Of a larger one, only the known members are kept. */
maxSharedContextBytes: number;
/** Characters of a URL, path or referrer. Longer ones are cut. */
maxUrlLength: number;
/** Characters of a title. Longer ones are cut. */
maxTitleLength: number;
/** The greatest amount of revenue. A greater amount is not counted. */
maxRevenue: number;
/** The greatest number of seconds of an engagement event. */
maxEngagedSeconds: number;
/** How far in the future an event may be. One further ahead is rejected. */
maxFutureSeconds: number;
/** An event further in the future gets the time of receipt. */
futureClampSeconds: number;
/** Events of a session are refused after this time without activity. */
sessionIdleForEventsSeconds: number;
/** Events of a session are refused when it is older. */
sessionAgeForEventsSeconds: number;
/** What the source, and all sources of the workspace together, can store in a UTC day. */
dailyQuota: {
source: Schemas["DailyQuota"];
workspace: Schemas["DailyQuota"];
};
};
DailyQuota: {
/** Accepted events; null: no limit. */
events: number | null;
/** Decompressed bytes of the bodies of requests that stored something; null: no limit. */
bytes: number | null;
};
/** The health of the source, computed from all its attempts. */
SourceHealth: {
/** `waiting`: nothing arrived yet. `receiving`: events arrive. `failing`: requests are refused. */
status: "waiting" | "receiving" | "failing";
/** When bootstrap last succeeded; null: never. */
lastBootstrapAt: Schemas["Timestamp"] | null;
/** When an event was last accepted; null: never. */
lastEventAt: Schemas["Timestamp"] | null;
/** The counts for the last 24 hours. */
last24h: {
/** Events that were stored. */
accepted: number;
/** Events that had been stored before. */
duplicates: number;
/** Events that were not stored. */
rejected: number;
/** Requests that were refused. */
failed: number;
/** Events that violated the tracking plan, accepted or rejected. */
planViolations: number;
/** Requests that are counted but not listed. In busy seconds the debug view lists a sample. */
notListed: number;
};
/** The most frequent codes. */
topCodes: ({
/** The code of a refusal or of a rejected event. */
code: string;
/** How often it occurred. */
count: number;
/** When it last occurred. */
lastSeenAt: Schemas["Timestamp"];
/** What to change. */
hint: string;
})[];
/** Problems that refuse no request yet. */
warnings: ({
/** The code of the warning. */
code: string;
/** What is wrong. */
message: string;
/** What to change. */
hint: string;
})[];
};
DeliveryStatement: {
/** The source. */
sourceId: string;
/** The first day. */
from: string;
/** The last day. */
to: string;
/** When the statement was computed. */
computedAt: Schemas["Timestamp"];
/** One row a day, the first day first. */
days: (Schemas["DeliveryDay"])[];
/** Null: the query has no `by`. */
values: ({
/** The value of the dimension; null: unknown. */
value: string | null;
/** Events that arrived from clients that number them. */
accepted: number;
/** Events that were dropped or are missing. */
lost: number;
})[] | null;
/** `v1=`, then an HMAC-SHA256 in hexadecimal. The key is ALERT_WEBHOOK_SECRET, and the message is the JSON of this object without `signature`. null: the setting is not set. */
signature: string | null;
};
/** The events of one UTC day. Of expired events, only the number is known. */
DeliveryDay: {
/** The day of `occurredAt`, in UTC. */
day: string;
/** Accepted + rejected + dropped + missing + stillPossible. */
produced: number;
/** Events that the service accepted: inWarehouse + lostInWarehouse + erased + expired + waiting. */
accepted: number;
/** Events that the service rejected, by code, as their clients report them. */
rejected: Record<string, number>;
/** Events that the clients lost, by cause, as they report them. */
dropped: Record<string, number>;
/** Events that a client numbered and that can no longer arrive. */
missing: number;
/** Events that a client numbered and that may still wait in its queue. */
stillPossible: number;
/** Accepted events that the warehouse has. */
inWarehouse: number;
/** Accepted events that the warehouse should have but does not. */
lostInWarehouse: number;
/** Accepted events that were erased with their visitors. */
erased: number;
/** Accepted events that the source's retention has deleted. */
expired: number;
/** Accepted events on their way to the warehouse. */
waiting: number;
};
OpenAlerts: {
/** The newest first. */
alerts: (Schemas["OpenAlert"])[];
};
OpenAlert: {
/** As the webhook names it. */
type: "source.failing" | "source.quiet" | "source.violating" | "source.events_stopped" | "source.delivery_low";
/** When the service noticed the problem. */
since: Schemas["Timestamp"];
/** For `source.events_stopped`: the names. */
stoppedEvents: (string)[];
/** For `source.delivery_low`. */
delivery: {
/** The UTC day. */
day: string;
/** Events that arrived. */
accepted: number;
/** Events that were lost. */
lost: number;
/** The share that arrived, never rounded up. */
arrivedPercent: number;
} | null;
};
Quarantine: {
/** How many events are kept. */
events: number;
/** The bytes that they take. */
bytes: number;
/** The kept events by code, name and origin, the most frequent first; at most 200. */
groups: ({
/** Why the events were not stored. */
code: "plan_violation" | "timestamp_too_old" | "origin_not_allowed" | "origin_missing" | "rotated_public_key" | "source_inactive" | "quota_exceeded";
/** The name under which the events would be stored, masked. */
name: string;
/** The origin of the page, masked; null: the requests had none. */
origin: string | null;
/** How many events of this kind are kept. */
events: number;
/** When the first of them was received. */
firstReceivedAt: Schemas["Timestamp"];
/** When the last of them was received. */
lastReceivedAt: Schemas["Timestamp"];
})[];
/** Events that were deleted before their time, because the quarantine was full. */
evictedEvents: number;
/** When the last of them was deleted; null: none was. */
lastEvictedAt: Schemas["Timestamp"] | null;
/** Requests whose events were not kept, because too many came at once or the storage failed. */
skippedRequests: number;
/** When the last of them was skipped; null: none was. */
lastSkippedAt: Schemas["Timestamp"] | null;
};
KeptEventList: {
/** The kept events, the newest first. */
events: ({
/** Why the events were not stored. */
code: "plan_violation" | "timestamp_too_old" | "origin_not_allowed" | "origin_missing" | "rotated_public_key" | "source_inactive" | "quota_exceeded";
/** The name under which the events would be stored, masked. */
name: string;
/** The origin of the page, masked; null: the requests had none. */
origin: string | null;
/** When the event was received. */
receivedAt: Schemas["Timestamp"];
/** The event as it was sent, masked; cut if it is longer than 16 KiB. */
event: unknown;
})[];
/** The `cursor` of the next page; null: this is the last page. */
nextCursor: string | null;
};
/** A change of one member of `properties`. */
PropertyEdit: {
/** Renames the property. A property that already has the new name is replaced. */
op: "rename";
/** The name of the property. */
property: string;
/** Its new name. */
to: string;
} | {
/** Converts the value to another type, if possible. */
op: "cast";
/** The name of the property. */
property: string;
/** The type. */
to: "number" | "string" | "boolean";
} | {
/** The property is left out. */
op: "drop";
/** The name of the property. */
property: string;
};
ReplayKeptEvents: {
/** The source's workspace; 404 for any other. */
organizationId?: string;
/** Only events with this code. */
code?: "plan_violation" | "timestamp_too_old" | "origin_not_allowed" | "origin_missing" | "rotated_public_key" | "source_inactive" | "quota_exceeded";
/** Only events with this name, as in a group. */
name?: string;
/** Only events from this origin, as in a group. Empty: those without an origin. */
origin?: string;
/** Changes of `properties`, made in this order before an event is evaluated. */
edits?: (Schemas["PropertyEdit"])[];
};
ReplayTest: {
/** How many kept events are selected. */
selected: number;
/** How many of them were evaluated: at most the oldest 1000. */
evaluated: number;
/** Events that would be accepted, or be duplicates. */
accepted: number;
/** Events that would be rejected, the most frequent reason first. */
rejected: ({
/** Why the events were rejected again. */
code: string;
/** How many events were rejected for this reason. */
events: number;
/** What is wrong with the first of them. */
message: string;
/** The first of them, masked. */
example: unknown;
})[];
};
Replay: {
/** The id of the replay. */
replayId: string;
/** The source. */
sourceId: string;
/** `stopped`: it can be resumed. */
status: "running" | "stopped" | "done";
/** Only events with this code. */
code?: "plan_violation" | "timestamp_too_old" | "origin_not_allowed" | "origin_missing" | "rotated_public_key" | "source_inactive" | "quota_exceeded";
/** Only events with this name, as in a group. */
name?: string;
/** Only events from this origin, as in a group. Empty: those without an origin. */
origin?: string;
/** Changes of `properties`, made in this order before an event is evaluated. */
edits: (Schemas["PropertyEdit"])[];
/** How many kept events were selected when it began. */
selected: number;
/** Events that were stored. */
accepted: number;
/** Events that had been stored before. */
duplicates: number;
/** Events that were rejected again. They are still kept. */
rejected: ({
/** Why the events were rejected again. */
code: string;
/** How many events were rejected for this reason. */
events: number;
})[];
/** When it began. */
requestedAt: Schemas["Timestamp"];
/** When it was done; null: it is not done. */
finishedAt: Schemas["Timestamp"] | null;
};
ReplayList: {
/** The last 100 replays, the newest first. */
replays: (Schemas["Replay"])[];
};
StatsQuery: {
/** The source's workspace; 404 for any other. */
organizationId?: string;
/** The id of the source. */
sourceId?: string;
dateRange: Schemas["DateRange"];
accuracy?: Schemas["StatsAccuracyChoice"];
/** A name of the IANA database, such as `Europe/Berlin`. Default: `UTC`. */
timezone?: string;
/** An event must satisfy all of them. */
filters?: (Schemas["Filter"])[];
/** Several sources of one workspace, instead of `sourceId`. */
sourceIds?: (string)[];
/** `visitors`: distinct anonymous ids. `users`: distinct user ids. `newVisitors`: visitors with an event in a session whose visitorType is new. `returningVisitors`: visitors with an event in a session whose visitorType is returning. `visitors7Days`: visitors of the 7 days that end with the bucket, or with the range. `visitors28Days`: visitors of the 28 days that end with the bucket, or with the range. `dauPerWau`: visitors of a day divided by visitors7Days. It needs the time:day dimension. `dauPerMau`: visitors of a day divided by visitors28Days. It needs the time:day dimension. `wauPerMau`: visitors7Days divided by visitors28Days. It needs the time:day dimension. `sessions`: sessions that begin in the range. A passive event begins no session. `pageviews`: page views. `events`: page views and track events, without passive ones. `passiveEvents`: passive events, which `events` leaves out. `planViolations`: accepted events that violated the tracking plan. `viewsPerSession`: page views divided by sessions. `bounceRate`: share of sessions with one page view and no track event, except for passive ones. `sessionDuration`: mean seconds from the first event of a session to the last one that is not passive, and the engaged seconds reported after it. `conversions`: events that reach the goal. `conversionRate`: share of visitors who reached the goal. `sessionConversionRate`: share of sessions with an event that reaches the goal. `engagedSessions`: sessions with 10 engaged seconds, two page views, or, if the query has a goal, the goal. `engagementRate`: share of sessions that are engaged. `timeOnPage`: mean engaged seconds of a page view. `scrollDepth`: mean of the greatest scroll depth of each page in a session, in percent. `conversionsPerSession`: conversions divided by sessions. `entrances`: sessions that begin on the page. It needs the page dimension. `exits`: sessions whose last page view is the page. It needs the page dimension. `exitRate`: exits divided by page views of the page. It needs the page dimension. `revenue`: sum of the revenue; with a goal, of its conversions only. It needs `currency`, the currency dimension, or a filter for one currency. `averageOrderValue`: mean revenue of the events that have one. It needs what revenue needs. `revenuePerVisitor`: revenue divided by visitors. It needs `currency`. `revenuePerSession`: revenue divided by sessions. It needs `currency`. Of a property: `sum`: sum of the numbers. `avg`: mean of the numbers. `median`: median of the numbers. `p75`: 75th percentile of the numbers. `p90`: 90th percentile of the numbers. `p95`: 95th percentile of the numbers. */
metrics: (Schemas["Metric"])[];
/** `page`: path of the event's page. `host`: host of the event's page. `event`: name of the event; page_view for page views. `sentBy`: server: sent with an ingest token, or by an HTTP library without an Origin; browser: all others. `currency`: currency of the event's revenue (ISO 4217). `folder:1`: first folder of the path: `/blog/` for `/blog/2026/post`, `/` for `/pricing`. `folder:2`: first two folders of the path, or all if it has fewer. `folder:3`: first three folders of the path, or all if it has fewer. `contentGroup`: name of the first of the source's content groups that the path matches. `entryPage`: path of the session's first event. `exitPage`: path of the last page view. `source`: name of the site or campaign that led to the visit, such as Google; null for direct visits. `channel`: channel of the visit, such as Organic Search; never null. `referrer`: host of the referrer. `utmSource`: utm_source. `utmMedium`: utm_medium. `utmCampaign`: utm_campaign. `utmTerm`: utm_term. `utmContent`: utm_content. `clickId`: name of the click id, such as gclid. `device`: type of device: desktop, mobile, tablet, tv, console, wearable, car or xr. `browser`: name of the browser or of the app. `browserVersion`: version of the browser, such as 141. `os`: name of the operating system. `osVersion`: version of the operating system, such as 11 for Windows 11. `screen`: width and height of the screen, such as 1440x900, if the client sends it. `locale`: language and region, such as en-GB. `country`: country code (ISO 3166-1). `region`: English name of the largest subdivision of the country, such as California, if the address file has it. `city`: English name of the city, if the address file has it. `visitorType`: new: a visitor's first visit ever; returning: a later visit; null: the session has only passive events. `firstSource`: source of the visitor's first visit ever. `firstChannel`: channel of the visitor's first visit ever. `firstUtmCampaign`: utm_campaign of the visitor's first visit ever. `firstEntryPage`: path on which the visitor's first visit ever began. `site`: id of the source. `hourOfDay`: hour of the day, from 0 to 23. `dayOfWeek`: day of the week, from 1 for Monday to 7. `goal`: each goal of the source that an event reaches, with the metrics conversions, conversionRate, visitors, revenue, averageOrderValue, revenuePerVisitor, sessionConversionRate, conversionsPerSession, revenuePerSession. */
dimensions?: (Schemas["Dimension"])[];
goal?: Schemas["StatsGoal"];
/** Revenue metrics count only amounts in this currency (ISO 4217). */
currency?: string;
/** Which session gives the values of the dimensions source, channel, utmSource, utmMedium, utmCampaign, utmTerm, utmContent. `firstTouch` and `lastNonDirect` need one of them, and work with the metrics conversions, conversionRate, visitors, revenue. */
attribution?: {
/** `session`: the session of the event. `firstTouch`: the first session of the visitor that began within the window before the event. `lastNonDirect`: the last one that is not direct. Default: `session`. */
model: "session" | "firstTouch" | "lastNonDirect";
/** The window of the other models, in days of 24 hours. Default: 30. */
windowDays?: number;
};
/** How rows are sorted. Default: by time, or else by the first metric, the largest first. */
orderBy?: ({
/** A metric or a dimension of the query. */
field: string;
/** The order. */
direction: "asc" | "desc";
})[];
/** What else to count and return. */
include?: {
/** True: events of bots count too. */
bots?: boolean;
/** False: `excluded` is null, which is faster. Default: true. */
excluded?: boolean;
/** Also return the metrics of another period. true: the mode previous. If the range is not over, only its part until now is compared. */
comparison?: boolean | {
/** Previous: the same number of days just before. year: the same dates a year earlier. custom: `dateRange`. */
mode: "previous" | "year" | "custom";
/** The period to compare with, [from, to), for the mode custom. */
dateRange?: (string)[];
/** Compare each day with the same weekday. previous: earlier by the length of the range, rounded up to whole weeks. year: 52 weeks earlier. */
sameWeekdays?: boolean;
};
/** True: the response has `total`, `other` and each row's share of the total. Not by goal. */
total?: boolean;
};
/** Which rows to return. */
pagination?: {
/** The maximum number of rows. Default: 1500. */
limit?: number;
/** Rows to skip. Default: 0. */
offset?: number;
};
};
StatsResult: {
/** The id of the source. */
sourceId: string;
/** The time zone of the days. */
timezone: string;
/** The start of the range. */
from: Schemas["Timestamp"];
/** The end of the range, exclusive. */
to: Schemas["Timestamp"];
/** True: the warehouse has lost events in the range, so the figures are too low. */
incomplete: boolean;
/** What the figures leave out. */
excluded: {
/** Events of bots. 0 when they are included. */
bots: number;
} | null;
accuracy: Schemas["StatsAccuracy"];
/** The metrics of the query. */
metrics: (string)[];
/** The dimensions of the query. */
dimensions: (string)[];
/** The compared period; null: not requested. */
comparison: {
/** The start of the period. */
from: Schemas["Timestamp"];
/** The end of the period, exclusive. */
to: Schemas["Timestamp"];
} | null;
/** The rows. */
results: (Schemas["StatsRow"])[];
/** The sources of a query over several; null: it covers one. */
sources: {
/** Their ids. */
sourceIds: (string)[];
/** `joined`: a visitor or user with the same id in several sources counts once. */
visitors: "joined";
} | null;
/** The figures of all rows of all pages together; null: not requested. */
total: Schemas["StatsTotal"] | null;
/** The figures of all rows that are not on this page together; null: the page has all of them, or not requested. */
other: Schemas["StatsTotal"] | null;
/** The `offset` of the next rows; null: these are the last. */
nextOffset: number | null;
};
StatsRow: {
/** The values, in the order of the query. null: the value is missing. A time is the start of its bucket. */
dimensions: (string | number | boolean | null)[];
/** The figures, in the order of the query. Rates are from 0 to 1; `sessionDuration` is in seconds. null: undefined, because the divisor is 0 or because the metric cannot be combined over several rows. */
metrics: (number | null)[];
/** The figures of the compared period; null: not requested, or the time bucket has no counterpart. */
comparison: (number | null)[] | null;
/** False: the time bucket is not over, or lies in the range in part only. null: no time dimension. */
complete: boolean | null;
/** Each figure's share of the total; null for rates, means, percentiles, and rolling metrics by time. null: not requested. */
share: (number | null)[] | null;
};
StatsTotal: {
/** The figures, in the order of the query. Rates are from 0 to 1; `sessionDuration` is in seconds. null: undefined, because the divisor is 0 or because the metric cannot be combined over several rows. */
metrics: (number | null)[];
/** Those of the compared period; null: not requested. */
comparison: (number | null)[] | null;
};
/** One of visitors, users, newVisitors, returningVisitors, visitors7Days, visitors28Days, dauPerWau, dauPerMau, wauPerMau, sessions, pageviews, events, passiveEvents, planViolations, viewsPerSession, bounceRate, sessionDuration, conversions, conversionRate, sessionConversionRate, engagedSessions, engagementRate, timeOnPage, scrollDepth, conversionsPerSession, entrances, exits, exitRate, revenue, averageOrderValue, revenuePerVisitor, revenuePerSession, or <sum, avg, median, p75, p90, p95>:<property>. */
Metric: string;
/** One of page, host, event, sentBy, currency, folder:1, folder:2, folder:3, contentGroup, entryPage, exitPage, source, channel, referrer, utmSource, utmMedium, utmCampaign, utmTerm, utmContent, clickId, device, browser, browserVersion, os, osVersion, screen, locale, country, region, city, visitorType, firstSource, firstChannel, firstUtmCampaign, firstEntryPage, site, hourOfDay, dayOfWeek, goal, time:<minute, hour, day, week, month>, or property:<name>. */
Dimension: string;
/** A condition, `{dimension, operator, value}`, or one of `{and: […]}`, `{or: […]}`, `{not: …}` and `{sessionHas: …}`. */
Filter: {
dimension?: Schemas["Dimension"];
/** How the dimension is compared with the value. */
operator?: "is" | "is_not" | "contains" | "matches" | "in" | "gt" | "lt";
/** A list for `in`, one value for every other operator. null matches a missing value. */
value?: string | number | boolean | null | (string | number | boolean | null)[];
/** All of these filters. */
and?: (Schemas["Filter"])[];
/** One of these filters. */
or?: (Schemas["Filter"])[];
/** Not this filter. */
not?: Schemas["Filter"];
/** An event of the same session satisfies this filter. */
sessionHas?: Schemas["Filter"];
};
/** A goal, named in one of three ways. */
StatsGoal: {
/** The name of an event. */
event?: string;
/** A path pattern: a view of a page that matches it. */
page?: string;
/** The name of a goal of the source. */
name?: string;
};
/** Whether the figures are exact. Users, revenue and sums of properties always are. */
StatsAccuracy: {
/** All events of the range were counted. */
exact: true;
} | {
/** The figures are estimated from a sample of the visitors. */
exact: false;
/** The share of the visitors. */
sample: number;
};
/** `exact`: all events are counted. `auto` (default): large ranges are estimated from a sample of the visitors. `fast`: from a smaller sample. */
StatsAccuracyChoice: "auto" | "exact" | "fast";
/** One of today, yesterday, 7d, 30d, 90d, 365d (days that end with today), or [from, to): each a day YYYY-MM-DD in the time zone, or an ISO 8601 time with a UTC offset. */
DateRange: string | (string)[];
FunnelQuery: {
/** The source's workspace; 404 for any other. */
organizationId?: string;
/** The id of the source. */
sourceId: string;
dateRange: Schemas["DateRange"];
accuracy?: Schemas["StatsAccuracyChoice"];
/** A name of the IANA database, such as `Europe/Berlin`. Default: `UTC`. */
timezone?: string;
/** An event must satisfy all of them. */
filters?: (Schemas["Filter"])[];
/** What else to count and return. */
include?: {
/** True: events of bots count too. */
bots?: boolean;
/** False: `excluded` is null, which is faster. Default: true. */
excluded?: boolean;
/** True: steps have `seconds`. Default: false, which is faster. */
times?: boolean;
};
/** The steps that a visitor takes, in order. */
steps: (Schemas["StatsGoal"])[];
/** The maximum time from the first step to the last. Default: one day. */
windowSeconds?: number;
/** `session`: all steps are in one session. Default: `visitor`. */
within?: "visitor" | "session";
/** The dimension of the segments: one of page, host, event, sentBy, currency, folder:1, folder:2, folder:3, contentGroup, entryPage, exitPage, source, channel, referrer, utmSource, utmMedium, utmCampaign, utmTerm, utmContent, clickId, device, browser, browserVersion, os, osVersion, screen, locale, country, region, city, visitorType, firstSource, firstChannel, firstUtmCampaign, firstEntryPage, site, or property:<name>. */
dimension?: string;
/** The maximum number of segments. Default: 5. */
limit?: number;
};
Funnel: {
/** The id of the source. */
sourceId: string;
/** The time zone of the days. */
timezone: string;
/** The start of the range. */
from: Schemas["Timestamp"];
/** The end of the range, exclusive. */
to: Schemas["Timestamp"];
/** True: the warehouse has lost events in the range, so the figures are too low. */
incomplete: boolean;
/** What the figures leave out. */
excluded: {
/** Events of bots. 0 when they are included. */
bots: number;
} | null;
accuracy: Schemas["StatsAccuracy"];
/** The maximum time from the first step to the last. */
windowSeconds: number;
/** The steps, in order. */
steps: ({
/** Visitors who took this step and all before it. */
visitors: number;
/** The share of the visitors of the first step, from 0 to 1. */
shareOfFirst: number | null;
/** The share of the visitors of the step before, from 0 to 1. */
shareOfPrevious: number | null;
/** How long visitors took. null: not requested, the first step, or no visitor took the step. */
seconds: {
/** Seconds from the step before. */
sincePrevious: {
/** The median. */
median: number;
/** The 90th percentile. */
p90: number;
};
/** Seconds from the first step. */
sinceFirst: {
/** The median. */
median: number;
/** The 90th percentile. */
p90: number;
};
} | null;
})[];
/** The same by `dimension`; null: the query has none. */
segments: ({
/** The value. null: it is missing. */
value: string | number | boolean | null;
/** The steps, in order. */
steps: ({
/** Visitors who took this step and all before it. */
visitors: number;
/** The share of the visitors of the first step, from 0 to 1. */
shareOfFirst: number | null;
/** The share of the visitors of the step before, from 0 to 1. */
shareOfPrevious: number | null;
/** How long visitors took. null: not requested, the first step, or no visitor took the step. */
seconds: {
/** Seconds from the step before. */
sincePrevious: {
/** The median. */
median: number;
/** The 90th percentile. */
p90: number;
};
/** Seconds from the first step. */
sinceFirst: {
/** The median. */
median: number;
/** The 90th percentile. */
p90: number;
};
} | null;
})[];
})[] | null;
};
RetentionQuery: {
/** The source's workspace; 404 for any other. */
organizationId?: string;
/** The id of the source. */
sourceId: string;
dateRange: Schemas["DateRange"];
accuracy?: Schemas["StatsAccuracyChoice"];
/** A name of the IANA database, such as `Europe/Berlin`. Default: `UTC`. */
timezone?: string;
/** An event must satisfy all of them. */
filters?: (Schemas["Filter"])[];
/** What else to count. */
include?: {
/** True: events of bots count too. */
bots?: boolean;
/** False: `excluded` is null, which is faster. Default: true. */
excluded?: boolean;
};
/** The length of a period. */
period: "day" | "week" | "month";
/** The cohort of a visitor is the period of: `firstVisit` (default), the first visit ever; `firstInRange`, the first event in the range. */
cohort?: "firstVisit" | "firstInRange";
cohortGoal?: Schemas["StatsGoal"];
returnGoal?: Schemas["StatsGoal"];
};
Retention: {
/** The id of the source. */
sourceId: string;
/** The time zone of the days. */
timezone: string;
/** The start of the range. */
from: Schemas["Timestamp"];
/** The end of the range, exclusive. */
to: Schemas["Timestamp"];
/** True: the warehouse has lost events in the range, so the figures are too low. */
incomplete: boolean;
/** What the figures leave out. */
excluded: {
/** Events of bots. 0 when they are included. */
bots: number;
} | null;
accuracy: Schemas["StatsAccuracy"];
/** The cohorts, oldest first. */
cohorts: ({
/** The start of the cohort's period. */
start: Schemas["Timestamp"];
/** Visitors who came first in this period, with an event in the range. */
visitors: number;
/** Visitors of this cohort in each period, from the cohort's own period to the last of the range. */
returned: (number)[];
})[];
};
PathsQuery: {
/** The source's workspace; 404 for any other. */
organizationId?: string;
/** The id of the source. */
sourceId: string;
dateRange: Schemas["DateRange"];
accuracy?: Schemas["StatsAccuracyChoice"];
/** A name of the IANA database, such as `Europe/Berlin`. Default: `UTC`. */
timezone?: string;
/** An event must satisfy all of them. */
filters?: (Schemas["Filter"])[];
/** What else to count and return. */
include?: {
/** True: events of bots count too. */
bots?: boolean;
/** False: `excluded` is null, which is faster. Default: true. */
excluded?: boolean;
/** True: actions are steps too. Default: false: pages alone. */
events?: boolean;
};
/** A path. Default: the entry page. */
startPage?: string;
/** The name of an event, instead of `startPage`. */
startEvent?: string;
/** The pages and events that the path begins with, in order. Each step counts only the sessions that followed them up to that step. */
through?: (string | {
/** The name of an event. */
event: string;
})[];
/** How many pages. Default: 3. */
steps?: number;
/** Paths of each step. Default: 20. */
limit?: number;
};
Paths: {
/** The id of the source. */
sourceId: string;
/** The time zone of the days. */
timezone: string;
/** The start of the range. */
from: Schemas["Timestamp"];
/** The end of the range, exclusive. */
to: Schemas["Timestamp"];
/** True: the warehouse has lost events in the range, so the figures are too low. */
incomplete: boolean;
/** What the figures leave out. */
excluded: {
/** Events of bots. 0 when they are included. */
bots: number;
} | null;
accuracy: Schemas["StatsAccuracy"];
/** The paths of each step, most frequent first. */
paths: ({
/** The number of the step. */
step: number;
/** The path of the page, or the name of the event. */
from: string;
/** Whether `from` is an event. Only with `include.events`. */
fromEvent?: boolean;
/** What came next; null: the session ended. */
to: string | null;
/** Whether `to` is an event. Only with `include.events`. */
toEvent?: boolean;
/** Sessions that went this way. */
sessions: number;
})[];
};
VisitsQuery: {
/** The source's workspace; 404 for any other. */
organizationId?: string;
/** The id of the source. */
sourceId: string;
dateRange: Schemas["DateRange"];
accuracy?: Schemas["StatsAccuracyChoice"];
/** A name of the IANA database, such as `Europe/Berlin`. Default: `UTC`. */
timezone?: string;
/** An event must satisfy all of them. */
filters?: (Schemas["Filter"])[];
/** What else to count. */
include?: {
/** True: events of bots count too. */
bots?: boolean;
/** False: `excluded` is null, which is faster. Default: true. */
excluded?: boolean;
};
/** Only the visits in which visitors took their last step of this funnel. */
funnel?: {
/** The steps that a visitor takes, in order. */
steps: (Schemas["StatsGoal"])[];
/** The maximum time from the first step to the last. Default: one day. */
windowSeconds?: number;
/** `session`: all steps are in one session. Default: `visitor`. */
within?: "visitor" | "session";
/** How many steps these visitors took, and no more. */
reached: number;
};
/** The maximum number of visits. Default: 25. */
limit?: number;
};
Visits: {
/** The id of the source. */
sourceId: string;
/** The time zone of the days. */
timezone: string;
/** The start of the range. */
from: Schemas["Timestamp"];
/** The end of the range, exclusive. */
to: Schemas["Timestamp"];
/** True: the warehouse has lost events in the range, so the figures are too low. */
incomplete: boolean;
/** What the figures leave out. */
excluded: {
/** Events of bots. 0 when they are included. */
bots: number;
} | null;
accuracy: Schemas["StatsAccuracy"];
/** The visits, the latest active first. */
visits: ({
/** The session. */
sessionId: string;
/** The anonymous id of the visitor. */
anonymousId: string;
/** The user id of the visitor; null: none. */
userId: string | null;
/** When it began. */
startedAt: Schemas["Timestamp"];
/** When its last event that is not passive happened. */
lastActiveAt: Schemas["Timestamp"];
/** How long it lasted until now, with the engaged time after its last event. */
seconds: number;
/** Page views. */
pageviews: number;
/** Actions: events that are neither page views nor passive. */
actions: number;
/** The path of the first page; null: none. */
entryPage: string | null;
/** The path of the last page; null: none. */
lastPage: string | null;
/** The name of the last event that is not passive. */
lastEvent: string;
/** Where the visit came from; null: direct or unknown. */
source: string | null;
/** The channel; null: unknown. */
channel: string | null;
/** The country; null: unknown. */
country: string | null;
/** The region; null: unknown. */
region: string | null;
/** The city; null: unknown. */
city: string | null;
/** The type of the device; null: unknown. */
device: string | null;
/** The operating system; null: unknown. */
os: string | null;
/** The browser; null: unknown. */
browser: string | null;
})[];
};
PropertiesQuery: {
/** The source's workspace; 404 for any other. */
organizationId?: string;
/** The id of the source. */
sourceId: string;
dateRange: Schemas["DateRange"];
accuracy?: Schemas["StatsAccuracyChoice"];
/** A name of the IANA database, such as `Europe/Berlin`. Default: `UTC`. */
timezone?: string;
/** An event must satisfy all of them. */
filters?: (Schemas["Filter"])[];
/** What else to count. */
include?: {
/** True: events of bots count too. */
bots?: boolean;
/** False: `excluded` is null, which is faster. Default: true. */
excluded?: boolean;
};
/** The maximum number of names. Default: 100. */
limit?: number;
};
Properties: {
/** The id of the source. */
sourceId: string;
/** The time zone of the days. */
timezone: string;
/** The start of the range. */
from: Schemas["Timestamp"];
/** The end of the range, exclusive. */
to: Schemas["Timestamp"];
/** True: the warehouse has lost events in the range, so the figures are too low. */
incomplete: boolean;
/** What the figures leave out. */
excluded: {
/** Events of bots. 0 when they are included. */
bots: number;
} | null;
accuracy: Schemas["StatsAccuracy"];
/** The properties, most frequent first. */
properties: ({
/** The name, as in `property:<name>`. Nested properties are joined by dots. */
name: string;
/** Events that have the property, without passive ones. */
events: number;
})[];
};
StatsSource: {
/** The id of the source. */
sourceId: string;
/** The name of the source. */
name: string;
/** When an event was last accepted; null: never. */
lastEventAt: Schemas["Timestamp"] | null;
/** Events that were accepted and that the warehouse has lost; null: none, as far as is known. */
missingEvents: {
/** How many are missing. */
events: number;
/** The first day with missing events, in UTC. */
firstDay: string;
/** The last day with missing events, in UTC. */
lastDay: string;
} | null;
};
LiveVisitors: {
/** The id of the source. */
sourceId: string;
/** When the visitors were counted. */
at: Schemas["Timestamp"];
/** The length of the window that ends then. */
windowSeconds: number;
/** Visitors in the window. */
visitors: number;
/** What the figures leave out. */
excluded: {
/** Events of bots. 0 when they are included. */
bots: number;
};
};
HostSplit: {
/** The id of the source. */
sourceId: string;
/** The time zone of the days. */
timezone: string;
/** The start of the range. */
from: Schemas["Timestamp"];
/** The end of the range, exclusive. */
to: Schemas["Timestamp"];
accuracy: Schemas["StatsAccuracy"];
/** The two hosts with the most such visitors; null: none, or too few to tell. */
split: {
/** The host that they came from. */
fromHost: string;
/** The host that they came to. */
toHost: string;
/** Visitors who came this way and have other ids on the two hosts. */
visitors: number;
/** The option of the client that makes them one visitor on both hosts. */
option: "crossSubdomain" | "linkDomains";
} | null;
};
ListedEvent: {
/** The id that the service gave the event. */
analyticsEventId: string;
/** The id that its sender gave it. */
eventId: string;
/** The type of the event. */
type: string;
/** The name of the event. */
name: string;
/** When it happened. */
occurredAt: Schemas["Timestamp"];
/** When the service received it. */
receivedAt: Schemas["Timestamp"];
/** The session. */
sessionId: string;
/** The anonymous id of the visitor. */
anonymousId: string;
/** The user id of the visitor; null: none. */
userId: string | null;
/** The address of the page; null: none. */
url: string | null;
/** The path of the page; null: none. */
path: string | null;
/** The title of the page; null: none. */
title: string | null;
/** The address that led to the page; null: none. */
referrer: string | null;
/** The source of the visit; null: direct or unknown. */
source: string | null;
/** The channel of the visit; null: unknown. */
channel: string | null;
/** The country; null: unknown. */
country: string | null;
/** The region; null: unknown. */
region: string | null;
/** The city; null: unknown. */
city: string | null;
/** The type of the device; null: unknown. */
device: string | null;
/** The operating system; null: unknown. */
os: string | null;
/** The browser; null: unknown. */
browser: string | null;
/** The sender is a bot. */
isBot: boolean;
/** The event, such as an engagement report, opens no session and is not an action. */
passive: boolean;
/** `browser` or `server`. */
sentBy: string;
/** The properties. */
properties: Record<string, unknown>;
/** The context. */
context: Record<string, unknown>;
};
StoredEvents: {
/** The events of this page, in the requested order. */
events: (Schemas["ListedEvent"])[];
/** The `cursor` of the next page; null: this is the last page. */
nextCursor: string | null;
};
UnlockStats: {
/** The token of the share link. */
token: string;
/** The password of the share link. */
password: string;
};
UnlockedStats: {
/** The bearer token to read the stats with. */
token: string;
/** When the password has to be given again. */
expiresAt: Schemas["Timestamp"];
};
/** A request or a notification. The protocol may add members. */
McpMessage: {
/** The version of JSON-RPC. */
jsonrpc: "2.0";
/** The id of the request. A notification has none. */
id?: string | number;
/** The method of the protocol, such as tools/list. */
method: string;
/** The parameters of the method. */
params?: Record<string, unknown>;
[member: string]: unknown;
};
McpAnswer: {
/** The version of JSON-RPC. */
jsonrpc: "2.0";
/** The id of the request; null: it could not be read. */
id: string | number | null;
/** What the method returns. */
result?: Record<string, unknown>;
/** An error of the protocol. Exactly one of `result` and `error` is present. */
error?: {
/** The code of JSON-RPC or of the protocol. */
code: number;
/** What went wrong. */
message: string;
/** Any JSON value. */
data?: unknown;
};
};
Workspace: {
/** The id of the workspace. */
organizationId: string;
/** The name of the workspace. */
name: string;
/** Your role in the workspace. */
role: "viewer" | "developer" | "admin" | "owner";
};
WorkspaceList: {
/** The workspaces. */
organizations: (Schemas["Workspace"])[];
/** The `cursor` of the next page; null: this is the last page. */
nextCursor: string | null;
};
CreateWorkspace: {
/** The name of the workspace. */
name: string;
};
WorkspaceId: {
/** The id of the workspace. It is required here or in the query. */
organizationId?: string;
};
Permissions: {
/** The id of the workspace. */
organizationId: string;
/** Your user id. */
userId: string;
/** Your role in the workspace. */
role: "viewer" | "developer" | "admin" | "owner";
/** What you may do in the workspace. */
permissions: ("sources:read" | "stats:read" | "sources:write" | "debug:read" | "export:read" | "sources:admin" | "members:manage" | "tokens:manage" | "audit:read" | "usage:read" | "support:read" | "visitors:erase" | "owners:manage")[];
};
Member: {
/** The id of the person or service account. */
userId: string;
/** A person, or a service account of the workspace. */
kind: "person" | "service_account";
/** The name of the member. */
name: string | null;
/** The confirmed email address of the person; null: none. */
email: string | null;
/** The role of the member in the workspace. */
role: "viewer" | "developer" | "admin" | "owner";
/** When the person joined, or the service account was created. */
createdAt: Schemas["Timestamp"];
};
MemberList: {
/** The members of this page. */
members: (Schemas["Member"])[];
/** The `cursor` of the next page; null: this is the last page. */
nextCursor: string | null;
};
AddMember: {
/** The id of the workspace. */
organizationId: string;
/** Refused: a person becomes a member by accepting an invitation. */
userId?: string | null;
/** What the service account is for, such as Deployment. */
name: string;
/** The role of the service account. It cannot be above your own. */
role: "viewer" | "developer" | "admin" | "owner";
};
UpdateMember: {
/** The id of the workspace. It is required here or in the query. */
organizationId?: string;
/** The new role. */
role: "viewer" | "developer" | "admin" | "owner";
};
RemovedMember: {
/** The id of the user. */
userId: string;
/** When the member was removed. */
removedAt: Schemas["Timestamp"];
};
Token: {
/** The id of the token. */
tokenId: string;
/** The last four characters of the token. */
hint: string;
/** What the token is for. */
label: string;
/** The person or service account that the token acts for. For a token of a source: who made it. */
userId: string;
/** When the token expires; null: never. */
expiresAt: Schemas["Timestamp"] | null;
/** When the token was created. */
createdAt: Schemas["Timestamp"];
/** The workspace that the token can access. null: all workspaces of its user. */
organizationId: string | null;
/** The token has at most the permissions of this role. null: those of its user. */
ceiling: "viewer" | "developer" | "admin" | "owner" | null;
/** The token can only do what its scope says, for this source. null: it has no such limit. */
sourceId: string | null;
/** `stats`: read the stats of the source. `ingest`: send its events. `console`: made by a sign-in link, with all permissions of its user. null: no limit. */
scope: "stats" | "ingest" | "console" | null;
/** The token belongs to a share link that has a password. */
hasPassword: boolean;
/** When the token was last used; null: never. */
lastUsedAt: Schemas["Timestamp"] | null;
/** When the token was revoked; null: it was not. */
revokedAt: Schemas["Timestamp"] | null;
};
TokenList: {
/** The tokens of this page. */
tokens: (Schemas["Token"])[];
/** The `cursor` of the next page; null: this is the last page. */
nextCursor: string | null;
};
CreateToken: {
/** The id of the workspace. */
organizationId: string;
/** The service account that the token acts for. Default: you. Nobody can name another person. */
userId?: string | null;
/** What the token is for. */
label: string;
/** When the token expires, an ISO 8601 date-time in the future. Default: never. */
expiresAt?: string | null;
/** The token can access all your workspaces. Only a person who is signed in can create it. */
allWorkspaces?: boolean;
/** The token can only do what its scope says, for this source. */
sourceId?: string | null;
/** What the token can do for its source. `stats` (default): read its stats. `ingest`: send events. Needs `sourceId`. */
scope?: "stats" | "ingest" | null;
/** The token reads stats only together with this password (see POST /api/stats/unlock). Needs `sourceId` and the `stats` scope. */
password?: string | null;
};
CreatedToken: {
/** The id of the token. */
tokenId: string;
/** The last four characters of the token. */
hint: string;
/** What the token is for. */
label: string;
/** The person or service account that the token acts for. For a token of a source: who made it. */
userId: string;
/** When the token expires; null: never. */
expiresAt: Schemas["Timestamp"] | null;
/** When the token was created. */
createdAt: Schemas["Timestamp"];
/** The token itself. It is shown only here: store it now. */
token: string;
};
RevokedToken: {
/** The id of the token. */
tokenId: string;
/** When the token was revoked. */
revokedAt: Schemas["Timestamp"];
};
Profile: {
/** Your user id. */
userId: string;
/** Your name. Members of your workspaces can see it. */
name: string | null;
/** Your confirmed email address, with which you can sign in; null: none. */
email: string | null;
/** The colours of the console; `auto`: those of the system. */
theme: "auto" | "light" | "dark";
/** The locale in which the console writes dates, times and numbers; `auto`: the browser's. The console's text is always English. */
locale: "auto" | "en-US" | "en-GB" | "en-CA" | "cs" | "da" | "de" | "de-AT" | "de-CH" | "es" | "es-MX" | "fi" | "fr" | "fr-CA" | "it" | "ja" | "ko" | "nb" | "nl" | "pl" | "pt-BR" | "pt-PT" | "sv" | "tr" | "uk" | "zh-CN";
/** How the console writes numbers; `auto`: as in `locale`. */
numberFormat: "auto" | "1,234.5" | "1.234,5" | "1 234,5" | "1234.5";
/** Whether times use the 12-hour or the 24-hour clock; `auto`: as in `locale`. */
clock: "auto" | "12h" | "24h";
/** The first day of the week in calendars; `auto`: as in `locale`. Stats by week start on Monday. */
weekStart: "auto" | "monday" | "saturday" | "sunday";
};
CallerProfile: {
/** Your user id. */
userId: string;
/** Your name. Members of your workspaces can see it. */
name: string | null;
/** Your confirmed email address, with which you can sign in; null: none. */
email: string | null;
/** The colours of the console; `auto`: those of the system. */
theme: "auto" | "light" | "dark";
/** The locale in which the console writes dates, times and numbers; `auto`: the browser's. The console's text is always English. */
locale: "auto" | "en-US" | "en-GB" | "en-CA" | "cs" | "da" | "de" | "de-AT" | "de-CH" | "es" | "es-MX" | "fi" | "fr" | "fr-CA" | "it" | "ja" | "ko" | "nb" | "nl" | "pl" | "pt-BR" | "pt-PT" | "sv" | "tr" | "uk" | "zh-CN";
/** How the console writes numbers; `auto`: as in `locale`. */
numberFormat: "auto" | "1,234.5" | "1.234,5" | "1 234,5" | "1234.5";
/** Whether times use the 12-hour or the 24-hour clock; `auto`: as in `locale`. */
clock: "auto" | "12h" | "24h";
/** The first day of the week in calendars; `auto`: as in `locale`. Stats by week start on Monday. */
weekStart: "auto" | "monday" | "saturday" | "sunday";
/** The IP address that this request came from. */
clientAddress: string;
};
UpdateProfile: {
/** Your name. */
name?: string | null;
/** The colours of the console; `auto`: those of the system. */
theme?: "auto" | "light" | "dark";
/** The locale in which the console writes dates, times and numbers; `auto`: the browser's. The console's text is always English. */
locale?: "auto" | "en-US" | "en-GB" | "en-CA" | "cs" | "da" | "de" | "de-AT" | "de-CH" | "es" | "es-MX" | "fi" | "fr" | "fr-CA" | "it" | "ja" | "ko" | "nb" | "nl" | "pl" | "pt-BR" | "pt-PT" | "sv" | "tr" | "uk" | "zh-CN";
/** How the console writes numbers; `auto`: as in `locale`. */
numberFormat?: "auto" | "1,234.5" | "1.234,5" | "1 234,5" | "1234.5";
/** Whether times use the 12-hour or the 24-hour clock; `auto`: as in `locale`. */
clock?: "auto" | "12h" | "24h";
/** The first day of the week in calendars; `auto`: as in `locale`. Stats by week start on Monday. */
weekStart?: "auto" | "monday" | "saturday" | "sunday";
};
EmailAddress: {
/** An email address, such as name@example.com. */
email: string;
};
ConfirmEmail: {
/** The code in the link of the email. */
code: string;
};
RestoredEmail: {
/** The address of the account; null: another user has the previous one now. */
email: string | null;
};
ConsoleSession: {
/** The id of the session's token. */
tokenId: string;
/** The browser and system that signed in, such as `Chrome on macOS`. `Console` if unknown. */
label: string;
/** The session of this request. */
isCurrent: boolean;
/** When you signed in. */
createdAt: Schemas["Timestamp"];
/** When it was last used; null: not yet. */
lastUsedAt: Schemas["Timestamp"] | null;
/** When it ends if it is not used again. Each use moves this time, at most to `CONSOLE_TOKEN_DAYS` after the sign-in. */
expiresAt: Schemas["Timestamp"];
};
ConsoleSessionList: {
/** Your console sessions, newest first. */
sessions: (Schemas["ConsoleSession"])[];
};
EndedSession: {
/** The id of the session's token. */
tokenId: string;
/** When it was ended. */
endedAt: Schemas["Timestamp"];
};
Invitation: {
/** The id of the invitation. */
invitationId: string;
/** The id of the workspace. */
organizationId: string;
/** The role that the invited person gets. */
role: "viewer" | "developer" | "admin" | "owner";
/** The address that the invitation was sent to; null: it is a link. */
email: string | null;
/** The id of the user who created it. */
invitedBy: string;
/** When it was created. */
createdAt: Schemas["Timestamp"];
/** When it expires. */
expiresAt: Schemas["Timestamp"];
};
InvitationList: {
/** The invitations that can be accepted, newest first. */
invitations: (Schemas["Invitation"])[];
};
CreateInvitation: {
/** The id of the workspace. */
organizationId: string;
/** The role that the invited person gets. It cannot be above your own. */
role: "viewer" | "developer" | "admin" | "owner";
/** An email address, to which the link is sent. */
email?: string | null;
};
CreatedInvitation: {
/** The id of the invitation. */
invitationId: string;
/** The id of the workspace. */
organizationId: string;
/** The role that the invited person gets. */
role: "viewer" | "developer" | "admin" | "owner";
/** The address that the invitation was sent to; null: it is a link. */
email: string | null;
/** The id of the user who created it. */
invitedBy: string;
/** When it was created. */
createdAt: Schemas["Timestamp"];
/** When it expires. */
expiresAt: Schemas["Timestamp"];
/** The link to give to the person, shown only here; null: it was sent by email. */
url: string | null;
};
RevokedInvitation: {
/** The id of the invitation. */
invitationId: string;
/** When it was revoked. */
revokedAt: Schemas["Timestamp"];
};
InvitationCode: {
/** The code in the link of the invitation. */
code: string;
};
OfferedInvitation: {
/** The name of the workspace. */
organizationName: string;
/** The role that you get. */
role: "viewer" | "developer" | "admin" | "owner";
/** The name of the member who invites you; null: they gave none. */
invitedBy: string | null;
/** The address that the link was sent to. A new account signs in with it; null: none. */
email: string | null;
/** The account that accepts the invitation, because it has the address that the link was sent to; null: a new one. */
account: {
/** The name of the account. */
name: string | null;
/** The confirmed address of the account. */
email: string | null;
} | null;
/** When the invitation expires. */
expiresAt: Schemas["Timestamp"];
};
AcceptInvitation: {
/** The code in the link of the invitation. */
code: string;
/** Your name. Other members can see it. */
name: string;
};
AcceptedInvitation: {
/** The workspace that you are a member of now. */
organizationId: string;
/** A one-time code for POST /api/sign-in, valid for 10 minutes. */
signInCode: string;
};
JoinedWorkspace: {
/** The workspace that you are a member of now. */
organizationId: string;
};
SignInOffer: {
/** The id of the user who would be signed in. */
userId: string;
/** The account's name, or the one at the identity provider. */
name: string | null;
/** The account's confirmed address, or the one at the identity provider. */
email: string | null;
/** The workspaces of the user. Empty for a new account. */
organizations: ({
/** The name of the workspace. */
name: string;
/** The role of the user. */
role: "viewer" | "developer" | "admin" | "owner";
})[];
/** The invitation that the sign-in accepts; null: none. */
invitation: {
/** The name of the workspace. */
organizationName: string;
/** The role that you get. */
role: "viewer" | "developer" | "admin" | "owner";
/** The name of the member who invites you; null: they gave none. */
invitedBy: string | null;
} | null;
/** When the code expires. */
expiresAt: Schemas["Timestamp"];
};
SignInMethods: {
/** The name of the identity provider; null: there is none. */
oidc: string | null;
/** Sign-in links can be sent by email. */
mail: boolean;
/** Somebody has a passkey for this service. */
passkey: boolean;
/** You can sign in with an access token, and accept an invitation with a new account without the identity provider. */
token: boolean;
/** The service has a mail server, so it can send invitations and address confirmations. */
sendsMail: boolean;
};
RememberedSignIn: {
/** The id of the sign-in that the browser remembers. */
rememberedId: string;
/** When the console asks you to sign in again. */
expiresAt: Schemas["Timestamp"];
};
RememberedBody: {
/** The id of the sign-in that the browser remembers. */
rememberedId: string;
};
RefreshedToken: {
/** The token, for the Authorization header. */
token: string;
/** Seconds until the token expires. */
expiresInSeconds: number;
};
ForgottenSignIn: {
/** The id of the sign-in that the browser remembers. */
rememberedId: string;
};
SignInLinkRequested: {
/** If an account has this address, a link was sent. The response is the same if there is none. */
requested: true;
};
Passkey: {
/** The id of the passkey. */
passkeyId: string;
/** The name that you gave it. */
name: string;
/** The host of the console that it was made for. It works there only. */
host: string;
/** When you added it. */
createdAt: Schemas["Timestamp"];
/** When you last signed in with it; null: not yet. */
lastUsedAt: Schemas["Timestamp"] | null;
};
PasskeyList: {
/** Your passkeys, newest first. */
passkeys: (Schemas["Passkey"])[];
/** Why no passkey can be added; null: one can. */
unavailable: {
/** Why you cannot add one here. */
message: string;
/** What to do. */
hint: string;
} | null;
};
PasskeyOptions: {
/** For `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`. The challenge works once, within 5 minutes. */
publicKey: Record<string, unknown>;
};
AddPasskey: {
/** A name for it. */
name: string;
/** The `toJSON()` of what `navigator.credentials.create` returned. */
credential: {
/** The id of the credential, in base64url. */
id: string;
/** The authenticator's response. */
response: {
/** The data that the browser signed, in base64url. */
clientDataJSON: string;
/** The new public key, in base64url. */
attestationObject: string;
[member: string]: unknown;
};
[member: string]: unknown;
};
};
RemovedPasskey: {
/** The id of the passkey. */
passkeyId: string;
};
PasskeySignIn: {
/** The `toJSON()` of what `navigator.credentials.get` returned. */
credential: {
/** The id of the credential, in base64url. */
id: string;
/** The authenticator's response. */
response: {
/** The data that the browser signed, in base64url. */
clientDataJSON: string;
/** The data that the authenticator signed, in base64url. */
authenticatorData: string;
/** The signature, in base64url. */
signature: string;
/** The user of the passkey, in base64url. */
userHandle: string;
[member: string]: unknown;
};
[member: string]: unknown;
};
};
SignIn: {
/** The code in the sign-in link that `headwater sign-in` or the first start prints. */
code: string;
};
SignOut: {
/** Whether a token was revoked. false: it was not made by a sign-in link. */
revoked: boolean;
};
AuditEntry: {
/** The id of the entry. */
auditId: string;
/** When the change was made. */
at: Schemas["Timestamp"];
/** What made the change: a person who was signed in, a `token` that a person made, a service account, the holder of a share link, the command line, someone who failed to sign in (`stranger`), or the service itself. */
actor: "person" | "service_account" | "token" | "shared_link" | "command_line" | "stranger" | "system";
/** Who made the change; null: the service itself, the holder of a share link or a stranger. */
userId: string | null;
/** The token that was used; null: none. */
tokenId: string | null;
/** What was done, such as `source.updated`. */
action: string;
/** The id of what was changed. */
target: string;
/** The values before the change. */
before: unknown;
/** The values after the change. */
after: unknown;
};
AuditList: {
/** The entries of this page, newest first. */
entries: (Schemas["AuditEntry"])[];
/** The `cursor` of the next page; null: this is the last page. */
nextCursor: string | null;
};
/** Either anonymousId or userId. Without sourceId: every source of the workspace. */
Erase: {
/** The id of the workspace. */
organizationId: string;
/** The source. Without it: every source of the workspace. */
sourceId?: string | null;
/** The visitor's anonymous id. */
anonymousId?: string | null;
/** The visitor's user id. */
userId?: string | null;
};
Erasure: {
/** The id of the receipt. */
receiptId: string;
/** The workspace. */
organizationId: string;
/** The source; null: every source of the workspace. */
sourceId: string | null;
/** Which id named the visitor. */
by: "anonymousId" | "userId";
/** The current step. `ledger`: waiting events, sessions and debug data are deleted. `shipping`: earlier events are on their way to the warehouse. `warehouse`: they are deleted there. `done`: everything is deleted. */
status: "ledger" | "shipping" | "warehouse" | "done";
/** When the erasure was requested. */
requestedAt: Schemas["Timestamp"];
/** When it was done; null: it is not done yet. */
finishedAt: Schemas["Timestamp"] | null;
};
Onboarding: {
/** The id of the workspace. */
organizationId: string;
/** The steps, computed from the data of the workspace. */
steps: {
/** A source was created. */
sourceCreated: {
/** The step is done. */
done: boolean;
/** When it was done; null: it is not. */
at: Schemas["Timestamp"] | null;
};
/** A page opened a session. */
firstBootstrap: {
/** The step is done. */
done: boolean;
/** When it was done; null: it is not. */
at: Schemas["Timestamp"] | null;
};
/** An event was accepted. */
firstAcceptedEvent: {
/** The step is done. */
done: boolean;
/** When it was done; null: it is not. */
at: Schemas["Timestamp"] | null;
};
};
/** Onboarding was marked as completed. */
completed: boolean;
/** When it was marked; null: it was not. */
completedAt: Schemas["Timestamp"] | null;
};
CompleteOnboarding: {
/** The id of the workspace. */
organizationId: string;
};
Usage: {
/** The id of the workspace. */
organizationId: string;
/** The first day, in UTC. */
from: string;
/** The last day, in UTC. */
to: string;
/** Events that were accepted. */
accepted: number;
/** Successful bootstraps. */
bootstraps: number;
/** Decompressed bytes of the bodies of requests that stored something. */
bytes: number;
/** The counts of each source and day that has any. */
days: ({
/** The id of the source. */
sourceId: string;
/** The day, in UTC. */
day: string;
/** Events that were accepted. */
accepted: number;
/** Successful bootstraps. */
bootstraps: number;
/** Decompressed bytes of the bodies of requests that stored something. */
bytes: number;
})[];
};
Billing: {
/** The id of the workspace. */
organizationId: string;
/** The plan. */
plan: "self-hosted";
/** What the plan allows. */
limits: {
/** The maximum number of sources. */
sources: number;
/** The maximum number of events; null: there is none. */
acceptedEvents: number | null;
/** Accepted events a UTC day; null: no limit. */
eventsPerDay: number | null;
/** Stored bytes a UTC day; null: no limit. */
bytesPerDay: number | null;
};
/** This month. */
period: {
/** The first day, in UTC. */
from: string;
/** The last day, in UTC. */
to: string;
};
/** The usage of the period. */
usage: {
/** Events that were accepted. */
accepted: number;
/** Successful bootstraps. */
bootstraps: number;
/** Decompressed bytes of the bodies of requests that stored something. */
bytes: number;
/** Sources now. */
sources: number;
};
};
Support: {
/** The id of the workspace. */
organizationId: string;
/** The version of the service. */
version: string;
/** The commit that it was built from. null: neither the release nor git has it. */
commit: string | null;
/** Files differ from that commit. */
isModified: boolean;
/** False: you are not an operator, so the settings and the details of the machine are left out. */
isOperator: boolean;
/** The settings of the service, without secrets and file paths. Empty unless you are an operator. */
settings: Record<string, unknown>;
/** The names of the settings that are not at their defaults. Empty unless you are an operator. */
changedSettings: (string)[];
/** The health of the service. */
health: {
/** The service is ready. */
ready: boolean;
/** What is wrong. */
problems: (string)[];
};
/** Facts to attach to a report of a problem. */
bundle: Record<string, unknown>;
};
Health: {
/** The process runs. */
status: "ok";
};
Readiness: {
/** The service accepts requests. */
status: "ready";
/** The state of the warehouse. It does not affect readiness. */
warehouse: {
/** `elsewhere`: another node has it. `incomplete`: it is up, but events that were shipped to it are missing. */
state: "off" | "elsewhere" | "starting" | "up" | "incomplete" | "down";
/** Events that were shipped to it and are missing. */
missingEvents: number;
/** Accepted events that are not in it yet. */
waitingEvents: number;
/** The age of the oldest of them. */
lagSeconds: number;
/** Rollups (one per source and day) that could not be built. They are retried. Until then, stats of those days take longer. */
failedRollups: number;
/** What is wrong inside it although it answers, in sentences for the operator: merges that fail, mutations that make no progress, too many parts, detached parts. */
problems: (string)[];
};
/** Whether deletions by age trust the clock. It does not affect readiness. */
clock: {
/** `jumped`: the clock has jumped by more than a day, and nothing is deleted by the new time. */
state: "trusted" | "jumped";
/** How far it has jumped ahead (negative: back); 0 if it has not. */
jumpSeconds: number;
};
};
}
export interface Operations {
/** List the sources of a workspace */
listSources: {
params: undefined;
query: {
/** The id of the workspace. */
organizationId: string;
/** The maximum number of rows on the page. */
limit?: number | null | undefined;
/** The nextCursor of the previous page. */
cursor?: string | null | undefined;
/** Only sources whose name, slug, origins, id or public key contain this text. */
search?: string | null | undefined;
/** Only sources with this status. */
status?: "failing" | "quiet" | "receiving" | "waiting" | "off" | null | undefined;
/** `created`: the newest first, the default. `status`: failing, quiet, receiving, waiting, off. `name`. `lastEvent`: the latest first. */
order?: "created" | "status" | "name" | "lastEvent" | null | undefined;
};
body: undefined;
answer: Schemas["SourceList"];
};
/** Create a source */
createSource: {
params: undefined;
query: undefined;
body: Schemas["CreateSource"];
answer: Schemas["Source"];
};
/** Get a source */
getSource: {
params: {
/** The id of the source. */
sourceId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
};
body: undefined;
answer: Schemas["Source"];
};
/** Change the given fields of a source */
updateSource: {
params: {
/** The id of the source. */
sourceId: string;
};
query: undefined;
body: Schemas["UpdateSource"];
answer: Schemas["Source"];
};
/** Delete a source */
deleteSource: {
params: {
/** The id of the source. */
sourceId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
};
body: undefined;
answer: Schemas["DeletedSource"];
};
/** Replace the public key of a source */
regenerateKey: {
params: {
/** The id of the source. */
sourceId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
};
body: Schemas["RegenerateKey"] | undefined;
answer: Schemas["Source"];
};
/** Accept a retired key of a source again for some time */
restoreKey: {
params: {
/** The id of the source. */
sourceId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
};
body: Schemas["RestoreKey"];
answer: Schemas["Source"];
};
/** Get the snippets to paste into an application */
getInstall: {
params: {
/** The id of the source. */
sourceId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
/** A path of the application's own site, such as /hw: up to five segments of letters, digits and . _ ~ -. */
path?: string | null | undefined;
};
body: undefined;
answer: Schemas["Install"];
};
/** Check an install from the report of a page */
verifyInstall: {
params: {
/** The id of the source. */
sourceId: string;
};
query: undefined;
body: Schemas["VerifyInstall"];
answer: Schemas["Verification"];
};
/** Test a page of your site */
testInstall: {
params: {
/** The id of the source. */
sourceId: string;
};
query: undefined;
body: Schemas["TestInstall"];
answer: Schemas["Verification"];
};
/** Get the recent attempts of a source, its limits and its health */
getDebug: {
params: {
/** The id of the source. */
sourceId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
/** Only attempts on this route. */
kind?: "bootstrap" | "events" | null | undefined;
/** Only attempts with this outcome. */
outcome?: "succeeded" | "partial" | "failed" | "test" | null | undefined;
/** Only attempts with this code, such as `origin_not_allowed`. */
code?: string | null | undefined;
/** Only attempts from this origin. */
origin?: string | null | undefined;
/** Only attempts of this session. */
sessionId?: string | null | undefined;
/** Only attempts of this visitor. */
anonymousId?: string | null | undefined;
/** The maximum number of attempts of each kind. Default: 50. */
limit?: number | null | undefined;
/** The nextCursor of the previous page. */
cursor?: string | null | undefined;
};
body: undefined;
answer: Schemas["DebugView"];
};
/** Stream new attempts of a source as Server-Sent Events */
streamDebug: {
params: {
/** The id of the source. */
sourceId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
/** Only attempts on this route. */
kind?: "bootstrap" | "events" | null | undefined;
/** Only attempts with this outcome. */
outcome?: "succeeded" | "partial" | "failed" | "test" | null | undefined;
/** Only attempts with this code, such as `origin_not_allowed`. */
code?: string | null | undefined;
/** Only attempts from this origin. */
origin?: string | null | undefined;
/** Only attempts of this session. */
sessionId?: string | null | undefined;
/** Only attempts of this visitor. */
anonymousId?: string | null | undefined;
/** The maximum number of attempts of each kind. Default: 50. */
limit?: number | null | undefined;
/** The nextCursor of the previous page. */
cursor?: string | null | undefined;
};
body: undefined;
answer: Response;
};
/** Count the rejected events that a source keeps */
getQuarantine: {
params: {
/** The id of the source. */
sourceId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
};
body: undefined;
answer: Schemas["Quarantine"];
};
/** List the kept events of a source */
listKeptEvents: {
params: {
/** The id of the source. */
sourceId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
/** Only events with this code. */
code?: "plan_violation" | "timestamp_too_old" | "origin_not_allowed" | "origin_missing" | "rotated_public_key" | "source_inactive" | "quota_exceeded" | null | undefined;
/** Only events with this name, as in a group. */
name?: string | null | undefined;
/** Only events from this origin, as in a group. Empty: those without an origin. */
origin?: string | null | undefined;
/** The maximum number of events of the page. Default: 50. */
limit?: number | null | undefined;
/** The nextCursor of the previous page. */
cursor?: string | null | undefined;
};
body: undefined;
answer: Schemas["KeptEventList"];
};
/** Test what a replay would do */
testReplay: {
params: {
/** The id of the source. */
sourceId: string;
};
query: undefined;
body: Schemas["ReplayKeptEvents"];
answer: Schemas["ReplayTest"];
};
/** Replay kept events */
startReplay: {
params: {
/** The id of the source. */
sourceId: string;
};
query: undefined;
body: Schemas["ReplayKeptEvents"];
answer: Schemas["Replay"];
};
/** List the replays of a source */
listReplays: {
params: {
/** The id of the source. */
sourceId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
};
body: undefined;
answer: Schemas["ReplayList"];
};
/** Get the progress of a replay */
getReplay: {
params: {
/** The id of the source. */
sourceId: string;
/** The id of the replay. */
replayId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
};
body: undefined;
answer: Schemas["Replay"];
};
/** Stop a replay */
stopReplay: {
params: {
/** The id of the source. */
sourceId: string;
/** The id of the replay. */
replayId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
};
body: undefined;
answer: Schemas["Replay"];
};
/** Resume a stopped replay */
resumeReplay: {
params: {
/** The id of the source. */
sourceId: string;
/** The id of the replay. */
replayId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
};
body: undefined;
answer: Schemas["Replay"];
};
/** Get the event catalogue of a source */
getEventCatalog: {
params: {
/** The id of the source. */
sourceId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
};
body: undefined;
answer: Schemas["EventCatalog"];
};
/** Get the tracking plan of a source */
getPlan: {
params: {
/** The id of the source. */
sourceId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
/** An earlier version. Default: the current one. */
version?: number | null | undefined;
};
body: undefined;
answer: Schemas["PlanVersion"];
};
/** Save a new version of the tracking plan */
savePlan: {
params: {
/** The id of the source. */
sourceId: string;
};
query: undefined;
body: Schemas["SavePlan"];
answer: Schemas["PlanVersion"];
};
/** List the versions of the tracking plan */
listPlanVersions: {
params: {
/** The id of the source. */
sourceId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
};
body: undefined;
answer: Schemas["PlanVersionList"];
};
/** Propose a tracking plan from the event catalogue */
proposePlan: {
params: {
/** The id of the source. */
sourceId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
};
body: undefined;
answer: Schemas["PlanProposal"];
};
/** Query metrics by dimensions */
queryStats: {
params: undefined;
query: undefined;
body: Schemas["StatsQuery"];
answer: Schemas["StatsResult"];
};
/** Query a funnel */
queryFunnel: {
params: undefined;
query: undefined;
body: Schemas["FunnelQuery"];
answer: Schemas["Funnel"];
};
/** Query retention */
queryRetention: {
params: undefined;
query: undefined;
body: Schemas["RetentionQuery"];
answer: Schemas["Retention"];
};
/** Query paths */
queryPaths: {
params: undefined;
query: undefined;
body: Schemas["PathsQuery"];
answer: Schemas["Paths"];
};
/** List the names of the properties that events have */
queryProperties: {
params: undefined;
query: undefined;
body: Schemas["PropertiesQuery"];
answer: Schemas["Properties"];
};
/** List the latest visits behind a figure */
queryVisits: {
params: undefined;
query: undefined;
body: Schemas["VisitsQuery"];
answer: Schemas["Visits"];
};
/** Get the state of a source's stats */
getStatsSource: {
params: undefined;
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
/** The id of the source. */
sourceId: string;
};
body: undefined;
answer: Schemas["StatsSource"];
};
/** Count the visitors of the last five minutes */
getLive: {
params: undefined;
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
/** The id of the source. */
sourceId: string;
};
body: undefined;
answer: Schemas["LiveVisitors"];
};
/** Find visitors who are counted on two hosts */
getHostSplit: {
params: undefined;
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
/** The id of the source. */
sourceId: string;
};
body: undefined;
answer: Schemas["HostSplit"];
};
/** Account for the events that a source's clients produced */
getDelivery: {
params: {
/** The id of the source. */
sourceId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
/** The first day, in UTC. Default: seven days before the last. */
from?: string | null | undefined;
/** The last day, in UTC. Default: today. */
to?: string | null | undefined;
/** Lists the values of this dimension that lost most. */
by?: "page" | "browser" | "clientVersion" | "country" | null | undefined;
};
body: undefined;
answer: Schemas["DeliveryStatement"];
};
/** List the open alerts of a source */
listAlerts: {
params: {
/** The id of the source. */
sourceId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
};
body: undefined;
answer: Schemas["OpenAlerts"];
};
/** Exchange the token and the password of a share link for a token that reads its stats */
unlockStats: {
params: undefined;
query: undefined;
body: Schemas["UnlockStats"];
answer: Schemas["UnlockedStats"];
};
/** List saved segments, funnels and annotations */
listSavedItems: {
params: {
/** The id of the source. */
sourceId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
};
body: undefined;
answer: Schemas["SavedItemList"];
};
/** Save a segment, a funnel or an annotation */
createSavedItem: {
params: {
/** The id of the source. */
sourceId: string;
};
query: undefined;
body: Schemas["CreateSavedItem"];
answer: Schemas["SavedItem"];
};
/** Delete a segment, a funnel or an annotation */
deleteSavedItem: {
params: {
/** The id of the source. */
sourceId: string;
/** The id of the saved item. */
savedId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
};
body: undefined;
answer: Schemas["DeletedSavedItem"];
};
/** List the reports of a source */
listReports: {
params: {
/** The id of the source. */
sourceId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
};
body: undefined;
answer: Schemas["ReportList"];
};
/** Send a report every week or month */
createReport: {
params: {
/** The id of the source. */
sourceId: string;
};
query: undefined;
body: Schemas["CreateReport"];
answer: Schemas["Report"];
};
/** Delete a report */
deleteReport: {
params: {
/** The id of the source. */
sourceId: string;
/** The id of the report. */
reportId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
};
body: undefined;
answer: Schemas["DeletedReport"];
};
/** Send a report now */
sendReport: {
params: {
/** The id of the source. */
sourceId: string;
/** The id of the report. */
reportId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
};
body: undefined;
answer: Schemas["Report"];
};
/** Preview a report */
previewReport: {
params: {
/** The id of the source. */
sourceId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
/** Weeks begin on Monday. */
period: "week" | "month";
/** A name of the IANA database, such as `Europe/Berlin`. Default: `UTC`. */
timezone?: string | null | undefined;
};
body: undefined;
answer: Schemas["ReportPreview"];
};
/** Ask whether an address agrees to a report */
askReportConsent: {
params: {
/** The token in the link of the email. */
token: string;
};
query: undefined;
body: undefined;
answer: Response;
};
/** Agree to a report */
giveReportConsent: {
params: {
/** The token in the link of the email. */
token: string;
};
query: undefined;
body: undefined;
answer: Response;
};
/** Ask whether to unsubscribe from a report */
confirmUnsubscribe: {
params: {
/** The token in the link of the email. */
token: string;
};
query: undefined;
body: undefined;
answer: Response;
};
/** Unsubscribe from a report */
unsubscribe: {
params: {
/** The token in the link of the email. */
token: string;
};
query: undefined;
body: undefined;
answer: Response;
};
/** Export the stored events of a source */
exportEvents: {
params: undefined;
query: {
/** The id of the source. */
sourceId: string;
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
/** The earliest `occurredAt`: a day (UTC) or an ISO 8601 time. Default: the first event. */
from?: string | null | undefined;
/** The end of the range of `occurredAt`, exclusive, as a day or a time. Default: no end. */
to?: string | null | undefined;
/** The format of the file. Default: `ndjson`. */
format?: "ndjson" | "csv" | "parquet" | null | undefined;
/** The analyticsEventId of the last event that the client received; the export continues after it, and CSV has no header row. */
cursor?: string | null | undefined;
/** The maximum number of events. */
limit?: number | null | undefined;
};
body: undefined;
answer: Response;
};
/** List the stored events of a session or a visitor, or the latest of a name */
listEvents: {
params: {
/** The id of the source. */
sourceId: string;
};
query: {
/** The source's workspace; 404 for any other. */
organizationId?: string | null | undefined;
/** The events of this session. */
sessionId?: string | null | undefined;
/** The events of the visitor with this anonymous id. */
anonymousId?: string | null | undefined;
/** The events of the visitor with this user id. */
userId?: string | null | undefined;
/** The events with this name, the latest first. */
name?: string | null | undefined;
/** The maximum number of events of the page. */
limit?: number | null | undefined;
/** For a session or visitor: whether the earliest or the latest events come first. Default: `earliest`. */
order?: "earliest" | "latest" | null | undefined;
/** The nextCursor of the previous page. */
cursor?: string | null | undefined;
};
body: undefined;
answer: Schemas["StoredEvents"];
};
/** List the workspaces that you can access */
listOrganizations: {
params: undefined;
query: undefined;
body: undefined;
answer: Schemas["WorkspaceList"];
};
/** Create a workspace that you own */
createOrganization: {
params: undefined;
query: undefined;
body: Schemas["CreateWorkspace"];
answer: Schemas["Workspace"];
};
/** Get your role and permissions in a workspace */
getPermissions: {
params: undefined;
query: {
/** The id of the workspace. */
organizationId: string;
};
body: undefined;
answer: Schemas["Permissions"];
};
/** List the members of a workspace */
listMembers: {
params: undefined;
query: {
/** The id of the workspace. */
organizationId: string;
/** The maximum number of rows on the page. */
limit?: number | null | undefined;
/** The nextCursor of the previous page. */
cursor?: string | null | undefined;
};
body: undefined;
answer: Schemas["MemberList"];
};
/** Create a service account */
addMember: {
params: undefined;
query: undefined;
body: Schemas["AddMember"];
answer: Schemas["Member"];
};
/** Change a member's role */
updateMember: {
params: {
/** The id of the user. */
userId: string;
};
query: {
/** The id of the workspace. It is required here or in the body. */
organizationId?: string | null | undefined;
};
body: Schemas["UpdateMember"];
answer: Schemas["Member"];
};
/** Remove a member and revoke their tokens for the workspace */
removeMember: {
params: {
/** The id of the user. */
userId: string;
};
query: {
/** The id of the workspace. It is required here or in the body. */
organizationId?: string | null | undefined;
};
body: Schemas["WorkspaceId"] | undefined;
answer: Schemas["RemovedMember"];
};
/** List the access tokens of a workspace, without the tokens themselves */
listTokens: {
params: undefined;
query: {
/** The id of the workspace. */
organizationId: string;
/** The maximum number of rows on the page. */
limit?: number | null | undefined;
/** The nextCursor of the previous page. */
cursor?: string | null | undefined;
/** Only the tokens for this source. */
sourceId?: string | null | undefined;
/** Only the tokens with this scope. */
scope?: "stats" | "ingest" | null | undefined;
};
body: undefined;
answer: Schemas["TokenList"];
};
/** Create an access token, which is shown once */
createToken: {
params: undefined;
query: undefined;
body: Schemas["CreateToken"];
answer: Schemas["CreatedToken"];
};
/** Revoke an access token */
revokeToken: {
params: {
/** The id of the token. */
tokenId: string;
};
query: {
/** The id of the workspace. It is required here or in the body. */
organizationId?: string | null | undefined;
};
body: Schemas["WorkspaceId"] | undefined;
answer: Schemas["RevokedToken"];
};
/** List the entries of the audit log, newest first */
listAudit: {
params: undefined;
query: {
/** The id of the workspace. */
organizationId: string;
/** The maximum number of rows on the page. */
limit?: number | null | undefined;
/** The nextCursor of the previous page. */
cursor?: string | null | undefined;
/** Only the entries of this user. */
userId?: string | null | undefined;
/** An action such as source.updated, or the part before the dot for all of its actions. */
action?: string | null | undefined;
/** Only the entries about the source, member, token or invitation with this id. */
target?: string | null | undefined;
/** Only entries from this time on: a day (UTC) or an ISO 8601 time. */
from?: string | null | undefined;
/** The end of the range of times, exclusive, as a day or a time. */
to?: string | null | undefined;
/** Only entries whose action, target or values contain this text, or whose source or member has it in the name. */
search?: string | null | undefined;
};
body: undefined;
answer: Schemas["AuditList"];
};
/** See whose account a sign-in code opens */
readSignInCode: {
params: undefined;
query: undefined;
body: Schemas["SignIn"];
answer: Schemas["SignInOffer"];
};
/** Exchange the one-time code of a sign-in link for a token */
signIn: {
params: undefined;
query: undefined;
body: Schemas["SignIn"];
answer: Schemas["CreatedToken"];
};
/** Revoke the token of this request, if a sign-in link made it */
signOut: {
params: undefined;
query: undefined;
body: undefined;
answer: Schemas["SignOut"];
};
/** Stay signed in in this browser */
rememberSignIn: {
params: undefined;
query: undefined;
body: undefined;
answer: Schemas["RememberedSignIn"];
};
/** Get a short-lived token with the cookie of this browser */
refreshToken: {
params: undefined;
query: undefined;
body: Schemas["RememberedBody"];
answer: Schemas["RefreshedToken"];
};
/** Sign this browser out, in all of its tabs */
forgetSignIn: {
params: undefined;
query: undefined;
body: Schemas["RememberedBody"];
answer: Schemas["ForgottenSignIn"];
};
/** Get your profile */
getProfile: {
params: undefined;
query: undefined;
body: undefined;
answer: Schemas["CallerProfile"];
};
/** Change your profile */
updateProfile: {
params: undefined;
query: undefined;
body: Schemas["UpdateProfile"];
answer: Schemas["Profile"];
};
/** Send a link that confirms your email address */
requestEmail: {
params: undefined;
query: undefined;
body: Schemas["EmailAddress"];
answer: Schemas["SignInLinkRequested"];
};
/** Confirm your email address with the code from the email */
confirmEmail: {
params: undefined;
query: undefined;
body: Schemas["ConfirmEmail"];
answer: Schemas["Profile"];
};
/** Undo a change of your email address */
restoreEmail: {
params: undefined;
query: undefined;
body: Schemas["ConfirmEmail"];
answer: Schemas["RestoredEmail"];
};
/** List your console sessions */
listSessions: {
params: undefined;
query: undefined;
body: undefined;
answer: Schemas["ConsoleSessionList"];
};
/** End one of your sessions */
endSession: {
params: {
/** The id of the token. */
tokenId: string;
};
query: undefined;
body: undefined;
answer: Schemas["EndedSession"];
};
/** List the open invitations of a workspace */
listInvitations: {
params: undefined;
query: {
/** The id of the workspace. */
organizationId: string;
};
body: undefined;
answer: Schemas["InvitationList"];
};
/** Invite a person by email or by a link */
createInvitation: {
params: undefined;
query: undefined;
body: Schemas["CreateInvitation"];
answer: Schemas["CreatedInvitation"];
};
/** See what an invitation offers */
readInvitation: {
params: undefined;
query: undefined;
body: Schemas["InvitationCode"];
answer: Schemas["OfferedInvitation"];
};
/** Accept an invitation with a new account */
acceptInvitation: {
params: undefined;
query: undefined;
body: Schemas["AcceptInvitation"];
answer: Schemas["AcceptedInvitation"];
};
/** Accept an invitation with your account */
joinWorkspace: {
params: undefined;
query: undefined;
body: Schemas["InvitationCode"];
answer: Schemas["JoinedWorkspace"];
};
/** Revoke an invitation */
revokeInvitation: {
params: {
/** The id of the invitation. */
invitationId: string;
};
query: {
/** The id of the workspace. It is required here or in the body. */
organizationId?: string | null | undefined;
};
body: undefined;
answer: Schemas["RevokedInvitation"];
};
/** Get the ways to sign in */
getSignInMethods: {
params: undefined;
query: undefined;
body: undefined;
answer: Schemas["SignInMethods"];
};
/** Send a sign-in link by email */
requestSignInLink: {
params: undefined;
query: undefined;
body: Schemas["EmailAddress"];
answer: Schemas["SignInLinkRequested"];
};
/** Start the sign-in with the identity provider */
startOidc: {
params: undefined;
query: {
/** The code of an invitation that the sign-in accepts, after the person has agreed. */
invitation?: string | null | undefined;
};
body: undefined;
answer: Response;
};
/** Finish the sign-in with the identity provider */
finishOidc: {
params: undefined;
query: {
/** The provider's code. */
code?: string | null | undefined;
/** The state of the request. */
state?: string | null | undefined;
/** The provider's issuer (RFC 9207). */
iss?: string | null | undefined;
/** Why the provider refused. */
error?: string | null | undefined;
};
body: undefined;
answer: Response;
};
/** List your passkeys */
listPasskeys: {
params: undefined;
query: undefined;
body: undefined;
answer: Schemas["PasskeyList"];
};
/** Add a passkey */
addPasskey: {
params: undefined;
query: undefined;
body: Schemas["AddPasskey"];
answer: Schemas["Passkey"];
};
/** Start adding a passkey */
startPasskey: {
params: undefined;
query: undefined;
body: undefined;
answer: Schemas["PasskeyOptions"];
};
/** Remove one of your passkeys */
removePasskey: {
params: {
/** The id of the passkey. */
passkeyId: string;
};
query: undefined;
body: undefined;
answer: Schemas["RemovedPasskey"];
};
/** Start a sign-in with a passkey */
startPasskeySignIn: {
params: undefined;
query: undefined;
body: undefined;
answer: Schemas["PasskeyOptions"];
};
/** Sign in with a passkey */
signInWithPasskey: {
params: undefined;
query: undefined;
body: Schemas["PasskeySignIn"];
answer: Schemas["CreatedToken"];
};
/** Erase a visitor's data */
eraseVisitor: {
params: undefined;
query: undefined;
body: Schemas["Erase"];
answer: Schemas["Erasure"];
};
/** Get the status of an erasure */
getErasure: {
params: {
/** The id of the receipt. */
receiptId: string;
};
query: {
/** The id of the workspace. */
organizationId: string;
};
body: undefined;
answer: Schemas["Erasure"];
};
/** List the onboarding steps and whether each is done */
getOnboarding: {
params: undefined;
query: {
/** The id of the workspace. */
organizationId: string;
};
body: undefined;
answer: Schemas["Onboarding"];
};
/** Mark onboarding as completed */
completeOnboarding: {
params: undefined;
query: undefined;
body: Schemas["CompleteOnboarding"];
answer: Schemas["Onboarding"];
};
/** Count accepted events and bootstraps by source and day */
getUsage: {
params: undefined;
query: {
/** The id of the workspace. */
organizationId: string;
/** The first day in UTC, such as 2026-11-21. */
from?: string | null | undefined;
/** The last day in UTC, such as 2026-11-21. */
to?: string | null | undefined;
};
body: undefined;
answer: Schemas["Usage"];
};
/** Get the plan, its limits and the usage of this month */
getBilling: {
params: undefined;
query: {
/** The id of the workspace. */
organizationId: string;
};
body: undefined;
answer: Schemas["Billing"];
};
/** Get facts for support */
getSupport: {
params: undefined;
query: {
/** The id of the workspace. */
organizationId: string;
};
body: undefined;
answer: Schemas["Support"];
};
/** Send a message of the Model Context Protocol */
mcp: {
params: undefined;
query: undefined;
body: Schemas["McpMessage"];
answer: Schemas["McpAnswer"];
};
/** Open or resume a session */
bootstrap: {
params: {
/** The source's public key. */
publicKey: string;
};
query: undefined;
body: Schemas["StartSession"];
answer: Schemas["Session"];
};
/** Send a batch of events of a session */
events: {
params: {
/** The source's public key. */
publicKey: string;
};
query: undefined;
body: Schemas["EventBatch"];
answer: Schemas["EventBatchResult"];
};
/** Open or resume a session (unversioned route for old installs) */
legacyBootstrap: {
params: {
/** The source's public key. */
publicKey: string;
};
query: undefined;
body: Schemas["LegacyStartSession"];
answer: Schemas["Session"];
};
/** Send a batch of events (unversioned route for old installs) */
legacyEvents: {
params: {
/** The source's public key. */
publicKey: string;
};
query: undefined;
body: Schemas["LegacyEventBatch"];
answer: Schemas["EventBatchResult"];
};
/** Calls of Segment and RudderStack clients */
segmentCall: {
params: {
/** The source's public key. */
publicKey: string;
/** The call of the client, such as `track`. */
call: string;
};
query: undefined;
body: Schemas["SegmentCall"];
answer: Schemas["SegmentAnswer"];
};
/** Reports of Segment clients about themselves */
segmentMetrics: {
params: {
/** The source's public key. */
publicKey: string;
};
query: undefined;
body: undefined;
answer: Schemas["SegmentMetricsAnswer"];
};
/** Settings of Segment clients */
segmentSettings: {
params: {
/** The source's public key. */
publicKey: string;
/** The write key of the client, any text. */
writeKey: string;
};
query: undefined;
body: undefined;
answer: Schemas["SegmentSettings"];
};
/** Settings of RudderStack clients */
rudderConfig: {
params: {
/** The source's public key. */
publicKey: string;
};
query: {
/** The client's write key. */
writeKey?: string | null | undefined;
};
body: undefined;
answer: Schemas["RudderConfig"];
};
/** Events of Plausible clients */
plausibleEvent: {
params: {
/** The source's public key. */
publicKey: string;
};
query: undefined;
body: Schemas["PlausibleEvent"];
answer: Response;
};
/** Calls of Umami clients */
umamiCall: {
params: {
/** The source's public key. */
publicKey: string;
/** The call of the client, such as `track`. */
call: string;
};
query: undefined;
body: unknown;
answer: Schemas["UmamiAnswer"];
};
/** Events of the GA4 Measurement Protocol */
ga4Collect: {
params: {
/** The source's public key. */
publicKey: string;
};
query: {
/** Ignored: the public key names the source. */
measurement_id?: string | null | undefined;
/** Ignored. */
api_secret?: string | null | undefined;
};
body: Schemas["Ga4Payload"];
answer: Response;
};
/** Requests of Matomo clients */
matomoRequest: {
params: {
/** The source's public key. */
publicKey: string;
};
query: {
/** Must be 1, here or in the body. */
rec?: string | null | undefined;
/** The address of the page. */
url?: string | null | undefined;
/** The title of the page. */
action_name?: string | null | undefined;
/** The visitor. */
_id?: string | null | undefined;
/** The user. */
uid?: string | null | undefined;
};
body: unknown | undefined;
answer: unknown;
};
/** Requests of Matomo clients without a body */
matomoQuery: {
params: {
/** The source's public key. */
publicKey: string;
};
query: {
/** Must be 1, here or in the body. */
rec?: string | null | undefined;
/** The address of the page. */
url?: string | null | undefined;
/** The title of the page. */
action_name?: string | null | undefined;
/** The visitor. */
_id?: string | null | undefined;
/** The user. */
uid?: string | null | undefined;
};
body: undefined;
answer: unknown;
};
/** Check that the process is running */
healthz: {
params: undefined;
query: undefined;
body: undefined;
answer: Schemas["Health"];
};
/** Check that the service is ready */
readyz: {
params: undefined;
query: undefined;
body: undefined;
answer: Schemas["Readiness"];
};
/** Get metrics for Prometheus */
metrics: {
params: undefined;
query: undefined;
body: undefined;
answer: Response;
};
/** Get this document */
openapi: {
params: undefined;
query: undefined;
body: undefined;
answer: Record<string, unknown>;
};
/** Show this document as a web page */
docs: {
params: undefined;
query: undefined;
body: undefined;
answer: Response;
};
/** Get the contact for security reports */
securityTxt: {
params: undefined;
query: undefined;
body: undefined;
answer: Response;
};
/** Get the browser client */
sdk: {
params: undefined;
query: {
/** An optional part to add: `engagement`. Other values are ignored. */
with?: string | null | undefined;
};
body: undefined;
answer: Response;
};
/** Get an optional part of the browser client */
sdkExtra: {
params: {
/** The name of the file, such as `forms.js`. */
file: string;
};
query: undefined;
body: undefined;
answer: Response;
};
}
