/**
 * The ledger stores what the service has promised: workspaces, sources, members, tokens, the audit log, sessions,
 * debug attempts, the ids of accepted events, and the outbox. It has two engines: `sqlite/` and `postgres/`.
 *
 * Every method is one transaction; no transaction spans two calls. Every method takes at most one argument, a plain
 * value, and resolves with a plain value, so that an implementation may run in another thread or behind a socket.
 * A method rejects with StorageError when the storage fails; nothing of that call was stored then.
 *
 * `catalog/` implements the methods of `Catalog` for both engines, and describes them. Each engine implements the others by hand.
 */
import type { KeptCode } from "@headwater/contract";
import type { StorageFailure } from "../core/errors.ts";
import type { AttemptGroup, AttemptGroupFilter, CounterNames } from "./attempt-queries.ts";
import type { Catalog } from "./catalog/catalog.ts";
import type {
  AttemptCount,
  AttemptFilter,
  AttemptRow,
  Commit,
  Cursor,
  KeptGroupRecord,
  KeptPageRequest,
  KeptRow,
  KeptSelection,
  KeptTotals,
  KeyedSource,
  OutboxPage,
  OutboxRow,
  SessionRecord,
  StoredAttempt,
  StoredFlags,
  StoredKeptEvent,
  VisitorToErase,
  WaitingSlice,
} from "./records.ts";
import type { ErasureSlice } from "./visitors.ts";
import type { DayCount } from "./warehouse-report.ts";

export type { AuditNote } from "./catalog/audit.ts";
export type { Catalog } from "./catalog/catalog.ts";
export type { OfferedInvitation } from "./catalog/invitations.ts";
export type { IdentityRecord } from "./catalog/profiles.ts";
export type { RefreshedToken, RenewalFailure } from "./catalog/remembered.ts";
export type { SignInFailure } from "./catalog/sign-in-codes.ts";
export type { SourceChange } from "./catalog/sources.ts";
export type { CountedDay, ShippedDays } from "./catalog/warehouse-checks.ts";

/** The storage failed: a full disk, a lost connection, a damaged file. */
export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly kind: StorageFailure;
  /** Whether only a person can mend it: a start that fails with it must not be repeated. */
  readonly needsOperator: boolean;
  constructor(message: string, kind: StorageFailure, cause?: unknown, needsOperator = kind === "damaged") {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.needsOperator = needsOperator;
  }
}

/** The queue of waiting commits is full. Nothing of the commit was stored. */
export class LedgerBusy extends Error {
  override readonly name = "LedgerBusy";
  constructor() {
    super("the ledger's queue is full");
  }
}

/** A change after which cached answers of the ledger may be stale. `everything` means that any of them may be. */
export type LedgerChange =
  | { kind: "source"; sourceId: string }
  | { kind: "session"; sourceId: string; sessionId: string }
  | { kind: "tokens" }
  | { kind: "everything" };

/** The salts of visitors without browser storage. No backup contains them. */
export interface SaltLedger {
  /** The salt of a UTC day (days since the epoch), the same on all nodes. The first call makes it. */
  visitorSalt(asked: { day: number }): Promise<Uint8Array>;
  /** Destroys the salts of earlier days. */
  destroyVisitorSalts(asked: { before: number }): Promise<void>;
}

/** Methods called for every ingest request. */
export interface IngestLedger extends SaltLedger {
  /** Finds a source by its current key or an earlier one. @returns null when the key is unknown or its source deleted */
  sourceByKey(asked: { publicKey: string; now: number }): Promise<KeyedSource | null>;
  /** Finds the sessions of the source among these ids. */
  sessionsById(asked: { sourceId: string; sessionIds: readonly string[] }): Promise<SessionRecord[]>;
  /**
   * Finds the latest active session of each visitor, for clients that do not know their session.
   * @param asked.startedBy only sessions that had started by then. Default: all
   */
  latestSessions(asked: {
    sourceId: string;
    anonymousIds: readonly string[];
    startedBy?: number;
  }): Promise<SessionRecord[]>;
  /**
   * Stores a request's events and sessions: all of it or nothing. It is flushed to disk when the promise resolves.
   * Concurrent commits share transactions.
   * @throws LedgerBusy when too many commits are waiting
   */
  commit(commit: Commit): Promise<StoredFlags>;
  /** Tells the other nodes to drop this session from their caches. Does not wait, and may be lost. */
  notifySessionChanged(session: { sourceId: string; sessionId: string }): void;
}

/** The debug history (docs/api/debug.md). */
export interface AttemptLedger {
  recordAttempts(batch: { rows: AttemptRow[]; counts: AttemptCount[] }): Promise<void>;
  /** Newest first; with `after` oldest first. */
  attempts(filter: AttemptFilter): Promise<StoredAttempt[]>;
  /** The most frequent group first. */
  attemptGroups(filter: AttemptGroupFilter): Promise<AttemptGroup[]>;
  attemptCounts(asked: { sourceId: string; sinceHour: number }): Promise<AttemptCount[]>;
  /** The sums of each source's counters since that hour, by name. */
  attemptSums(asked: {
    sourceIds: readonly string[];
    sinceHour: number;
    names: CounterNames;
  }): Promise<AttemptCount[]>;
}

/** Events that sources keep although they did not store them (docs/api/quarantine.md). A crash loses those of the last second. */
export interface QuarantineLedger {
  /** @param batch.skipped requests of each source whose events are not kept */
  keepEvents(batch: { rows: KeptRow[]; skipped: Record<string, number>; now: number }): Promise<void>;
  /** @returns null when the source has kept nothing */
  keptTotals(asked: { sourceId: string }): Promise<KeptTotals | null>;
  /** The most frequent group first. */
  keptGroups(asked: { sourceId: string; limit: number }): Promise<KeptGroupRecord[]>;
  /** Newest first; with `after` oldest first. */
  keptEvents(page: KeptPageRequest): Promise<StoredKeptEvent[]>;
  /** How many events are selected, and the number of the last one. */
  countKept(selection: KeptSelection): Promise<{ events: number; lastSeq: number }>;
  /** Deletes events that are stored now, and gives those that were rejected again their new code. */
  settleKept(settled: {
    sourceId: string;
    stored: number[];
    recoded: { seq: number; code: KeptCode }[];
  }): Promise<void>;
  /** The sources that have kept something. */
  keptSources(): Promise<string[]>;
  /** Deletes a slice of the source's events received before that time, and its counts of what it did not keep. @returns false when done */
  expireKept(asked: { sourceId: string; before: number }): Promise<boolean>;
  /** Deletes the visitors' kept events. */
  eraseKept(asked: { visitors: VisitorToErase[] }): Promise<void>;
}

/** @see OutboxLedger.claimPage */
interface PageClaim {
  /** The id of the page that this call may seal. */
  pageId: string;
  now: number;
  /** Largest number of events in a page sealed now. A single larger commit still makes a page. */
  maxEvents: number;
  /** After this time another caller may claim the page. */
  leaseMs: number;
}

/** Accepted events that are not in the warehouse yet. */
export interface OutboxLedger {
  /**
   * Claims the oldest sealed page that no caller holds, or else seals a new page from the rows that are waiting.
   * The rows of a sealed page and their order never change.
   * @returns null when there is nothing to ship
   */
  claimPage(claim: PageClaim): Promise<OutboxPage | null>;
  /** Deletes a page that the warehouse has stored, and counts its events as shipped. */
  deletePage(page: { pageId: string; shipped: DayCount[] }): Promise<void>;
  /** Gives back a page that could not be shipped. It may be claimed again after `waitMs`. */
  releasePage(page: { pageId: string; now: number; waitMs: number }): Promise<void>;
  /** Reads rows that may hold events of the source, in order of `seq`, without claiming them. */
  readOutbox(asked: { sourceId: string; after: number; limit: number }): Promise<OutboxRow[]>;
  /** Counts the source's events in the rows after that one, a slice at a time, without reading the events. */
  waitingDays(asked: { sourceId: string; after: number }): Promise<WaitingSlice>;
  /** Deletes a slice of the rows accepted before that time (used when there is no warehouse). @returns false when done */
  expireOutbox(at: { before: number }): Promise<boolean>;
  /** Deletes the visitors' events from a slice of the outbox. Sealed pages are changed only if `sealed` is true. */
  eraseOutbox(slice: ErasureSlice & { sealed: boolean }): Promise<{ next: Cursor | null }>;
}

/** The events that wait to be shipped. */
export interface OutboxStatus {
  outboxEvents: number;
  outboxBytes: number;
  /** When the oldest event in the outbox was accepted; null when the outbox is empty. */
  outboxOldestAt: number | null;
}

export interface LedgerStatus extends OutboxStatus {
  /** Nodes that serve from this ledger now, including this one. */
  nodes: number;
  /** The address of the node that has the embedded warehouse of all nodes; null: none has one. */
  warehouseUrl: string | null;
  /** This node had that warehouse, and does not have it any more. */
  isWarehouseLost: boolean;
}

/** How busy the ledger of this process is. */
export interface LedgerLoad {
  /** Commits that wait for their group. */
  queue: { requests: number; bytes: number };
  /** Connection pools of PostgreSQL. None on SQLite. */
  pools: readonly { name: string; total: number; idle: number; waiting: number }[];
}

/** Called when the commit of a group starts. Calls back when it has ended, whether it failed or not. */
export type GroupObserver = (requests: number) => () => void;

/** The embedded warehouse of the nodes that share a ledger. */
export interface WarehousePlace {
  /** The id of its folder. It changes with each claim, so that an older copy of the folder cannot take the place. */
  placeId: string;
  /** The address of the node that has it. */
  url: string;
}

export interface Ledger extends Catalog, IngestLedger, AttemptLedger, QuarantineLedger, OutboxLedger {
  /** Sums of `succeeded`, `failed` and violations of the plan per source since that hour. */
  recentAttemptCounts(asked: { sinceHour: number }): Promise<AttemptCount[]>;
  /** Deletes a slice of the visitors' debug attempts. The visitors' ids must be masked as the debug history masks them. */
  eraseAttempts(slice: ErasureSlice): Promise<{ next: Cursor | null }>;
  /** Whether a workspace exists, that is, whether `setUp` has run. */
  isSetUp(): Promise<boolean>;
  /**
   * Deletes expired rows a slice at a time and rotates the key generations. Call it once a minute.
   * @param at.now of `deletionClock`
   */
  maintain(at: { now: number }): Promise<void>;
  /**
   * Gives some of the storage that the ledger no longer needs back to the disk. Call it once a second: the amount is bounded, so
   * that ingest does not wait for it.
   */
  releaseSpace(): Promise<void>;
  /** Checks that the ledger can be written. @throws StorageError when it cannot */
  probe(at: { now: number }): Promise<LedgerStatus>;
  /** Free space on the ledger's disk; Infinity when the disk belongs to a database server. */
  freeBytes(): Promise<number>;
  /** Also of a ledger that accepts nothing more, as far as it can be read: its events are still shipped. */
  outboxStatus(): Promise<OutboxStatus>;
  /** null: no node has had an embedded warehouse. */
  warehousePlace(): Promise<WarehousePlace | null>;
  /**
   * Takes the place for this node, under a new id. From then on only the node that has the place ships events.
   * @param place.knownIds the ids that the folder may have been claimed with
   * @throws OperatorError when the events are in another folder, and Error while another node has the same one
   */
  claimWarehouse(place: WarehousePlace & { knownIds: string[] }): Promise<void>;
  /** Calls the listener after a change made by another process or node. */
  onRemoteChange(listener: (change: LedgerChange) => void): void;
  close(): Promise<void>;
}
