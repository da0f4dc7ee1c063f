/** Reads the groups of a metrics query: from rollups or events, exactly or estimated, in one statement or in slices. */
import { SERVER_LIMITS } from "../core/limits.ts";
import {
  maxEventsAtOnce,
  mayEstimate,
  READ_BUDGET,
  type ReadFrom,
  readAccurately,
  readInMoreSlices,
  type Sampled,
} from "./accuracy.ts";
import { addTotals, canEstimate, isSumOverSessions, metricValue, totalsOf } from "./metrics.ts";
import {
  dimensionColumn,
  type MetricsQuery,
  metricColumn,
  type QueryPeriod,
  type QuerySlice,
} from "./metrics-query.ts";
import { MAX_SLICE_ROWS, metricsStatement } from "./metrics-sql.ts";
import { findDerivedDays, isIntact, type RollupCoverage, readCoverage } from "./rollups/freshness.ts";
import { filtersSessions, type RollupTable, tableFor } from "./rollups/query-sql.ts";
import type { RunQuery } from "./run-query.ts";
import { readSessionRanges, sessionSlicesFor } from "./sampled-scope.ts";
import { compareText } from "./sql.ts";

export type GroupKey = string | number | null;
/** A group of an answer. */
export interface ResultGroup {
  readonly keys: readonly GroupKey[];
  readonly metrics: readonly (number | null)[];
  readonly hash: string;
}

/** The dimensions, then numbers (metrics or totals), then the hash of the group. */
type WarehouseRow = GroupKey[];

const toNumber = (value: WarehouseRow[number] | undefined) => (typeof value === "number" ? value : null);

/** @param numbers how many metrics or totals the row has */
function splitRow({ dimensions }: MetricsQuery, row: WarehouseRow, numbers: number) {
  const end = dimensions.length + numbers;
  return {
    keys: row.slice(0, dimensions.length),
    numbers: row.slice(dimensions.length, end).map(toNumber),
    hash: String(row[end]),
  };
}

const totalNames = ({ metrics, goal }: MetricsQuery) => [...totalsOf(() => "", metrics, goal).keys()];
/** The part of a query that its statements are written from. */
interface Reading {
  readonly run: RunQuery;
  readonly query: MetricsQuery;
  readonly period: QueryPeriod;
  readonly coverage: RollupCoverage | null;
  /** How many events the period has. */
  readonly events: number;
}

async function readOnce({ run, query, period, coverage }: Reading): Promise<ResultGroup[]> {
  const rows = await run<WarehouseRow>(metricsStatement(query, period, coverage));
  return rows.map((row) => {
    const { keys, numbers, hash } = splitRow(query, row, query.metrics.length);
    return { keys, metrics: numbers, hash };
  });
}

const compareKeys = (one: GroupKey, other: GroupKey) =>
  typeof one === "number" && typeof other === "number"
    ? one - other
    : compareText(String(one), String(other));

/** Sorts as the statements do: missing values last, equal groups by their dimensions. */
export function sortGroups(
  { order, dimensions, metrics }: MetricsQuery,
  groups: ResultGroup[],
): ResultGroup[] {
  const keys = dimensions.map((_, index) => dimensionColumn(index));
  const columns = [...keys, ...metrics.map((_, index) => metricColumn(index))];
  const all = [...order, ...keys.map((column) => ({ column, isDescending: false }))].map(
    ({ column, isDescending }) => ({ at: columns.indexOf(column), sign: isDescending ? -1 : 1 }),
  );
  const valueAt = (group: ResultGroup, at: number) =>
    (at < keys.length ? group.keys[at] : group.metrics[at - keys.length]) ?? null;
  return groups.sort((one, other) => {
    for (const { at, sign } of all) {
      const [a, b] = [valueAt(one, at), valueAt(other, at)];
      if (a === b) continue;
      if (a === null) return 1;
      if (b === null) return -1;
      const compared = compareKeys(a, b);
      if (compared !== 0) return sign * compared;
    }
    return 0;
  });
}

/**
 * Reads the totals of each slice, one after the other, and adds them up.
 * @returns null when there are too many groups
 */
async function readSlices(reading: Reading, slices: readonly QuerySlice[]): Promise<ResultGroup[] | null> {
  const { run, query, period, coverage } = reading;
  const names = totalNames(query);
  const groups = new Map<string, { keys: GroupKey[]; totals: number[]; hash: string }>();
  for (const slice of slices) {
    const written = metricsStatement(query, period, coverage, slice);
    const rows = await run<WarehouseRow>({ ...written, maxRows: MAX_SLICE_ROWS });
    if (rows.length === MAX_SLICE_ROWS) return null;
    for (const row of rows) {
      const { keys, numbers, hash } = splitRow(query, row, names.length);
      const group = groups.get(hash) ?? { keys, totals: names.map(() => 0), hash };
      group.totals = names.map((name, at) => addTotals(name, group.totals[at] ?? 0, numbers[at] ?? 0));
      groups.set(hash, group);
    }
    if (groups.size > READ_BUDGET.maxGroupsOfSlices) return null;
  }
  const found = [...groups.values()].map(({ keys, totals, hash }) => {
    const totalOf = (name: string) => totals[names.indexOf(name)] ?? 0;
    return { keys, metrics: query.metrics.map((metric, index) => metricValue(metric, index, totalOf)), hash };
  });
  const { limit, offset } = query;
  return sortGroups(query, found).slice(offset, offset + limit);
}

/** How many slices of the visitors suit an exact answer from rollups. Only distinct visitors need memory for each event. */
function visitorSlicesFor(query: MetricsQuery, { events, maxEventsAtOnce: most }: RollupCoverage): number {
  let slices = 1;
  if (!totalNames(query).includes("visitors")) return slices;
  while (events > slices * most && slices < SERVER_LIMITS.maxStatsSlices) slices *= 2;
  return slices;
}

/** Whether the totals of slices of the sessions add up to those of all. */
const areSumsOverSessions = ({ metrics, goal, firstTouchWindowMs }: MetricsQuery): boolean =>
  firstTouchWindowMs === null && [...totalsOf(() => "", metrics, goal).values()].every(isSumOverSessions);

/** Divides the visitors of rollups, or the sessions of events. */
async function divide({ run, query, period, coverage }: Reading, slices: number): Promise<QuerySlice[]> {
  if (coverage !== null)
    return Array.from({ length: slices }, (_, index) => ({ kind: "visitors", index, of: slices }));
  const ranges = await readSessionRanges(run, query.scope, period.period, slices);
  return ranges.map((range) => ({ kind: "sessions", range }));
}

/** An answer with too many groups for slices is read at once, with sets of visitors that can use the disk. */
async function readExactly(reading: Reading): Promise<ResultGroup[]> {
  const { run, query, coverage, events } = reading;
  const addUp = coverage === null ? areSumsOverSessions(query) : canEstimate(query.metrics);
  if (!addUp) return readOnce(reading);
  const wanted = coverage === null ? sessionSlicesFor(run, events) : visitorSlicesFor(query, coverage);
  const read = async (count: number) => {
    const slices = await divide(reading, count);
    return slices.length < 2 ? readOnce(reading) : readSlices(reading, slices);
  };
  const isEstimated = mayEstimate(query.scope.accuracy, canEstimate(query.metrics));
  return (await readInMoreSlices(wanted, read, isEstimated)) ?? readOnce(reading);
}

const readFrom = (query: MetricsQuery, table: RollupTable): ReadFrom =>
  table === "eventRollups" && filtersSessions(query) ? "bothRollups" : table;

/** How often rollups are tried while an erasure drops them; after that all is derived from events. */
const MAX_ROLLUP_TRIES = 3;

export async function readGroups(
  run: RunQuery,
  query: MetricsQuery,
  period: QueryPeriod,
): Promise<Sampled<ResultGroup[]>> {
  const { scope, metrics } = query;
  for (let tries = 0; ; tries++) {
    const table = tries < MAX_ROLLUP_TRIES ? tableFor(query, period) : null;
    const { coverage: found, events } = await readCoverage(run, scope.sourceId, period.period);
    const usable = table && found;
    const from = usable && table ? readFrom(query, table) : "events";
    const size = { from, events, canEstimate: canEstimate(metrics) };
    const answer = await readAccurately(scope.accuracy, size, async (sample) => {
      const sampled = { ...scope, sample };
      const derivedDays =
        usable && from !== "eventRollups" ? await findDerivedDays(run, sampled, usable) : [];
      const coverage = usable && { ...usable, derivedDays, maxEventsAtOnce: maxEventsAtOnce(run) };
      const reading = { run, query: { ...query, scope: sampled }, period, coverage, events };
      return sample === 1 ? readExactly(reading) : readOnce(reading);
    });
    if (usable === null || (await isIntact(run, scope.sourceId, usable))) return answer;
  }
}
