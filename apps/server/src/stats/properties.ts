/** POST /api/stats/properties: which properties events carry. */
import { LIMITS, type StatsPropertiesAnswer, type StatsPropertiesBody } from "@headwater/contract";
import { propertyIssue } from "./dimensions.ts";
import type { Ask } from "./run-query.ts";
import { answered, conditionsOf, readScope, type Scope } from "./scope.ts";
import { type Statement, statement } from "./sql.ts";

const LIMIT = 100;

/** What lies within a property is one of its own, under the names on the way to it. */
const writeProperties = (scope: Scope, limit: number): Statement =>
  statement((bind) => {
    const { events } = conditionsOf(bind, scope, scope.range);
    return `SELECT arrayJoin(JSONAllPaths(properties)) AS property, count() AS counted
      FROM events WHERE ${events} AND lengthUTF8(property) BETWEEN 1 AND ${bind("UInt32", LIMITS.maxStatsPropertyLength)}
      GROUP BY property ORDER BY counted DESC, property LIMIT ${bind("UInt32", limit)}`;
  });

/** One that could not be asked for by its name is left out. */
export async function answerProperties(
  ask: Ask,
  body: StatsPropertiesBody,
  now: number,
): Promise<StatsPropertiesAnswer> {
  const scope = readScope(body, now);
  const rows = (await ask(writeProperties(scope, body.limit ?? LIMIT))) as [string, number][];
  const properties = rows
    .filter(([name]) => propertyIssue(name, []).length === 0)
    .map(([name, events]) => ({ name, events }));
  return { ...answered(scope), properties };
}
