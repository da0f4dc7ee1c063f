/**
 * Which attempts stay (docs/api/debug.md): the newest 200 that succeeded and the newest 1,000 others of each
 * source and kind, at least 20 of each code; for a week; and within a number of bytes, for which successes are deleted
 * first. Numbers and bytes are counted in memory as rows come and go, so that a write never counts the table.
 */
import { SERVER_LIMITS } from "../../core/limits.ts";
import type { Statements } from "./statements.ts";

/** The columns of an attempt that retention needs. */
export interface RetentionFacts {
  sourceId: string;
  kind: number;
  /** 0: it succeeded. */
  other: number;
  code: string | null;
  bytes: number;
}
type RetainedRow = RetentionFacts & { seq: number };

/** How many attempts of one source and kind are stored. */
interface RetentionGroup {
  sourceId: string;
  kind: number;
  succeeded: number;
  others: number;
  /** How many of the others have each code. */
  codes: Map<string, number>;
}

export interface Retention {
  /** Forgets the totals, because they may be wrong. They are counted again when they are next needed. */
  reset(): void;
  /** Adds a row to the totals. Call it before the row is inserted: if this counts the table, the row must not be counted twice. */
  beforeInsert(facts: RetentionFacts): void;
  /** Deletes rows that exceed the limits, a bounded number at once; true when there are more. */
  deleteExcess(): boolean;
  /** Deletes a slice of the rows received before that time; true when there may be more. */
  deleteExpired(before: number): boolean;
}

/** Rows deleted in one transaction beyond those that new ones replace. */
const SLICE_ROWS = 1_000;
const COLUMNS = "seq, source_id as sourceId, kind, other, code, bytes";
const TOTALS = `select source_id as sourceId, kind, other, code, count(*) as count, sum(bytes) as bytes from attempts
  group by source_id, kind, other, code`;
const OLDEST_OF_GROUP = `select ${COLUMNS} from attempts where source_id = ? and kind = ? and other = ? order by seq limit ?`;
// `other` is written into the statement because one of the indexes holds only successes
const oldestOf = (other: 0 | 1) =>
  `select ${COLUMNS} from attempts where other = ${other} order by seq limit ${SLICE_ROWS}`;
const OLDEST = `select ${COLUMNS}, received_at as receivedAt from attempts order by seq limit ${SLICE_ROWS}`;

const keyOf = ({ sourceId, kind }: Pick<RetentionFacts, "sourceId" | "kind">) => `${kind} ${sourceId}`;

/** The number of stored attempts by source and kind, and their bytes. */
function createTotals() {
  const groups = new Map<string, RetentionGroup>();
  let bytes = 0;
  return {
    bytes: () => bytes,
    /** @param count number of attempts with these facts, negative when they are deleted. `facts.bytes` is the size of all of them */
    add(facts: RetentionFacts, count: number): RetentionGroup {
      const { sourceId, kind, other, code } = facts;
      const group = groups.get(keyOf(facts)) ?? { sourceId, kind, succeeded: 0, others: 0, codes: new Map() };
      groups.set(keyOf(facts), group);
      bytes += count < 0 ? -facts.bytes : facts.bytes;
      if (other === 0) group.succeeded += count;
      else {
        group.others += count;
        group.codes.set(code ?? "", (group.codes.get(code ?? "") ?? 0) + count);
      }
      if (group.succeeded + group.others === 0) groups.delete(keyOf(facts));
      return group;
    },
  };
}

/** Totals of the stored attempts, counted when they are first needed. `remove` deletes an attempt and keeps the totals right. */
function createCountedAttempts(sql: Statements) {
  /** null: not counted yet. */
  let totals: ReturnType<typeof createTotals> | null = null;
  /** The groups that have grown since their excess was last deleted. */
  const grown = new Set<RetentionGroup>();

  const counted = () => {
    if (totals) return totals;
    totals = createTotals();
    for (const row of sql.all<RetentionFacts & { count: number }>(TOTALS))
      grown.add(totals.add(row, row.count));
    return totals;
  };

  return {
    reset() {
      totals = null;
      grown.clear();
    },
    bytes: () => counted().bytes(),
    add: (facts: RetentionFacts) => void grown.add(counted().add(facts, 1)),
    takeGrown(): RetentionGroup[] {
      counted();
      const groups = [...grown];
      grown.clear();
      return groups;
    },
    remove(row: RetainedRow) {
      counted().add(row, -1);
      sql.run("delete from attempts where seq = ?", row.seq);
    },
  };
}

export function createRetention(sql: Statements, maxBytes: number): Retention {
  const attempts = createCountedAttempts(sql);
  const isTooLarge = () => attempts.bytes() > maxBytes;

  const oldestOfGroup = ({ sourceId, kind }: RetentionGroup, other: 0 | 1, limit: number) =>
    sql.all<RetainedRow>(OLDEST_OF_GROUP, sourceId, kind, other, limit);

  /** Deletes the oldest others, except the last few of each code. */
  const removeOthers = (group: RetentionGroup, excess: number) => {
    let left = excess;
    const protectedRows = group.codes.size * SERVER_LIMITS.attemptsPerCodeKept;
    for (const row of oldestOfGroup(group, 1, excess + protectedRows)) {
      if (left === 0) return;
      if ((group.codes.get(row.code ?? "") ?? 0) <= SERVER_LIMITS.attemptsPerCodeKept) continue;
      attempts.remove(row);
      left--;
    }
  };

  /** Deletes a slice of the oldest while the store is too large; true when none of them is left. */
  const removeOldest = (other: 0 | 1): boolean => {
    const oldest = sql.all<RetainedRow>(oldestOf(other));
    for (const row of oldest) {
      if (!isTooLarge()) return false;
      attempts.remove(row);
    }
    return oldest.length < SLICE_ROWS;
  };

  return {
    reset: attempts.reset,

    beforeInsert: attempts.add,

    deleteExcess() {
      for (const group of attempts.takeGrown()) {
        const succeeded = group.succeeded - SERVER_LIMITS.attemptsSucceededKept;
        if (succeeded > 0) for (const row of oldestOfGroup(group, 0, succeeded)) attempts.remove(row);
        const others = group.others - SERVER_LIMITS.attemptsOtherKept;
        if (others > 0) removeOthers(group, others);
      }
      // a failure is deleted only when no success is left
      if (isTooLarge() && removeOldest(0) && isTooLarge()) removeOldest(1);
      return isTooLarge();
    },

    /** Rows are numbered in the order of writing. It differs from the order of age by at most the duration of a request. */
    deleteExpired(before) {
      const oldest = sql.all<RetainedRow & { receivedAt: number }>(OLDEST);
      const expired = oldest.filter((row) => row.receivedAt < before);
      for (const row of expired) attempts.remove(row);
      return expired.length === SLICE_ROWS;
    },
  };
}
