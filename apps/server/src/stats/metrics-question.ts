/**
 * The question for metrics by dimensions: its statement for a part, and its groups from the totals that the parts return. Totals of
 * a query are further questions.
 */
import type { StatsTotal } from "@headwater/contract";
import { changesOf, grainOf } from "./buckets.ts";
import type { Period } from "./calendar.ts";
import { execute, type Found, MAX_PART_ROWS, type Question } from "./execute.ts";
import { readsFirstVisits } from "./sql/conditions.ts";
import { asText } from "./sql/dimensions.ts";
import { absentValue, eventSubqueries, eventsKindOf } from "./sql/from-events.ts";
import { readFrom, rollupTotals, tableFor } from "./sql/from-rollups.ts";
import { isEachGoal } from "./sql/goals.ts";
import {
  addTotals,
  canEstimate,
  hasShare,
  isOfVisitorType,
  isPercentile,
  isSumOverSessions,
  metricSql,
  metricValue,
  ROLLING_DAYS,
  type Totals,
  totalsOf,
  totalsOfNoGoal,
  whenEmpty,
} from "./sql/metrics.ts";
import {
  dimensionColumn,
  groupHash,
  isOfGoal,
  keyColumns,
  type MetricsQuery,
  type SqlContext,
  totalColumn,
} from "./sql/metrics-query.ts";
import { isOneOfMany, type QueryPart } from "./sql/part.ts";
import { hasFigureOfMany, readingsOf } from "./sql/rolling.ts";
import type { RunQuery } from "./sql/run-on.ts";
import { allOf, compareText, groupBy, list, type Statement, statement } from "./sql/statement.ts";

export type GroupKey = string | number | null;
/** A group of an answer. */
export interface ResultGroup {
  readonly keys: readonly GroupKey[];
  readonly metrics: readonly (number | null)[];
  /** Those of the group, and of the one whose figures it has in a period without an event of its own. */
  readonly hashes: readonly string[];
}

/** The dimensions, then the totals, then the hashes of the group. */
type GroupRow = readonly GroupKey[];

const NO_TEXT = asText("NULL");

/**
 * ClickHouse would move a long list of sessions into each of the tables that are read, and look them up in their primary keys, which
 * takes longer than to read some of the rows.
 */
const FILTER_AFTER_READING = "SETTINGS query_plan_filter_push_down = 0";

/** Adds up the totals of subqueries by group. All groups are returned for one part of many, else those of the page in its order. */
const metricsStatement = (query: MetricsQuery, part: QueryPart): Statement =>
  statement((bind) => {
    const { metrics, order, limit, offset } = query;
    const context: SqlContext = { bind, query, scope: { ...query.scope, part } };
    const keys = keyColumns(query);
    const totals = totalsOf(bind, query);
    const table = part.rollups && tableFor(query);
    const subqueries = readingsOf(query, totals).flatMap((reading) => {
      const ofReading = { ...context, query: reading.query };
      const written =
        part.rollups && table
          ? rollupTotals({ ...ofReading, rollups: part.rollups }, reading.totals, table)
          : eventSubqueries(ofReading, reading.totals);
      const columns = [...totals].map(([name, total]) => {
        const column = totalColumn(name);
        return reading.totals.has(name) ? column : `${absentValue(total)} AS ${column}`;
      });
      return written.map((sql) => `SELECT ${list([...keys, ...columns])} FROM (${sql})`);
    });
    const sums = [...totals.keys()].map((name) => `sum(${totalColumn(name)}) AS ${name}`);
    const ofNoGoal = keys.map((key, index) => (isOfGoal(query, query.dimensions[index]) ? NO_TEXT : key));
    const hashes = [
      ...(isEachGoal(query.goal) ? [groupHash(ofNoGoal)] : []),
      `${groupHash(keys)} AS groupHash`,
    ];
    const fields = [...keys, ...metrics.map((metric, index) => metricSql(query, metric, index))];
    const page = [
      ...order.map(
        ({ field, isDescending }) => `${fields[field]} ${isDescending ? "DESC" : "ASC"} NULLS LAST`,
      ),
      ...keys.map((key) => `${key} ASC NULLS LAST`),
    ];
    const groups = `SELECT ${list([...keys, ...sums])} FROM (${subqueries.join(" UNION ALL ")}) ${groupBy(keys)}`;
    return `SELECT ${list([...keys, ...totals.keys(), ...hashes])}
      FROM (${isEachGoal(query.goal) ? withTotalsOfNoGoal(query, totals, groups) : groups})
      WHERE ${query.groups ? `${groupHash(keys)} IN ${bind("Array(String)", query.groups)}` : isShown(query)}
      ${isOneOfMany(part) ? `LIMIT ${MAX_PART_ROWS}` : `ORDER BY ${list(page)} LIMIT ${bind("UInt32", limit)} OFFSET ${bind("UInt32", offset)}`}
      ${table === "bothRollups" ? FILTER_AFTER_READING : ""}`;
  });

/** Gives the rows of goals the totals of the rows of no goal that have the same values of all other dimensions. */
function withTotalsOfNoGoal(query: MetricsQuery, totals: Totals, groups: string): string {
  const others = query.dimensions.flatMap((one, index) =>
    isOfGoal(query, one) ? [] : [dimensionColumn(index)],
  );
  const partition = others.length === 0 ? "" : `PARTITION BY ${list(others)}`;
  const shared = totalsOfNoGoal(query, totals).map((name) => `sum(${name}) OVER (${partition}) AS ${name}`);
  return shared.length === 0 ? groups : `SELECT * REPLACE (${list(shared)}) FROM (${groups})`;
}

/** Leaves out the rows of no goal. Alone, goals that nobody reached have their figures. */
const isShown = ({ dimensions }: MetricsQuery): string =>
  allOf(
    dimensions.flatMap(({ kind }, index) =>
      kind === "goal" && dimensions.length > 1 ? [`isNotNull(${dimensionColumn(index)})`] : [],
    ),
  );

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
  const { scope, period, metrics, limit, offset } = query;
  const keys = keyColumns(query);
  // the values are not used here, so nothing is bound
  const totals = totalsOf(() => "", query);
  const readings = readingsOf(query, totals);
  const names = [...totals.keys()];
  const toGroup = (row: GroupRow, scale: number): ResultGroup => {
    const totalOf = (name: string) => {
      const [value, total] = [row[keys.length + names.indexOf(name)], totals.get(name)];
      if (typeof value !== "number") return null;
      return total && isPercentile(total) ? value : value * scale;
    };
    return {
      keys: row.slice(0, keys.length),
      metrics: metrics.map((metric, index) => metricValue(query, metric, index, totalOf)),
      hashes: row.slice(keys.length + names.length).map(String),
    };
  };
  const add = (one: GroupRow, other: GroupRow) =>
    one.map((value, at) => {
      const name = names[at - keys.length];
      return name === undefined ? value : addTotals(name, Number(value), Number(other[at]));
    });
  return {
    scope,
    period: { ...period, from: Math.min(...readings.map((one) => one.query.period.from)) },
    from: readFrom(query),
    canEstimate: canEstimate(metrics),
    addsUpSessions:
      query.touch === null &&
      totalsOfNoGoal(query, totals).length === 0 &&
      [...totals.values()].every(isSumOverSessions),
    countsVisitors: ["visitors", ...Object.keys(ROLLING_DAYS)].some((name) => totals.has(name)),
    eventsKind: eventsKindOf(query, totals),
    readsHistory: readsFirstVisits(scope, query.dimensions) || [...totals.values()].some(isOfVisitorType),
    addition: { keyOf: (row) => String(row.at(-1)), add },
    statement: (part) => metricsStatement(query, part),
    merge: (rows, scale, isAdded) => {
      const groups = rows.map((row) => toGroup(row, scale));
      return isAdded ? sortGroups(query, groups).slice(offset, offset + limit) : groups;
    },
  };
}

/** One group: a question whose figures are of all events that count. */
const oneGroup = (query: MetricsQuery): MetricsQuery => ({
  ...query,
  order: [{ field: 0, isDescending: true }],
  limit: 1,
  offset: 0,
});

interface PageOfQuery {
  readonly query: MetricsQuery;
  readonly compared: Period | null;
  /** null: it has all groups. */
  readonly page: readonly ResultGroup[] | null;
  /** The sample of the groups: shares are of the same visitors. */
  readonly sample: number;
}

/** The figures of all groups of a query together, and of those that are not on its page: further questions of the same kind. */
export async function readTotals(run: RunQuery, { query, compared, page, sample }: PageOfQuery) {
  const found: Found<ResultGroup[]>[] = [];
  const figuresOf = async (asked: MetricsQuery) => {
    const answer = await execute(run, { ...metricsQuestion(asked), sampleOfOthers: sample });
    found.push(answer);
    return query.metrics.map((metric, index) => {
      if (!hasFigureOfMany(metric, asked)) return null;
      return answer.value[0]?.metrics[index] ?? whenEmpty(query, metric, index);
    });
  };
  const read = async (asked: MetricsQuery): Promise<StatsTotal> => {
    const metrics = await figuresOf(asked);
    // the buckets of the compared period have other names
    if (compared === null || grainOf(asked.dimensions) !== null) return { metrics, comparison: null };
    const clockChanges = changesOf(query.scope.zone, asked.dimensions, compared);
    return { metrics, comparison: await figuresOf({ ...asked, period: compared, clockChanges }) };
  };
  const all = { ...oneGroup(query), dimensions: [], starts: [], names: [], clockChanges: [], touch: null };
  const except = page?.flatMap(({ hashes }) => hashes) ?? [];
  const total = await read(all);
  const other = page && (await read({ ...oneGroup(query), except }));
  const shareOf = ({ metrics }: ResultGroup) =>
    query.metrics.map((metric, index) => {
      const [part, whole] = [metrics[index] ?? null, total.metrics[index] ?? null];
      return part === null ||
        whole === null ||
        whole === 0 ||
        !hasShare(metric) ||
        !hasFigureOfMany(metric, query)
        ? null
        : part / whole;
    });
  return { found, total, other, shareOf };
}
