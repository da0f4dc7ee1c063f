/** POST /api/stats/properties: the names of the properties that events carry. */
import { LIMITS, type StatsPropertiesAnswer, type StatsPropertiesBody } from "@headwater/contract";
import { OPENS_SESSION } from "../clickhouse/schema/event-types.ts";
import { answerHead, execute, ofVisitors, type Question } from "./execute.ts";
import { type Computed, type OfSources, readScope } from "./scope.ts";
import { eventConditions, type QueryScope } from "./sql/conditions.ts";
import type { RunQuery } from "./sql/run-on.ts";
import { statement } from "./sql/statement.ts";

const DEFAULT_PROPERTIES = 100;

/** A parser in which whole numbers may be greater than 64 bits. */
const PARSE_SETTINGS = "SETTINGS allow_simdjson = 0, type_json_skip_duplicated_paths = 1";
/**
 * A property within another one is named by its path: `cart.items`. The type JSON finds these names, and skips values that are null.
 * Lists are left out, because no filter can use them. For other texts, listing the keys takes a tenth of the time.
 */
const TYPES = "JSONAllPathsWithTypes(CAST(properties AS JSON(max_dynamic_paths = 0)))";
const NAMES = `if(multiSearchAny(properties, [':{', ':null', ':[']),
  mapKeys(mapFilter((name, type) -> NOT startsWith(type, 'Array'), ${TYPES})), JSONExtractKeys(properties))`;

const propertiesQuestion = (
  scope: QueryScope,
  limit: number,
): Question<[name: string, events: number], StatsPropertiesAnswer["properties"]> => ({
  ...ofVisitors(scope),
  statement: (part) =>
    statement((bind) => {
      const { events } = eventConditions(bind, { ...scope, part }, scope.range);
      return `SELECT arrayJoin(${NAMES}) AS property, countIf(${OPENS_SESSION}) AS carriers
        FROM (SELECT properties, passive FROM events WHERE (${events}) AND properties != '{}')
        WHERE lengthUTF8(property) BETWEEN 1 AND ${bind("UInt32", LIMITS.maxStatsPropertyLength)}
        GROUP BY property ORDER BY carriers DESC, property LIMIT ${bind("UInt32", limit)} ${PARSE_SETTINGS}`;
    }),
  merge: (rows, scale) => rows.map(([name, events]) => ({ name, events: events * scale })),
});

export async function answerProperties(
  run: RunQuery,
  body: OfSources<StatsPropertiesBody>,
  now: number,
): Promise<Computed<StatsPropertiesAnswer>> {
  const scope = readScope(body, now);
  const found = await execute(run, propertiesQuestion(scope, body.limit ?? DEFAULT_PROPERTIES));
  return { ...answerHead(scope, found), properties: found.value };
}
