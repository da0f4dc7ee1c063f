/** GET /api/stats/host-split: whether visitors who go from one host of the source to another count on both. */
import type { StatsHostSplitAnswer } from "@headwater/contract";
import { siteOf } from "../channels/public-suffixes.ts";
import { IS_PAGE_VIEW } from "../clickhouse/schema/event-types.ts";
import type { Call } from "../http/handler.ts";
import { answerHead, execute, ofVisitors, type Question } from "./execute.ts";
import { readScope } from "./scope.ts";
import { inPeriod, ofSource, type QueryScope } from "./sql/conditions.ts";
import type { RunQuery } from "./sql/run-on.ts";
import { statement } from "./sql/statement.ts";

/** Fewer visitors may be one person who tests, and a smaller share changes no figure that is shown in whole percent. */
const MIN_SPLIT_VISITORS = 5;
const MIN_SPLIT_SHARE = 0.01;

/** More pairs of hosts of one visitor are left out, which bounds the memory. */
const MAX_VIEWS = 32;
const MAX_ROWS = 1_000;

type HostRow = readonly [host: string, cameFrom: string, visitors: number];
type HostSplit = Pick<StatsHostSplitAnswer, "split">;

/**
 * @param rows without `cameFrom`: the visitors of the host. With it: those who came from there and have no view there, which includes
 * visitors from other sites
 */
function findSplit(rows: readonly HostRow[], scale: number): HostSplit {
  const visitorsOf = new Map(
    rows.flatMap(([host, cameFrom, visitors]) => (cameFrom === "" ? [[host, visitors]] : [])),
  );
  const all = [...visitorsOf.values()].reduce((sum, visitors) => sum + visitors, 0);
  const minVisitors = Math.max(MIN_SPLIT_VISITORS, MIN_SPLIT_SHARE * all);
  // a name that somebody has sent once is no host of the source
  const isSplit = ([, cameFrom, visitors]: HostRow) =>
    visitors >= minVisitors && (visitorsOf.get(cameFrom) ?? 0) >= minVisitors;
  const [toHost, fromHost, visitors] = rows.find(isSplit) ?? [];
  if (toHost === undefined || fromHost === undefined || visitors === undefined) return { split: null };
  const option = siteOf(fromHost) === siteOf(toHost) ? "crossSubdomain" : "linkDomains";
  return { split: { fromHost, toHost, visitors: visitors * scale, option } };
}

/**
 * One pass over the page views. A visitor whom an option has kept has views on both hosts. The stored `referrerHost` is null for the
 * site's own pages, the referrer is not.
 */
const hostSplitQuestion = (scope: QueryScope): Question<HostRow, HostSplit> => ({
  ...ofVisitors(scope),
  statement: (part) =>
    statement((bind) => {
      const views = `${ofSource(bind, { ...scope, part })} AND ${inPeriod(bind, scope.range)} AND ${IS_PAGE_VIEW}`;
      return `SELECT pair.1, pair.2, visitors FROM (SELECT arrayJoin(arrayConcat(
          arrayMap(host -> (host, ''), arrayDistinct(views.1) AS hosts),
          arrayFilter(view -> view.2 != '' AND NOT has(hosts, view.2), views))) AS pair, count() AS visitors
        FROM (
          SELECT groupUniqArray(${MAX_VIEWS})((assumeNotNull(toString(page.host)), domain(ifNull(page.referrer, '')))) AS views
          FROM events WHERE ${views} AND page.host IS NOT NULL GROUP BY visitor
        ) GROUP BY pair ORDER BY visitors DESC, pair LIMIT ${MAX_ROWS})`;
    }),
  merge: findSplit,
});

export async function answerHostSplit(
  run: RunQuery,
  { source: { sourceId }, now }: Pick<Call<"getHostSplit">, "source" | "now">,
): Promise<StatsHostSplitAnswer> {
  const scope = readScope({ sourceId, dateRange: "7d", accuracy: "fast" }, now);
  const found = await execute(run, hostSplitQuestion(scope));
  return { ...answerHead(scope, found), ...found.value };
}
