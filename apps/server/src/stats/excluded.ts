/** Counts the events that the figures of an answer leave out: those of bots. */
import type { RunQuery } from "./run-query.ts";
import { eventConditions, type QueryScope, readScope, type ScopeBody } from "./scope.ts";
import { type Statement, statement } from "./sql.ts";

/** The filters see the sessions with their bots: otherwise those of bots alone would have no entry page. */
const botsStatement = (scope: QueryScope): Statement =>
  statement((bind) => {
    const { events } = eventConditions(bind, { ...scope, includesBots: true }, scope.range);
    return `SELECT count() FROM events WHERE device.isBot AND ${events}`;
  });

/** @param body one that was answered, so it is valid */
export async function readExcluded(run: RunQuery, body: ScopeBody, now: number): Promise<{ bots: number }> {
  const scope = readScope(body, now);
  if (scope.includesBots) return { bots: 0 };
  const [row] = await run<[bots: number]>(botsStatement(scope));
  return { bots: row?.[0] ?? 0 };
}
