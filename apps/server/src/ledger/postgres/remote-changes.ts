/**
 * Changes that other nodes make. The table `changes` has them from the transactions that make them, and every node reads what is
 * new twice a second. A read also returns what it may have seen before: the changes of all transactions that had not ended at the
 * read before. So none is missed, in whatever order transactions commit.
 */
import type pg from "pg";
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { LedgerChange } from "../ledger.ts";
import { openPool } from "./connections.ts";

/** Changed sessions that the other nodes do not know of yet. They see further changes after `SESSION_CACHE_MS`. */
const MAX_UNTOLD_SESSIONS = 10_000;
/** Changes that a node reads at once. If there are more, it drops all that it has cached. */
export const MAX_LEARNED_CHANGES = 5_000;

/** Exchanges changes with the other nodes. The row of this node is gone when the database lost its unlogged tables. */
const EXCHANGE = `with own as (
    insert into nodes values ($1, clock_timestamp()) on conflict (node_id) do nothing returning node_id
  ), told as (
    insert into changes (node_id, kind, source_id, session_id)
    select $1, 'session', source_id, session_id from unnest($3::text[], $4::text[]) as s (source_id, session_id)
  ), recent as (
    select kind, source_id as "sourceId", session_id as "sessionId" from changes
    where xid >= $2::xid8 and node_id is distinct from $1 limit ${MAX_LEARNED_CHANGES + 1}
  ), learned as (
    select distinct * from recent
  )
  select exists (select from own) as "wasForgotten", pg_snapshot_xmin(pg_current_snapshot())::text as next,
    case when (select count(*) from recent) <= ${MAX_LEARNED_CHANGES}
      then coalesce((select json_strip_nulls(json_agg(learned)) from learned), '[]') end as changes`;

interface Exchanged {
  wasForgotten: boolean;
  /** The oldest transaction that had not ended. */
  next: string;
  /** null: too many to name, as while somebody's transaction lasts long. */
  changes: LedgerChange[] | null;
}

const EVERYTHING: LedgerChange = { kind: "everything" };

interface RemoteChangesOptions {
  url: string;
  nodeId: string;
  oldest: string;
  onGap: () => void;
}

type ChangedSession = Pick<Extract<LedgerChange, { kind: "session" }>, "sourceId" | "sessionId">;

/**
 * Listeners get `everything` when changes may have been missed or are too many to name, and every half second while the database
 * does not answer.
 */
export class RemoteChanges {
  readonly #nodeId: string;
  readonly #pool: pg.Pool;
  readonly #timer: NodeJS.Timeout;
  readonly #listeners: ((change: LedgerChange) => void)[] = [];
  readonly #onGap: () => void;
  /** The changes of earlier transactions are known. null: changes may have been missed. */
  #next: string | null;
  #untold: ChangedSession[] = [];
  #exchanging: Promise<void> | null = null;

  /**
   * @param options.oldest the oldest transaction that had not ended when nothing was cached yet
   * @param options.onGap called when the database may be another one, or restored to an earlier state: after an exchange failed, and
   *   when the node was forgotten
   */
  constructor({ url, nodeId, oldest, onGap }: RemoteChangesOptions) {
    this.#nodeId = nodeId;
    this.#next = oldest;
    this.#onGap = onGap;
    // a connection of its own: it must not wait behind other queries
    this.#pool = openPool(url, 1);
    this.#timer = setInterval(() => this.#tick(), SERVER_LIMITS.changePollMs).unref();
    // connects before there is other work
    this.#tick();
  }

  onChange(listener: (change: LedgerChange) => void): void {
    this.#listeners.push(listener);
  }

  /** Tells the other nodes with the next exchange that a session has changed. If that fails, they see it after `SESSION_CACHE_MS`. */
  tell(session: ChangedSession): void {
    if (this.#untold.length < MAX_UNTOLD_SESSIONS) this.#untold.push(session);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#exchanging;
    if (this.#untold.length > 0) await this.#exchange().catch(() => undefined);
    await this.#pool.end();
  }

  #tick(): void {
    const late = this.#exchanging;
    this.#exchanging ??= this.#tryExchange();
    // the answer may have come while this process was too busy to read it
    if (late) setImmediate(() => this.#exchanging === late && this.#notify(EVERYTHING));
  }

  async #tryExchange(): Promise<void> {
    try {
      await this.#exchange();
    } catch {
      this.#next = null;
      this.#onGap();
      this.#notify(EVERYTHING);
    } finally {
      this.#exchanging = null;
    }
  }

  #notify(change: LedgerChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  async #exchange(): Promise<void> {
    const changed = this.#untold;
    this.#untold = [];
    const values = [
      this.#nodeId,
      this.#next,
      changed.map(({ sourceId }) => sourceId),
      changed.map(({ sessionId }) => sessionId),
    ];
    const { rows } = await this.#pool.query<Exchanged>(EXCHANGE, values);
    for (const row of rows) this.#learn(row);
  }

  #learn({ wasForgotten, next, changes }: Exchanged): void {
    const isComplete = this.#next !== null && !wasForgotten;
    this.#next = next;
    if (!isComplete) this.#onGap();
    const learned = isComplete ? changes : null;
    for (const change of learned ?? [EVERYTHING]) this.#notify(change);
  }
}
