/**
 * The ledger: what was promised. Sources, members, tokens, audit, sessions, attempts, the keys of accepted
 * events and the outbox. One verb is one transaction; there is no way to hold one open from outside.
 * Every verb takes one plain value and answers with one, so that an adapter may live in a thread or behind
 * a socket. A verb rejects with StorageError when the storage fails; nothing of it was then stored.
 */
import type { ErasureStatus } from "@headwater/contract";
import type {
  AlertStatus,
  AttemptCount,
  AttemptFilter,
  AttemptRow,
  Commit,
  Committed,
  KeyedSource,
  OpenErasure,
  OutboxPage,
  OutboxRow,
  PendingAlert,
  Place,
  SessionRecord,
  StoredAttempt,
  Visitor,
  WatchedSource,
} from "../core/records.ts";
import type { Register } from "./register.ts";

export type { Register, SourceChange } from "./register.ts";

/** The storage did not do it. `full`: for want of disk space. */
export class StorageError extends Error {
  readonly full: boolean;
  constructor(message: string, full: boolean, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StorageError";
    this.full = full;
  }
}

/** More waits for the ledger than may wait; nothing of the commit was stored. */
export class LedgerBusy extends Error {
  constructor() {
    super("the ledger's queue is full");
    this.name = "LedgerBusy";
  }
}

/** What may be remembered wrongly from now on: one source, one session, any token, or everything. */
export type Change =
  | { of: "source"; sourceId: string }
  | { of: "session"; sourceId: string; sessionId: string }
  | { of: "tokens" }
  | { of: "everything"; sourceId?: undefined };

/** Called for every ingest request: written by hand for each engine. */
export interface IngestLedger {
  sourceByKey(asked: { publicKey: string; now: number }): Promise<KeyedSource | null>;
  session(asked: { sourceId: string; sessionId: string }): Promise<SessionRecord | null>;
  /** All or nothing, durable when it resolves. Concurrent calls share transactions. */
  commit(commit: Commit): Promise<Committed>;
  /** A commit named the session's user: other nodes are told, soon and by the way. */
  notifySessionChanged(session: { sourceId: string; sessionId: string }): void;
}

export interface AttemptLedger {
  recordAttempts(batch: { rows: AttemptRow[]; counts: AttemptCount[] }): Promise<void>;
  attempts(filter: AttemptFilter): Promise<StoredAttempt[]>;
  attemptCounts(asked: { sourceId: string; sinceHour: number }): Promise<AttemptCount[]>;
}

export interface TakePage {
  pageId: string;
  now: number;
  maxEvents: number;
  leaseMs: number;
}

/** What was accepted and is not in the warehouse yet. */
export interface OutboxLedger {
  /**
   * Claims a page of the outbox: the oldest sealed one that nobody works at, or else a new one, sealed from what waits.
   * What is in a page, and in which order, never changes. null: nothing is to be done.
   * @param asked.pageId of the page that may be sealed
   * @param asked.maxEvents in a page that is sealed now, unless what was committed at once has more
   * @param asked.leaseMs when it has passed, the page may be claimed again
   */
  takePage(asked: TakePage): Promise<OutboxPage | null>;
  /** The page is in the warehouse: it is forgotten here. */
  deletePage(done: { pageId: string }): Promise<void>;
  /** The page is not (for all that is known) in the warehouse: it may be claimed again when `waitMs` have passed. */
  releasePage(given: { pageId: string; now: number; waitMs: number }): Promise<void>;
  /** Rows of the outbox that may have events of the source, in order, after one of them; nobody's claim is touched. */
  readOutbox(asked: { sourceId: string; after: number; limit: number }): Promise<OutboxRow[]>;
  /** Deletes what was accepted before then, a slice at a call, where there is no warehouse; true while there is more. */
  expireOutbox(at: { before: number }): Promise<boolean>;
}

/** What a visitor's erasure does to the ledger. Every verb may be called again, and by another node. */
export interface ErasureLedger {
  /** Claims erasures that are not done, new ones first, then in turn; each is one node's until its lease has passed. */
  takeErasures(asked: { now: number; leaseMs: number; limit: number }): Promise<OpenErasure[]>;
  /** Keeps what was claimed for so long, or with 0 lets go of it, behind all others that wait. */
  holdErasures(held: { receiptIds: string[]; now: number; leaseMs: number }): Promise<void>;
  /**
   * Forward only: what is no longer where it comes from stays as it is, because another node went on with it.
   * @param moved.pages for `shipping`; with `done` the visitor's id is forgotten
   */
  moveErasures(moved: {
    receiptIds: string[];
    from: ErasureStatus;
    status: ErasureStatus;
    pages: string[];
    now: number;
  }): Promise<void>;
  /** Deletes a slice of the visitors' sessions, and says which. */
  eraseSessions(asked: {
    visitors: Visitor[];
    after: Place;
  }): Promise<{ erased: { sourceId: string; sessionId: string }[]; next: Place }>;
  /** Takes the visitors' events out of a slice of what waits; what is in a sealed page only if `sealed`. */
  eraseWaiting(asked: { visitors: Visitor[]; after: Place; sealed: boolean }): Promise<{ next: Place }>;
  /**
   * Deletes the visitors' debug attempts out of a slice.
   * @param asked.visitors by their ids as the debug view writes them
   */
  eraseAttempts(asked: { visitors: Visitor[]; after: Place }): Promise<{ next: Place }>;
  /** The sources whose events are not kept for ever, deleted ones too. */
  retentions(): Promise<{ sourceId: string; retentionDays: number }[]>;
  /** The pages that are sealed and not shipped. */
  sealedPages(): Promise<string[]>;
}

/** What alerts of sources rest on. */
export interface AlertLedger {
  /** Active sources that have received something, in the order of their ids, after that one. */
  watchedSources(asked: { after: string; limit: number }): Promise<WatchedSource[]>;
  /** What succeeded and failed of every source since that hour, added up. */
  recentCounts(asked: { sinceHour: number }): Promise<AttemptCount[]>;
  /**
   * The source is seen as something else now; an alert of it that was not sent yet is replaced.
   * @param seen.was null: it was never looked at
   * @param seen.alertId null: nobody is to be told
   * @returns false: another node has seen it first
   */
  seeSource(seen: {
    sourceId: string;
    was: AlertStatus | null;
    status: AlertStatus;
    alertId: string | null;
    now: number;
  }): Promise<boolean>;
  /** Claims alerts that are due, until `retryMs` (by the number of tries before) have passed. */
  takeAlerts(asked: { now: number; limit: number; retryMs: readonly number[] }): Promise<PendingAlert[]>;
  /** It was told, or is given up. */
  endAlert(ended: { sourceId: string; alertId: string }): Promise<void>;
}

export interface LedgerStatus {
  outboxEvents: number;
  outboxBytes: number;
  /** When the oldest of them came; null when nothing waits. */
  outboxOldestAt: number | null;
  /** On the ledger's disk; infinite where that is another machine's affair. */
  freeBytes: number;
  /** That serve from this ledger just now, this one among them. */
  nodes: number;
}

export interface Ledger
  extends Register,
    IngestLedger,
    AttemptLedger,
    OutboxLedger,
    ErasureLedger,
    AlertLedger {
  /** Whether `setUp` has made a workspace. */
  isSetUp(): Promise<boolean>;
  /**
   * Deletes what is past its time, a slice at a time, and turns key generations; call it every minute. A ledger that
   * several nodes share goes by a clock of its own.
   */
  maintain(at: { now: number }): Promise<void>;
  /** Rejects with StorageError when the ledger cannot be written. */
  probe(at: { now: number }): Promise<LedgerStatus>;
  /** Calls back when another process or node changed what may be remembered here. */
  onForeignChange(listener: (change: Change) => void): void;
  close(): Promise<void>;
}
