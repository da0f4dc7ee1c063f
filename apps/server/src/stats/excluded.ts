/** Counts the events that the figures of an answer leave out: those of bots. */
import { readInMoreSlices } from "./accuracy.ts";
import { writeFilter } from "./filter.ts";
import { type GoalRule, withGoal } from "./goals.ts";
import type { RunQuery } from "./run-query.ts";
import { inPeriod, ofSource, type QueryScope, readScope, type ScopeBody, sessionEventsSql } from "./scope.ts";
import { divideSessionsOf } from "./session-ranges.ts";
import { allOf, type Bind, type Statement, statement } from "./sql.ts";

/** Selects the events of bots in the range. */
const botEvents = (bind: Bind, scope: QueryScope) =>
  `device.isBot AND ${ofSource(bind, { ...scope, includesBots: true })} AND ${inPeriod(bind, scope.range)}`;

/**
 * The filters see the sessions with their bots: otherwise those of bots alone would have no entry page. Only sessions with an
 * event that may count are derived.
 */
const botsStatement = (scope: QueryScope): Statement =>
  statement((bind) => {
    const all = { ...scope, includesBots: true };
    const bots = botEvents(bind, scope);
    const sessionEvents = `${sessionEventsSql(bind, all, scope.range)} AND session IN (SELECT session FROM events WHERE ${bots})`;
    const context = { sessionEvents, currency: scope.currency };
    const filters = allOf(scope.filters.map((filter) => writeFilter(bind, filter, context)));
    return `SELECT count() FROM events WHERE ${bots} AND (${filters})`;
  });

/** Counts the events of bots in slices of the sessions, one after the other. */
async function countBots(run: RunQuery, scope: QueryScope, slices: number): Promise<number> {
  let bots = 0;
  for (const sessions of await divideSessionsOf(run, (bind) => botEvents(bind, scope), slices)) {
    const [row] = await run<[bots: number]>(botsStatement({ ...scope, sessions }));
    bots += row?.[0] ?? 0;
  }
  return bots;
}

/**
 * Counts the events that the answer to a query leaves out. It reads all events of the range, because no rollup has those of bots.
 * Filters on sessions need memory for each session of a bot: when it does not suffice, they are counted in slices of the sessions.
 * @param goal the goal of the query; null: it has none
 * @returns null when the query does not ask for it
 * @throws Refusal `invalid_payload`
 */
export async function readExcluded(
  run: RunQuery,
  body: ScopeBody,
  now: number,
  goal: GoalRule | null,
): Promise<{ bots: number } | null> {
  if (body.include?.excluded === false) return null;
  const scope = withGoal(readScope(body, now), goal);
  if (scope.includesBots) return { bots: 0 };
  return { bots: await readInMoreSlices(1, async (slices) => countBots(run, scope, slices)) };
}
