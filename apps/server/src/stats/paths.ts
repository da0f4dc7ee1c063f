/** POST /api/stats/paths: which page sessions went to from which, step by step. */

import type { StatsPathsAnswer, StatsPathsBody } from "@headwater/contract";
import { IS_PAGE_VIEW } from "../clickhouse/schema/event-types.ts";
import type { Ask } from "./run-query.ts";
import { answered, conditionsOf, inPeriod, readScope, type Scope } from "./scope.ts";
import { type Statement, statement } from "./sql.ts";

const STEPS = 3;
const LIMIT = 20;

interface Paths {
  readonly startPage: string | null;
  readonly steps: number;
  readonly limit: number;
}

/** A page that is seen again at once is one step; a session that was never on the start page has none. */
export const writePaths = (scope: Scope, { startPage, steps, limit }: Paths): Statement =>
  statement((bind) => {
    const { sessions, filters } = conditionsOf(bind, scope, scope.range);
    const views = `groupArrayIf((occurredAt, eventId, assumeNotNull(page.path)), ${IS_PAGE_VIEW} AND page.path IS NOT NULL)`;
    const begin = startPage === null ? "1" : `indexOf(pages, ${bind("String", startPage)})`;
    return `SELECT tupleElement(step, 1) AS number, tupleElement(step, 2) AS fromPage, tupleElement(step, 3) AS toPage, count() AS counted
      FROM (
        SELECT arrayCompact(arrayMap(view -> tupleElement(view, 3), arraySort(${views}))) AS pages,
          ${begin} AS begin,
          if(begin = 0, [], arraySlice(pages, begin, ${bind("UInt32", steps)} + 1)) AS path
        FROM events WHERE ${sessions} GROUP BY session
        HAVING ${inPeriod(bind, scope.range, "min(occurredAt)")} AND max(${filters})
      )
      ARRAY JOIN arrayMap(at -> (at, path[at], if(at < length(path), path[at + 1], NULL)),
        range(1, least(${bind("UInt32", steps)}, length(path)) + 1)) AS step
      GROUP BY number, fromPage, toPage
      ORDER BY number, counted DESC, fromPage, toPage NULLS LAST
      LIMIT ${bind("UInt32", limit)} BY number`;
  });

export async function answerPaths(ask: Ask, body: StatsPathsBody, now: number): Promise<StatsPathsAnswer> {
  const { startPage = null, steps = STEPS, limit = LIMIT } = body;
  const scope = readScope(body, now);
  const rows = (await ask(writePaths(scope, { startPage, steps, limit }))) as [
    number,
    string,
    string | null,
    number,
  ][];
  return {
    ...answered(scope),
    paths: rows.map(([step, from, to, sessions]) => ({ step, from, to, sessions })),
  };
}
