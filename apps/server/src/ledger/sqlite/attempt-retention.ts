/**
 * Which attempts stay (docs/api/debug.md): the newest 200 that succeeded and the newest 1,000 others of each
 * source and kind, at least 20 of each code; for a week; and within a number of bytes, for which successes are deleted
 * first. PostgreSQL has the same statements in functions (`postgres/attempts-ddl.ts`).
 */
import { SERVER_LIMITS } from "../../core/limits.ts";
import { SUPERFLUOUS_OTHERS } from "../attempt-queries.ts";
import type { AttemptRow } from "../records.ts";
import type { Statements } from "./statements.ts";

/** Rows deleted in one transaction beyond those that new ones replace. */
const SLICE_ROWS = 1_000;
const { attemptsSucceededKept, attemptsOtherKept, attemptsPerCodeKept } = SERVER_LIMITS;

const BYTES = "select coalesce(sum(bytes), 0) as bytes from attempts";
const OLD_SUCCESSES = `source_id = ?1 and kind = ?2 and other = 0 and seq <= (
  select seq from attempts where source_id = ?1 and kind = ?2 and other = 0
  order by seq desc limit 1 offset ${attemptsSucceededKept})`;
const HAS_MANY_OTHERS = `select 1 from attempts where source_id = ? and kind = ? and other = 1
  order by seq desc limit 1 offset ${attemptsOtherKept + SUPERFLUOUS_OTHERS}`;
/** The last few of each code are kept first. */
const OLD_OTHERS = `seq in (select seq from (
    select seq, row_number() over (partition by code order by seq desc) as of_code
    from attempts where source_id = ? and kind = ? and other = 1
  ) order by of_code <= ${attemptsPerCodeKept} desc, seq desc limit -1 offset ${attemptsOtherKept})`;
/** @param other is written into the statement because one of the indexes holds only successes */
const oldestOf = (other: 0 | 1) => `seq in (select seq from (
    select seq, sum(bytes) over (order by seq) - bytes as before
    from attempts where other = ${other} order by seq limit ${SLICE_ROWS}
  ) where before < ?)`;
/** Rows are numbered in the order of writing. It differs from the order of age by at most the duration of a request. */
const EXPIRED = `seq in (select seq from (
    select seq, received_at from attempts order by seq limit ${SLICE_ROWS}
  ) where received_at < ?)`;

export class AttemptRetention {
  readonly #sql: Statements;
  readonly #maxBytes: number;
  /** The bytes of all attempts. null: they are counted when this is next needed. */
  #bytes: number | null = null;

  constructor(sql: Statements, maxBytes: number) {
    this.#sql = sql;
    this.#maxBytes = maxBytes;
  }

  /** To be called when attempts were deleted by others, or when a transaction has failed. */
  forgetBytes(): void {
    this.#bytes = null;
  }

  /** Deletes attempts that exceed the limits after these were added, a bounded number at once. */
  makeRoom(added: readonly AttemptRow[], addedBytes: number): void {
    if (this.#bytes !== null) this.#bytes += addedBytes;
    for (const { sourceId, kind } of new Map(
      added.map((row) => [`${row.kind} ${row.sourceId}`, row]),
    ).values()) {
      this.#delete(OLD_SUCCESSES, sourceId, kind);
      if (this.#sql.get(HAS_MANY_OTHERS, sourceId, kind)) this.#delete(OLD_OTHERS, sourceId, kind);
    }
    this.fit();
  }

  /** Deletes a slice of the oldest attempts while they take too many bytes; true when there are more. */
  fit(): boolean {
    if (this.#excess() > 0) this.#delete(oldestOf(0), this.#excess());
    // a failure is deleted only when no success is left
    if (this.#excess() > 0 && !this.#sql.get("select 1 from attempts where other = 0 limit 1"))
      this.#delete(oldestOf(1), this.#excess());
    return this.#excess() > 0;
  }

  /** Deletes a slice of the attempts received before that time; true when there may be more. */
  deleteExpired(before: number): boolean {
    return this.#delete(EXPIRED, before) === SLICE_ROWS;
  }

  #excess(): number {
    this.#bytes ??= this.#sql.get<{ bytes: number }>(BYTES)?.bytes ?? 0;
    return this.#bytes - this.#maxBytes;
  }

  #delete(condition: string, ...values: (string | number)[]): number {
    const deleted = this.#sql.all<{ bytes: number }>(
      `delete from attempts where ${condition} returning bytes`,
      ...values,
    );
    if (this.#bytes !== null) for (const { bytes } of deleted) this.#bytes -= bytes;
    return deleted.length;
  }
}
