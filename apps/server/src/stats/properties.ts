/** POST /api/stats/properties: the names of the properties that events carry. */
import { LIMITS, type StatsPropertiesAnswer, type StatsPropertiesBody } from "@headwater/contract";
import { propertyIssues } from "../core/property-names.ts";
import { accuracyOf, partSql, partsOf } from "./accuracy.ts";
import { estimateSums } from "./error-bound.ts";
import type { RunQuery } from "./run-query.ts";
import { readEvents } from "./sampled-scope.ts";
import { answerHead, type Computed, eventConditions, type QueryScope, readScope } from "./scope.ts";
import { type Statement, statement } from "./sql.ts";

const DEFAULT_PROPERTIES = 100;

/** A property within another one is named by its path: `cart.items`. */
const propertiesStatement = (scope: QueryScope, limit: number): Statement =>
  statement((bind) => {
    const { events } = eventConditions(bind, scope, scope.range);
    return `SELECT arrayJoin(JSONAllPaths(properties)) AS property, ${partsOf(scope)} AS parts
      FROM (SELECT properties, ${partSql(scope.sample)} AS part FROM events WHERE ${events})
      WHERE lengthUTF8(property) BETWEEN 1 AND ${bind("UInt32", LIMITS.maxStatsPropertyLength)}
      GROUP BY property ORDER BY arraySum(parts) DESC, property LIMIT ${bind("UInt32", limit)}`;
  });

/** Leaves out properties that no query can name. */
export async function answerProperties(
  run: RunQuery,
  body: StatsPropertiesBody,
  now: number,
): Promise<Computed<StatsPropertiesAnswer>> {
  const scope = readScope(body, now);
  const { value: rows, ...precision } = await readEvents(run, scope, async (sampled) => {
    const found = await run<[name: string, events: number[]]>(
      propertiesStatement(sampled, body.limit ?? DEFAULT_PROPERTIES),
    );
    const { value, variances } = estimateSums(
      sampled.sample,
      found.map(([, parts]) => parts),
    );
    return { value: found.map(([name], index) => ({ name, events: value[index] ?? 0 })), variances };
  });
  const properties = rows.filter(({ name }) => propertyIssues(name, []).length === 0);
  return { ...answerHead(scope), accuracy: accuracyOf(precision), properties };
}
