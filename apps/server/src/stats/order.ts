/** The order of the rows of a query. */
import type { Issue, StatsQueryBody } from "@headwater/contract";
import { issueAt } from "../core/refusal.ts";
import type { OfSources } from "./scope.ts";
import { isTimeDimension } from "./sql/dimensions.ts";
import type { MetricsQuery } from "./sql/metrics-query.ts";

export type QueryOfSources = OfSources<StatsQueryBody>;

export type QueryFields = Pick<
  StatsQueryBody,
  "metrics" | "dimensions" | "orderBy" | "goal" | "filters" | "attribution" | "currency"
>;

const fieldsOf = ({ metrics, dimensions = [] }: QueryFields): string[] => [...dimensions, ...metrics];

export function orderIssues(body: QueryFields): Issue[] {
  const fields = fieldsOf(body);
  return (body.orderBy ?? []).flatMap(({ field }, index) =>
    fields.includes(field)
      ? []
      : [issueAt(["orderBy", index, "field"], "must be one of the query's metrics or dimensions")],
  );
}

/** Default: by time, then by the first metric, largest first. */
export function readOrder(body: QueryFields): MetricsQuery["order"] {
  const { dimensions = [], orderBy = [] } = body;
  const fields = fieldsOf(body);
  if (orderBy.length > 0)
    return orderBy.map(({ field, direction }) => ({
      field: fields.indexOf(field),
      isDescending: direction === "desc",
    }));
  const time = dimensions.findIndex(isTimeDimension);
  return [
    ...(time >= 0 ? [{ field: time, isDescending: false }] : []),
    { field: dimensions.length, isDescending: true },
  ];
}
