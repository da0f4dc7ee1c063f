/** POST /api/stats/paths: counts the sessions that went from one page to the next, for each step. */
import type { StatsPathsAnswer, StatsPathsBody } from "@headwater/contract";
import { IS_PAGE_VIEW, OPENS_SESSION } from "../clickhouse/schema/event-types.ts";
import { accuracyOf, partSql, partsOf } from "./accuracy.ts";
import { estimateSums } from "./error-bound.ts";
import type { RunQuery } from "./run-query.ts";
import { readEvents } from "./sampled-scope.ts";
import { answerHead, type Computed, eventConditions, inPeriod, type QueryScope, readScope } from "./scope.ts";
import { type Statement, statement } from "./sql.ts";

const DEFAULT_STEPS = 3;
const DEFAULT_TRANSITIONS_PER_STEP = 20;

interface PathsOptions {
  /** null: paths begin at the entry page. */
  readonly startPage: string | null;
  /** The pages that paths begin with, in order, as far as a step goes. */
  readonly through: readonly string[];
  readonly steps: number;
  /** The maximum number of transitions, from one page to the next, that the answer has for each step. */
  readonly limit: number;
}

/**
 * Views of the same page one after the other count as one step. Sessions without the start page are left out. Views of the same
 * millisecond are taken in the order of their paths: to read the ids of events would take longer than all else.
 */
const pathsStatement = (scope: QueryScope, { startPage, through, steps, limit }: PathsOptions): Statement =>
  statement((bind) => {
    const { sessionEvents, filters } = eventConditions(bind, scope, scope.range);
    const views = `groupArrayIf((occurredAt, assumeNotNull(page.path)), ${IS_PAGE_VIEW} AND page.path IS NOT NULL)`;
    const start = startPage === null ? "1" : `indexOf(pages, ${bind("String", startPage)})`;
    const numbers = `range(1, least(${bind("UInt32", steps)}, length(path)) + 1)`;
    const first = `arraySlice(${bind("Array(String)", through)}, 1, at)`;
    const taken =
      through.length === 0
        ? numbers
        : `arrayFilter(at -> arraySlice(path, 1, length(${first})) = ${first}, ${numbers})`;
    return `SELECT tupleElement(step, 1) AS number, tupleElement(step, 2) AS fromPage, tupleElement(step, 3) AS toPage, ${partsOf(scope)} AS parts
      FROM (
        SELECT ${partSql(scope.sample, "any(visitor)")} AS part, arrayCompact(arrayMap(view -> tupleElement(view, 2), arraySort(${views}))) AS pages,
          ${start} AS start,
          if(start = 0, [], arraySlice(pages, start, ${bind("UInt32", steps)} + 1)) AS path
        FROM events WHERE ${sessionEvents} GROUP BY session
        HAVING ${inPeriod(bind, scope.range, `minIf(occurredAt, ${OPENS_SESSION})`)} AND max(${filters})
      )
      ARRAY JOIN arrayMap(at -> (at, path[at], if(at < length(path), path[at + 1], NULL)), ${taken}) AS step
      GROUP BY number, fromPage, toPage
      ORDER BY number, arraySum(parts) DESC, fromPage, toPage NULLS LAST
      LIMIT ${bind("UInt32", limit)} BY number`;
  });

export async function answerPaths(
  run: RunQuery,
  body: StatsPathsBody,
  now: number,
): Promise<Computed<StatsPathsAnswer>> {
  const {
    startPage = null,
    through = [],
    steps = DEFAULT_STEPS,
    limit = DEFAULT_TRANSITIONS_PER_STEP,
  } = body;
  const scope = readScope(body, now);
  const { value: paths, ...precision } = await readEvents(run, scope, async (sampled) => {
    const found = await run<[step: number, from: string, to: string | null, sessions: number[]]>(
      pathsStatement(sampled, { startPage, through, steps, limit }),
    );
    const { value, variances } = estimateSums(
      sampled.sample,
      found.map((row) => row[3]),
    );
    const paths = found.map(([step, from, to], index) => ({ step, from, to, sessions: value[index] ?? 0 }));
    return { value: paths, variances };
  });
  return {
    ...answerHead(scope),
    accuracy: accuracyOf(precision),
    paths,
  };
}
