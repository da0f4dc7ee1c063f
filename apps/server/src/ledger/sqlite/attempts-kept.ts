/**
 * Which attempts stay (CONTRACT section 6): of a source and kind the newest 200 that succeeded and the newest
 * 1,000 others, at least 20 of each code; a week; and so many bytes in all, of which successes give way first.
 * Numbers and bytes are counted in memory as rows come and go, so that a flush never counts the table.
 */

import type { StatementSync } from "node:sqlite";
import { SERVER_LIMITS } from "../../core/limits.ts";

/** What retention needs to know of a row. */
export interface KeptRow {
  source_id: string;
  kind: number;
  /** 0: succeeded. */
  other: number;
  code: string | null;
  bytes: number;
}
type StoredRow = KeptRow & { seq: number };

/** What one source and kind has. */
interface Group {
  sourceId: string;
  kind: number;
  succeeded: number;
  others: number;
  codes: Map<string, number>;
}

export interface Retention {
  /** Reads the numbers when they are not known. */
  load(): void;
  forget(): void;
  added(row: KeptRow): void;
  /** Deletes what is too much; true when a slice did not suffice. */
  prune(): boolean;
  /** Deletes a slice of what is older; true when there is more. */
  expire(before: number): boolean;
}

/** Rows deleted in one transaction beyond those that it replaces. */
const SLICE = 1_000;
const COLUMNS = "seq, source_id, kind, other, code, bytes";

export function createRetention(prepared: (sql: string) => StatementSync, storeBytes: number): Retention {
  const groups = new Map<string, Group>();
  const changed = new Set<Group>();
  let bytes = 0;
  let known = false;

  const groupOf = (sourceId: string, kind: number): Group => {
    const key = `${kind} ${sourceId}`;
    const known = groups.get(key);
    if (known) return known;
    const group: Group = { sourceId, kind, succeeded: 0, others: 0, codes: new Map() };
    groups.set(key, group);
    return group;
  };

  const tally = (row: KeptRow, count: number, rowBytes: number): Group => {
    const group = groupOf(row.source_id, row.kind);
    bytes += rowBytes;
    if (row.other === 0) group.succeeded += count;
    else {
      const code = row.code ?? "";
      group.others += count;
      group.codes.set(code, (group.codes.get(code) ?? 0) + count);
    }
    return group;
  };

  const remove = (row: StoredRow) => {
    prepared("delete from attempts where seq = ?").run(row.seq);
    const group = tally(row, -1, -row.bytes);
    if (group.succeeded + group.others === 0) groups.delete(`${row.kind} ${row.source_id}`);
  };

  const oldestOf = (group: Group, other: number, limit: number): StoredRow[] => {
    const sql = `select ${COLUMNS} from attempts where source_id = ? and kind = ? and other = ? order by seq limit ?`;
    return prepared(sql).all(group.sourceId, group.kind, other, limit) as unknown as StoredRow[];
  };

  /** The oldest others go, except the last few of a code; rows of many codes are few, so little is looked at in vain. */
  const removeOthers = (group: Group, excess: number) => {
    let left = excess;
    const protectedRows = group.codes.size * SERVER_LIMITS.attemptsPerCodeKept;
    for (const row of oldestOf(group, 1, excess + protectedRows)) {
      if (left === 0) return;
      if (group.codes.get(row.code ?? "")! <= SERVER_LIMITS.attemptsPerCodeKept) continue;
      remove(row);
      left--;
    }
  };

  /** A slice of them; true when there are none left. */
  const removeOldest = (other: number): boolean => {
    const sql = `select ${COLUMNS} from attempts where other = ${other} order by seq limit ${SLICE}`;
    const oldest = prepared(sql).all() as unknown as StoredRow[];
    for (const row of oldest) {
      if (bytes <= storeBytes) return false;
      remove(row);
    }
    return oldest.length < SLICE;
  };

  return {
    load() {
      if (known) return;
      const sql = `select source_id, kind, other, code, count(*) as rows, sum(bytes) as bytes from attempts
        group by source_id, kind, other, code`;
      for (const row of prepared(sql).all() as unknown as (KeptRow & { rows: number })[]) {
        changed.add(tally(row, row.rows, row.bytes));
      }
      known = true;
    },

    forget() {
      groups.clear();
      changed.clear();
      bytes = 0;
      known = false;
    },

    added(row) {
      changed.add(tally(row, 1, row.bytes));
    },

    prune() {
      for (const group of changed) {
        const succeeded = group.succeeded - SERVER_LIMITS.attemptsSucceededKept;
        if (succeeded > 0) for (const row of oldestOf(group, 0, succeeded)) remove(row);
        const others = group.others - SERVER_LIMITS.attemptsOtherKept;
        if (others > 0) removeOthers(group, others);
      }
      changed.clear();
      // while a success is left no failure goes
      if (bytes > storeBytes && removeOldest(0) && bytes > storeBytes) removeOldest(1);
      return bytes > storeBytes;
    },

    /** Rows are as old as their number says, but for the moments that requests take. */
    expire(before) {
      const sql = `select ${COLUMNS}, received_at from attempts order by seq limit ${SLICE}`;
      const oldest = prepared(sql).all() as unknown as (StoredRow & { received_at: number })[];
      const expired = oldest.filter((row) => row.received_at < before);
      for (const row of expired) remove(row);
      return expired.length === SLICE;
    },
  };
}
