/** The plain values that the ledger stores and returns. Times are milliseconds since the epoch. Ids are opaque text. */
import type {
  ActorKind,
  AttemptKind,
  AttemptOutcome,
  ErasureStatus,
  FormatPreferences,
  KeptCode,
  KeyState,
  PropertyEdit,
  ReplayBody,
  ReplayStatus,
  Role,
  SavedItem,
  SavedKind,
  SourceSettings,
  Theme,
  TokenScope,
  TrackingPlan,
  VisitorKind,
} from "@headwater/contract";

/** A source. `SourceSettings` are the fields that its users set; the server sets the others. */
export interface SourceRecord extends SourceSettings {
  sourceId: string;
  organizationId: string;
  /** The current key. */
  publicKey: string;
  /** Until when the previous key is accepted; null: no previous key is accepted. */
  previousKeyExpiresAt: number | null;
  publicKeyRotatedAt: number | null;
  lastBootstrapAt: number | null;
  lastEventAt: number | null;
  createdAt: number;
  updatedAt: number;
}

/** A query of several sources reads only these members of each. */
export type QueriedSource = Pick<SourceRecord, "sourceId" | "organizationId" | "pathRules">;

/** A source found by one of its keys. `keyExpiresAt` is the end of a previous key, null for a current key. */
export interface KeyedSource {
  source: SourceRecord;
  /** The current version of the source's tracking plan. null: it has none. */
  planVersion: number | null;
  keyState: KeyState;
  keyExpiresAt: number | null;
}

/** The facts about a property of events. `types` and `sampled` count the sampled events that had it. */
export interface CatalogPropertyRecord {
  name: string;
  sampled: number;
  types: Readonly<Record<string, number>>;
  examples: readonly string[];
}

/** The facts about the accepted events of one name. */
export interface CatalogEventRecord {
  name: string;
  count: number;
  firstSeenAt: number;
  lastSeenAt: number;
  /** How many came on each of the last days that had some, by day since the epoch. */
  days: Readonly<Record<string, number>>;
  /** How many of them were examined. */
  sampled: number;
  properties: readonly CatalogPropertyRecord[];
  clientVersions: readonly string[];
  pages: readonly string[];
  /** Set on the row of further names only; covers the whole source. */
  violations?: readonly PlanViolationRecord[];
}

/** An expectation of the tracking plan that events of one name have violated. */
export interface PlanViolationRecord {
  event: string;
  path: string;
  expected: string;
  /** The type of what was found last. */
  found: string;
  count: number;
  firstSeenAt: number;
  lastSeenAt: number;
  clientVersions: readonly string[];
  pages: readonly string[];
}

/** The plan of a source that has none: nothing is checked. */
export const NO_PLAN: TrackingPlan = { mode: "off", unknownEvents: "allow", events: {} };

/** A version of a source's tracking plan. */
export interface PlanRecord {
  version: number;
  plan: TrackingPlan;
  userId: string | null;
  tokenId: string | null;
  createdAt: number;
}

/** A segment, a funnel or an annotation of a source's stats. */
export interface SavedItemRecord {
  savedId: string;
  sourceId: string;
  userId: string;
  kind: SavedKind;
  name: string;
  isShared: boolean;
  createdAt: number;
  definition: Pick<SavedItem, "filters" | "steps" | "windowSeconds" | "day">;
}

/** The user and token that make a change. The audit log stores both. */
export interface Actor {
  userId: string;
  tokenId: string | null;
}

export interface MemberRecord {
  userId: string;
  /** The name of a service account, or the one in the profile of a person. */
  name: string | null;
  /** The confirmed address of a person. */
  email: string | null;
  role: Role;
  createdAt: number;
}

/** What a person chose for the console. */
export interface Preferences extends FormatPreferences {
  theme: Theme;
}

/** A person's account. */
export interface ProfileRecord extends Preferences {
  userId: string;
  name: string | null;
  /** Confirmed, in lower case; no two users have the same. */
  email: string | null;
}

export interface PasskeyRecord {
  passkeyId: string;
  userId: string;
  /** The host of the console that it was made for. */
  host: string;
  credentialId: string;
  /** COSE, in base64url. */
  publicKey: string;
  /** The signatures that its authenticator has counted; 0: it counts none. */
  counter: number;
  name: string;
  createdAt: number;
  lastUsedAt: number | null;
}

export interface InvitationRecord {
  invitationId: string;
  organizationId: string;
  role: Role;
  /** The address that the link was sent to, and to no other; null: whoever has the link can accept it. */
  email: string | null;
  invitedBy: string;
  createdAt: number;
  expiresAt: number;
}

/** A workspace with the counts that the operator of the service sees. */
export interface OrganizationRecord {
  organizationId: string;
  name: string;
  members: number;
  sources: number;
  createdAt: number;
}

export interface TokenRecord {
  tokenId: string;
  /** null: the token is user-wide, valid for every workspace of its user. */
  organizationId: string | null;
  userId: string;
  /** The token never has more rights than this role; null: it has its user's rights. */
  ceiling: Role | null;
  /** The token may only do what its scope says, for this source; null: not limited to a source. */
  sourceId: string | null;
  /** `console`: a sign-in link made the token, and it is not limited. null: neither that nor limited to a source. */
  scope: TokenScope | "console" | null;
  /** The scrypt hash of the password that a shared link needs; null: none. */
  passwordHash: string | null;
  label: string;
  /** The last characters of the token, shown in lists. */
  hint: string;
  expiresAt: number | null;
  revokedAt: number | null;
  lastUsedAt: number | null;
  createdAt: number;
}

/** A sign-in that a browser remembers by a cookie (docs/api/accounts.md). */
export interface RememberedSignIn {
  rememberedId: string;
  /** The token that the sign-in acts as. It ends with it. */
  tokenId: string;
  /** SHA-256 of the secret in the cookie. */
  secretHash: string;
  /** SHA-256 of the secret before; null: it was never rotated. */
  previousHash: string | null;
  /** With it the secret before becomes the secret in the cookie. */
  salt: string | null;
  rotatedAt: number;
  usedAt: number;
  expiresAt: number;
  createdAt: number;
}

export interface AuditRecord {
  auditId: string;
  at: number;
  actor: ActorKind;
  userId: string | null;
  tokenId: string | null;
  action: string;
  target: string;
  before: unknown;
  after: unknown;
}

export interface UsageRow {
  sourceId: string;
  /** UTC day, YYYY-MM-DD. */
  day: string;
  accepted: number;
  bootstraps: number;
  /** The decompressed bytes of the bodies of requests that stored something. */
  bytes: number;
}

export interface SessionRecord {
  sourceId: string;
  sessionId: string;
  anonymousId: string;
  userId: string | null;
  startedAt: number;
  lastActivityAt: number;
  /** Landing page, referrer, UTM fields, locale, time zone and user agent of the first request, as JSON text. */
  landing: string;
}

/** An event to store: its dedup key (32 hex digits) and the normalized event as JSON text in UTF-8. */
export interface CommitEntry {
  key: string;
  line: Uint8Array;
  /** The UTC day of its `occurredAt`, in days since the epoch. */
  day: number;
}

/** Activity of an existing session. */
export interface SessionTouch {
  sessionId: string;
  /** null: the session keeps its user. */
  userId: string | null;
  /** Indexes into the commit's entries. If given, the session is updated only when one of these is not a duplicate. */
  entries?: number[];
  /** The session is updated whatever the commit stores. */
  always?: true;
}

/** Everything that one ingest request stores, in one transaction. */
export interface Commit {
  sourceId: string;
  receivedAt: number;
  /** Whether the request is a bootstrap; it is counted in `usage`. */
  bootstrap: boolean;
  /** The size of the request's body, decompressed. It is counted in `usage` if the request stores something. */
  bytes: number;
  /** The sessions to create, unless another node just did. */
  open: SessionRecord[];
  /** The existing sessions to update. They are updated only if the request is a bootstrap or stores an event. */
  touch: SessionTouch[];
  entries: CommitEntry[];
}

/** For each entry, in order: 1 when it was stored now, 0 when it was a duplicate. */
export type StoredFlags = Uint8Array;

/** A sealed set of outbox rows. Its rows and their order never change. */
export interface OutboxPage {
  pageId: string;
  events: number;
  /** When its oldest event was accepted. */
  createdAt: number;
  /** How often the page was claimed before. Those deliveries may or may not have reached the warehouse. */
  tries: number;
  parts: OutboxPart[];
}
export interface OutboxPart {
  /** Normalized events, one JSON line each, compressed with zstd. */
  payload: Uint8Array;
  /** Numbers of the lines (from 1) that must be ignored: they hold duplicates. */
  skipped: number[];
}

/** The events of one group of commits, waiting in the outbox. */
export interface OutboxRow {
  seq: number;
  part: OutboxPart;
}

/** What a slice of the outbox has of a source. */
export interface WaitingSlice {
  /** By UTC day of `occurredAt`; a day may come twice. */
  days: { day: number; events: number }[];
  /** The rows that do not say what they have: they must be read to be counted. */
  unread: number[];
  rows: number;
  /** The last row; null: there are no more. */
  last: number | null;
}

/** An erasure as its receipt shows it. It does not contain the visitor's id. */
export interface ErasureRecord {
  receiptId: string;
  organizationId: string;
  /** null: every source of the workspace. */
  sourceId: string | null;
  kind: VisitorKind;
  status: ErasureStatus;
  requestedAt: number;
  finishedAt: number | null;
}

/** A visitor to erase, and the sources to erase the visitor from. */
export interface VisitorToErase {
  sourceIds: string[];
  kind: VisitorKind;
  id: string;
  /** The time of the request. Data received later is kept. */
  until: number;
}

/** A claimed erasure. */
export interface OpenErasure {
  receiptId: string;
  status: ErasureStatus;
  /** Pages of the outbox that must have been shipped before the warehouse deletes. */
  pages: string[];
  visitor: VisitorToErase;
}

/** Where one slice of a walk over a table ended. Pass it back unchanged to get the next slice. */
export interface Cursor {
  /** Index into the sorted ids of the sources that are walked. */
  sourceIndex: number;
  /** The last row of the slice, by sequence number or session id. */
  afterSeq?: number;
  afterSessionId?: string;
  /** Rows with a higher number were added after the walk began. They are not part of it. */
  upToSeq?: number;
}

/** A source that deletes its events after a number of days. */
export type SourceRetention = { sourceId: string; retentionDays: number };

export interface AttemptRow {
  attemptId: string;
  sourceId: string;
  kind: AttemptKind;
  receivedAt: number;
  outcome: AttemptOutcome;
  /** The refusal's code; for a partially accepted batch, the code of the first rejected event. */
  code: string | null;
  origin: string | null;
  sessionId: string | null;
  anonymousId: string | null;
  /** The masked attempt as the debug view shows it, as JSON text. */
  record: string;
}

/** A counter of one source for one hour. The health report is computed from these. */
export interface AttemptCount {
  sourceId: string;
  /** Start of the hour. */
  hour: number;
  /** `succeeded`, `failed`, `accepted`, `duplicates`, `rejected`, or an error or event code. */
  name: string;
  count: number;
  lastSeenAt: number;
}

/**
 * `failing`: its requests are refused. `quiet`: it has sent no request for a long time. `violating`: events violate its
 * tracking plan.
 */
export type AlertStatus = "receiving" | "failing" | "quiet" | "violating";

/** What the operator is told of a source. Each topic has a status of its own. */
export type AlertTopic = "health" | "events" | "delivery" | "statement";

/** The last recorded status of a topic. */
export interface AlertState {
  /** An `AlertStatus` of the topic `health`; the others write what they compare and send. */
  status: string;
  /** When the status began. */
  since: number;
  /** Its alert is not sent yet. */
  isPending: boolean;
}

export interface TopicStatus extends Omit<AlertState, "isPending"> {
  topic: AlertTopic;
}

/** A source that has received something. A topic that was never recorded has no state. */
export interface WatchedSource {
  sourceId: string;
  lastBootstrapAt: number | null;
  lastEventAt: number | null;
  alerts: Readonly<Partial<Record<AlertTopic, AlertState>>>;
}

/** A change of a status that must be sent to the operator. */
export interface PendingAlert {
  alertId: string;
  sourceId: string;
  topic: AlertTopic;
  status: string;
  /** null: it is the first status of the topic. */
  was: string | null;
  since: number;
  /** Including this one. */
  tries: number;
}

export interface AttemptFilter {
  sourceId: string;
  kind?: AttemptKind | undefined;
  outcome?: AttemptOutcome | undefined;
  code?: string | undefined;
  origin?: string | undefined;
  sessionId?: string | undefined;
  anonymousId?: string | undefined;
  limit: number;
  /** Only attempts older than this sequence number (paging back). */
  before?: number | undefined;
  /** Only attempts newer than this sequence number, oldest first (the live stream). */
  after?: number | undefined;
}

export interface StoredAttempt {
  seq: number;
  kind: AttemptKind;
  record: string;
}

/** An event that was not stored, as its source keeps it. */
export interface KeptRow {
  sourceId: string;
  code: KeptCode;
  /** Masked, like the origin: people see both. */
  name: string;
  /** Empty: none. */
  origin: string;
  /** The ids by which an erasure finds it. */
  anonymousId: string;
  userId: string | null;
  receivedAt: number;
  /** Everything that evaluating the event again needs, as JSON text. */
  record: string;
}

/** Which kept events of a source. An absent member: any. */
export interface KeptSelection {
  sourceId: string;
  code?: KeptCode | undefined;
  name?: string | undefined;
  /** Empty: those without an origin. */
  origin?: string | undefined;
}

export interface KeptPageRequest extends KeptSelection {
  limit: number;
  /** Only events older than this sequence number. */
  before?: number | undefined;
  /** Only events newer than this sequence number, oldest first. */
  after?: number | undefined;
  /** Only events up to this sequence number. */
  upTo?: number | undefined;
}

export interface StoredKeptEvent extends Omit<KeptRow, "sourceId" | "userId"> {
  seq: number;
}

/** The kept events of a source with the same code, name and origin. */
export interface KeptGroupRecord extends Pick<KeptRow, "code" | "name" | "origin"> {
  events: number;
  firstReceivedAt: number;
  lastReceivedAt: number;
}

export interface KeptTotals {
  events: number;
  bytes: number;
  /** Events that were deleted because the quarantine was full. */
  evicted: number;
  evictedAt: number | null;
  /** Requests whose events were not kept because too many came at once or the storage failed. */
  skipped: number;
  skippedAt: number | null;
}

/** How far a replay is. */
export interface ReplayProgress {
  accepted: number;
  duplicates: number;
  /** Events that were rejected again, by code. */
  rejected: Record<string, number>;
}

/** A replay of kept events. */
export interface ReplayRecord extends ReplayProgress {
  replayId: string;
  sourceId: string;
  status: ReplayStatus;
  selection: Pick<ReplayBody, "code" | "name" | "origin">;
  edits: readonly PropertyEdit[];
  /** How many events were selected when it began. */
  selected: number;
  requestedAt: number;
  finishedAt: number | null;
}

/** A claimed replay. */
export interface OpenReplay extends Pick<ReplayRecord, "replayId" | "sourceId" | "selection" | "edits"> {
  /** The number of the last kept event that it has replayed. */
  afterSeq: number;
  /** The number of the last one that was selected. */
  upToSeq: number;
}

/** One page of a list. `nextCursor` is null on the last page. */
export interface PageOf<T> {
  rows: T[];
  nextCursor: string | null;
}
export interface PageRequest {
  limit: number;
  /** `nextCursor` of the page before; null: the first page. */
  cursor: string | null;
}
export interface WorkspacePageRequest extends PageRequest {
  organizationId: string;
}
