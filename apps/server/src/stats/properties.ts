/** POST /api/stats/properties: the names of the properties that events carry. */
import { LIMITS, type StatsPropertiesAnswer, type StatsPropertiesBody } from "@headwater/contract";
import { propertyIssues } from "./dimensions.ts";
import type { RunQuery } from "./run-query.ts";
import { answerHead, type Computed, eventConditions, type QueryScope, readScope } from "./scope.ts";
import { type Statement, statement } from "./sql.ts";

const DEFAULT_PROPERTIES = 100;

/** A property within another one is named by its path: `cart.items`. */
const propertiesStatement = (scope: QueryScope, limit: number): Statement =>
  statement((bind) => {
    const { events } = eventConditions(bind, scope, scope.range);
    return `SELECT arrayJoin(JSONAllPaths(properties)) AS property, count() AS events
      FROM events WHERE ${events} AND lengthUTF8(property) BETWEEN 1 AND ${bind("UInt32", LIMITS.maxStatsPropertyLength)}
      GROUP BY property ORDER BY events DESC, property LIMIT ${bind("UInt32", limit)}`;
  });

/** Leaves out properties that no query can name. */
export async function answerProperties(
  run: RunQuery,
  body: StatsPropertiesBody,
  now: number,
): Promise<Computed<StatsPropertiesAnswer>> {
  const scope = readScope(body, now);
  const rows = await run<[name: string, events: number]>(
    propertiesStatement(scope, body.limit ?? DEFAULT_PROPERTIES),
  );
  const properties = rows
    .filter(([name]) => propertyIssues(name, []).length === 0)
    .map(([name, events]) => ({ name, events }));
  return { ...answerHead(scope), properties };
}
