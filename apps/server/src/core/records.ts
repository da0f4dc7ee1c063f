/** The plain values that the ledger keeps. Times are milliseconds since the epoch; ids are opaque text. */
import type {
  AttemptKind,
  AttemptOutcome,
  Counting,
  ErasureStatus,
  KeyState,
  Privacy,
  Role,
  SourceLimits,
  VisitorKind,
} from "@headwater/contract";

export interface SourceRecord extends Counting {
  sourceId: string;
  organizationId: string;
  name: string;
  slug: string;
  publicKey: string;
  previousKeyExpiresAt: number | null;
  publicKeyRotatedAt: number | null;
  allowedOrigins: string[];
  frameworkHint: string | null;
  isActive: boolean;
  requireOrigin: boolean;
  privacy: Privacy;
  limits: SourceLimits;
  lastBootstrapAt: number | null;
  lastEventAt: number | null;
  createdAt: number;
  updatedAt: number;
}

/** A source as a public key finds it. A `previous` key is let in until `keyExpiresAt`. */
export interface KeyedSource {
  source: SourceRecord;
  keyState: KeyState;
  keyExpiresAt: number | null;
}

/** Who makes a change; the audit log names both. */
export interface Actor {
  userId: string;
  tokenId: string | null;
}

export interface MemberRecord {
  userId: string;
  name: string | null;
  email: string | null;
  role: Role;
  createdAt: number;
}

/** A workspace as the operator of the service sees it. */
export interface OrganizationRecord {
  organizationId: string;
  name: string;
  members: number;
  sources: number;
  createdAt: number;
}

export interface TokenRecord {
  tokenId: string;
  /** null: every workspace of its user. */
  organizationId: string | null;
  userId: string;
  /** It does no more than this role may, whatever its user's becomes; null: as much as its user may. */
  ceiling: Role | null;
  /** It opens the numbers of that source and nothing else; null: as much as its user may. */
  sourceId: string | null;
  label: string;
  hint: string;
  expiresAt: number | null;
  revokedAt: number | null;
  lastUsedAt: number | null;
  createdAt: number;
}

export interface AuditRecord {
  auditId: string;
  at: number;
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
}

export interface SessionRecord {
  sourceId: string;
  sessionId: string;
  anonymousId: string;
  userId: string | null;
  startedAt: number;
  lastActivityAt: number;
  /** Landing page, referrer, UTM fields, locale, time zone, user agent of its first request, as JSON text. */
  landing: string;
}

/** One accepted-to-be event: its dedup key (32 hex digits) and its normal form as JSON text. */
export interface Entry {
  key: string;
  json: string;
}

export interface Touch {
  sessionId: string;
  userId: string | null;
  /** Indexes into the commit's entries. */
  entries?: number[];
}

/** What one ingest request wants to have happened, all or nothing. */
export interface Commit {
  sourceId: string;
  receivedAt: number;
  bootstrap: boolean;
  /** A session to be made. */
  open: SessionRecord | null;
  /** Sessions that live on: for a bootstrap, or when an event was accepted; with `entries`, when one of those was. */
  touch: Touch[];
  entries: Entry[];
}

/** For each entry, in order: 1 when it was stored now, 0 when its key was known. */
export type Committed = Uint8Array;

/** What is shipped at once: its membership and order are fixed when it is sealed. */
export interface OutboxPage {
  pageId: string;
  events: number;
  /** When the oldest of its events came. */
  createdAt: number;
  /** How often it was claimed before: nobody knows what became of that. */
  tries: number;
  parts: OutboxPart[];
}
export interface OutboxPart {
  /** Normal forms as lines, compressed by zstd. */
  payload: Uint8Array;
  /** Of these lines, counted from 1, that are no event. */
  skipped: number[];
}

/** What was committed at once, as it waits. */
export interface OutboxRow {
  seq: number;
  part: OutboxPart;
}

/** What its receipt shows; the visitor's id is not among it. */
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

/** Who is to be forgotten, and where. */
export interface Visitor {
  sourceIds: string[];
  kind: VisitorKind;
  id: string;
  /** What was received later is new, and stays. */
  until: number;
}

/** An erasure that somebody has claimed. */
export interface OpenErasure {
  receiptId: string;
  status: ErasureStatus;
  /** Pages of the outbox that must have been shipped before the warehouse deletes. */
  pages: string[];
  visitor: Visitor;
}

/** Where a slice of a walk over a table ended; null: at its end. */
export type Place = (string | number)[] | null;

export interface AttemptRow {
  attemptId: string;
  sourceId: string;
  kind: AttemptKind;
  receivedAt: number;
  outcome: AttemptOutcome;
  /** The refusal's code, or for a partial batch the first rejected event's. */
  code: string | null;
  origin: string | null;
  sessionId: string | null;
  anonymousId: string | null;
  /** The attempt as the debug view shows it, masked, as JSON text. */
  record: string;
}

/** Counters behind `health`: what happened to one source within one hour. */
export interface AttemptCount {
  sourceId: string;
  /** Start of the hour. */
  hour: number;
  /** `accepted`, `duplicates`, `rejected`, `failed`, or an error or event code. */
  name: string;
  count: number;
  lastSeenAt: number;
}

/** `failing`: its requests are refused; `quiet`: none came for long. */
export type AlertStatus = "receiving" | "failing" | "quiet";

/** A source that has received something, and as what it was seen last. */
export interface WatchedSource {
  sourceId: string;
  lastBootstrapAt: number | null;
  lastEventAt: number | null;
  /** null: it was never looked at. */
  status: AlertStatus | null;
  since: number | null;
}

/** A transition that is to be told. */
export interface PendingAlert {
  alertId: string;
  sourceId: string;
  status: AlertStatus;
  was: AlertStatus;
  since: number;
  /** This one among them. */
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
  /** Attempts older than this sequence number (paging back). */
  before?: number | undefined;
  /** Attempts newer than this sequence number, oldest first (the stream). */
  after?: number | undefined;
}

export interface StoredAttempt {
  seq: number;
  kind: AttemptKind;
  record: string;
}

/** One page of a list, and the cursor of the next. */
export interface PageOf<T> {
  rows: T[];
  nextCursor: string | null;
}
export interface Page {
  limit: number;
  cursor: string | null;
}
export interface PageRequest extends Page {
  organizationId: string;
}
