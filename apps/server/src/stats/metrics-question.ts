/** The question for metrics by dimensions: its statement for a part, and its groups from the totals that the parts return. */
import { MAX_PART_ROWS, type Question } from "./execute.ts";
import { eventSubqueries } from "./sql/from-events.ts";
import { readFrom, rollupTotals, tableFor } from "./sql/from-rollups.ts";
import {
  addTotals,
  canEstimate,
  isSumOverSessions,
  metricSql,
  metricValue,
  totalsOf,
} from "./sql/metrics.ts";
import { dimensionColumn, type MetricsQuery, type SqlContext, totalColumn } from "./sql/metrics-query.ts";
import { isOneOfMany, type QueryPart } from "./sql/part.ts";
import { compareText, groupBy, list, type Statement, statement } from "./sql/statement.ts";

export type GroupKey = string | number | null;
/** A group of an answer. */
export interface ResultGroup {
  readonly keys: readonly GroupKey[];
  readonly metrics: readonly (number | null)[];
  readonly hash: string;
}

/** The dimensions, then the totals, then the hash of the group. */
type GroupRow = readonly GroupKey[];

/** A hash of a group's dimensions. With it, the query of the comparison period selects the groups of the main result. */
const groupHash = (keys: readonly string[]) =>
  `toString(sipHash64(${list(keys.flatMap((key) => [`isNull(${key})`, `ifNull(toString(${key}), '')`])) || "1"}))`;

/**
 * ClickHouse would move a long list of sessions into each of the tables that are read, and look them up in their primary keys, which
 * takes longer than to read some of the rows.
 */
const FILTER_AFTER_READING = "SETTINGS query_plan_filter_push_down = 0";

/** Adds up the totals of subqueries by group. All groups are returned for one part of many, else those of the page in its order. */
const metricsStatement = (query: MetricsQuery, part: QueryPart): Statement =>
  statement((bind) => {
    const { metrics, goal, order, limit, offset } = query;
    const context: SqlContext = { bind, query, scope: { ...query.scope, part } };
    const keys = query.dimensions.map((_, index) => dimensionColumn(index));
    const totals = totalsOf(bind, metrics, goal);
    const table = part.rollups && tableFor(query);
    const subqueries =
      part.rollups && table
        ? rollupTotals({ ...context, rollups: part.rollups }, totals, table)
        : eventSubqueries(context, totals);
    const sums = [...totals.keys()].map((name) => `sum(${totalColumn(name)}) AS ${name}`);
    const hash = groupHash(keys);
    const fields = [...keys, ...metrics.map(metricSql)];
    const page = [
      ...order.map(
        ({ field, isDescending }) => `${fields[field]} ${isDescending ? "DESC" : "ASC"} NULLS LAST`,
      ),
      ...keys.map((key) => `${key} ASC NULLS LAST`),
    ];
    return `SELECT ${list([...keys, ...totals.keys(), `${hash} AS groupHash`])}
      FROM (SELECT ${list([...keys, ...sums])} FROM (${subqueries.join(" UNION ALL ")}) ${groupBy(keys)})
      ${query.groups ? `WHERE ${hash} IN ${bind("Array(String)", query.groups)}` : ""}
      ${isOneOfMany(part) ? `LIMIT ${MAX_PART_ROWS}` : `ORDER BY ${list(page)} LIMIT ${bind("UInt32", limit)} OFFSET ${bind("UInt32", offset)}`}
      ${table === "bothRollups" ? FILTER_AFTER_READING : ""}`;
  });

const compareKeys = (one: GroupKey, other: GroupKey) =>
  typeof one === "number" && typeof other === "number"
    ? one - other
    : compareText(String(one), String(other));

/** Sorts as the statements do: missing values last, equal groups by their dimensions. */
export function sortGroups<Group extends Pick<ResultGroup, "keys" | "metrics">>(
  { order, dimensions }: Pick<MetricsQuery, "order"> & { readonly dimensions: readonly unknown[] },
  groups: Group[],
): Group[] {
  const all = [...order, ...dimensions.map((_, field) => ({ field, isDescending: false }))];
  const valueAt = ({ keys, metrics }: Group, field: number) =>
    (field < keys.length ? keys[field] : metrics[field - keys.length]) ?? null;
  return groups.sort((one, other) => {
    for (const { field, isDescending } of all) {
      const [a, b] = [valueAt(one, field), valueAt(other, field)];
      if (a === b) continue;
      if (a === null) return 1;
      if (b === null) return -1;
      const compared = compareKeys(a, b);
      if (compared !== 0) return isDescending ? -compared : compared;
    }
    return 0;
  });
}

export function metricsQuestion(query: MetricsQuery): Question<GroupRow, ResultGroup[]> {
  const { scope, period, metrics, dimensions, limit, offset } = query;
  // the values are not used here, so nothing is bound
  const totals = totalsOf(() => "", metrics, query.goal);
  const names = [...totals.keys()];
  const toGroup = (row: GroupRow, scale: number): ResultGroup => {
    const totalOf = (name: string) => {
      const value = row[dimensions.length + names.indexOf(name)];
      return typeof value === "number" ? value * scale : null;
    };
    return {
      keys: row.slice(0, dimensions.length),
      metrics: metrics.map((metric, index) => metricValue(metric, index, totalOf)),
      hash: String(row.at(-1)),
    };
  };
  const add = (one: GroupRow, other: GroupRow) =>
    one.map((value, at) => {
      const name = names[at - dimensions.length];
      return name === undefined ? value : addTotals(name, Number(value), Number(other[at]));
    });
  return {
    scope,
    period,
    from: readFrom(query),
    addsUpVisitors: canEstimate(metrics),
    addsUpSessions: query.firstTouchWindowMs === null && [...totals.values()].every(isSumOverSessions),
    countsVisitors: totals.has("visitors"),
    addition: { keyOf: (row) => String(row.at(-1)), add },
    statement: (part) => metricsStatement(query, part),
    merge: (rows, scale, isAdded) => {
      const groups = rows.map((row) => toGroup(row, scale));
      return isAdded ? sortGroups(query, groups).slice(offset, offset + limit) : groups;
    },
  };
}
