/** Writes the notes beside the figures of a table of the Explore view. Pure. */
import type { StatsAnswer, StatsMetric } from "@headwater/contract";
import { isStickiness } from "../format.ts";
import { dimensionField, metricLabel } from "./fields.ts";
import { type ExploreTable, isRolling, missingReason } from "./table.ts";

/** The chosen metrics that the rows do not have, by reason. */
export function missingNotes({ rows, chosen }: Pick<ExploreTable, "rows" | "chosen">): string[] {
  const byReason = Map.groupBy(chosen, (metric) => missingReason(rows, metric));
  return [...byReason].flatMap(([reason, metrics]) =>
    reason === null
      ? []
      : [
          `Hidden: ${metrics.map((name) => metricLabel(name, rows)).join(", ")}. ${reason} to show ${metrics.length === 1 ? "this column" : "these columns"}.`,
        ],
  );
}

/** @returns the metric whose shares of the total are shown: the one that the rows are sorted by, or else the first; null: none */
export function sharedMetric(
  { metrics, results }: Pick<StatsAnswer, "metrics" | "results">,
  { order }: Pick<ExploreTable, "order">,
): StatsMetric | null {
  const at = Math.max(metrics.indexOf(order.field), 0);
  // the names are those of the query
  return results.some(({ share }) => typeof share?.[at] === "number") ? (metrics[at] as StatsMetric) : null;
}

/** @param metric the one with shares */
function shareNote(metric: StatsMetric, rows: readonly string[]): string {
  const [counted = null] = /session|visitor|user/i.exec(metric) ?? [];
  const label = metricLabel(metric, rows);
  const whole = `Share is the row’s percentage of the “${label}” total.`;
  return counted === null
    ? whole
    : `${whole} A ${counted.toLowerCase()} in several rows counts once in the total, so shares may add up to more than 100%.`;
}

const FOLDERS =
  "A folder ends with a slash: /products/x is in /products/, and the page /products is in /. To count both together, create a content group.";

export function tableNotes(
  answer: Pick<StatsAnswer, "dimensions" | "metrics" | "results">,
  table: Pick<ExploreTable, "order">,
): string[] {
  const shared = sharedMetric(answer, table);
  return [
    ...(shared === null ? [] : [shareNote(shared, answer.dimensions)]),
    ...(answer.dimensions.some((name) => name.startsWith("folder:")) ? [FOLDERS] : []),
  ];
}

/** @returns what the table shows once there are events */
export function emptyText({ rows, columns }: Pick<ExploreTable, "rows" | "columns">): string {
  const metrics = columns.map((name) => metricLabel(name, rows)).join(", ");
  const dimensions = rows.map((name) => dimensionField(name)?.label ?? name).join(", ");
  return [`Columns: ${metrics}.`, ...(dimensions === "" ? [] : [`Rows: ${dimensions}.`])].join(" ");
}

/** @returns why the rows together have no figure, if the metric is one of the days until a day */
export const sumHint = (metric: StatsMetric): string | undefined => {
  if (!isRolling(metric)) return undefined;
  return isStickiness(metric)
    ? "No total, because each ratio belongs to one day"
    : "No total, because the rows cover overlapping days";
};
