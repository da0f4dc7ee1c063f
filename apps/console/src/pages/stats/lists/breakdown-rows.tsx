/** The rows of a list. Selecting a row filters the whole view by its value; with the Alt key the value is excluded. */
import type { StatsAnswer, StatsMetric, StatsRow } from "@headwater/contract";
import { Fragment, type MouseEvent, type ReactNode } from "react";
import { formatAmount } from "../../../ui/format-count.ts";
import { EstimateMark } from "../estimate-mark.tsx";
import { formatChange, formatMetric, formatRate } from "../format.ts";
import { otherFilterParams } from "../other-filters.ts";
import type { StatsView } from "../use-stats-view.ts";
import { filterParams, type ViewParams } from "../view-params.ts";
import {
  type Breakdown,
  formatRowValue,
  hasShares,
  isOfVisitEnds,
  type ListMetric,
  metricName,
  metricTitle,
  type RowValue,
  rowValueOf,
  shortMetricName,
} from "./breakdown.ts";
import { CutText } from "./cut-text.tsx";
import { hasIcons, ValueIcon } from "./value-icon.tsx";
import { dimensionLabel, isNotSet } from "./value-names.ts";
import { RATINGS, rateVital } from "./vital-ratings.ts";

interface BreakdownRowsProps {
  readonly answer: StatsAnswer;
  readonly breakdown: Breakdown;
  readonly view: StatsView;
  /** The first metric of the whole view, of which the rows' percentages are; null while it is not known. */
  readonly total: number | null;
  /** The metric whose change since the compared period is shown; without it, the first. */
  readonly changed?: StatsMetric;
  /** The heading of a column; without it, the metric's short name. */
  readonly heading?: (metric: ListMetric, name: string) => ReactNode;
  readonly onFilter?: () => void;
}

interface FigureColumn {
  readonly metric: ListMetric;
  /** Its position in the answer. */
  readonly at: number;
  readonly className: string;
  readonly hasShare: boolean;
  readonly hasChange: boolean;
}

/** The classes of columns whose figures or names are long. */
const WIDE_METRICS: Readonly<Partial<Record<StatsMetric, string>>> = {
  revenue: " ranking-money",
  bounceRate: " ranking-rate",
};

/** The columns, without those that have no value in any row. Sums of texts are 0. */
function columnsOf({ answer, breakdown, total, changed }: BreakdownRowsProps): FigureColumn[] {
  const { metrics } = breakdown;
  const hasTotal = hasShares(breakdown) && total !== null && total > 0;
  const isMissing = (metric: StatsMetric, value: number | null | undefined) =>
    value === null || value === undefined || (metric.startsWith("sum:") && value === 0);
  return metrics.flatMap((metric, at) => {
    if (at > 0 && answer.results.every((row) => isMissing(metric, row.metrics[at]))) return [];
    const hasShare = at === 0 && hasTotal;
    const width = WIDE_METRICS[metric] ?? (hasShare ? " ranking-main" : "");
    const hasChange = answer.comparison !== null && metric === (changed ?? metrics[0]);
    return [{ metric, at, className: `ranking-figure${width}`, hasShare, hasChange }];
  });
}

/** @param width how many columns of figures there are */
const classOf = (width: number) => (width > 3 ? "ranking ranking-dense" : "ranking");

export function BreakdownRows(props: BreakdownRowsProps) {
  const { answer, breakdown, heading = shortMetricName } = props;
  const { dimension } = breakdown;
  const columns = columnsOf(props);
  const isUnset = ({ dimensions }: StatsRow) => isNotSet(dimension, rowValueOf(breakdown, dimensions).value);
  const named = answer.results.filter((row) => !isUnset(row));
  const highest = Math.max(...named.map((row) => row.metrics[0] ?? 0), 1);
  const average = breakdown.hasAverage ? 1 : 0;
  const width = columns.length + columns.filter(({ hasChange }) => hasChange).length + average;
  return (
    <table className={classOf(width)}>
      <thead>
        <tr>
          <th>
            {dimensionLabel(dimension)}
            <EstimateMark accuracy={answer.accuracy} />
          </th>
          {columns.map(({ metric, className, hasShare, hasChange }) => (
            <Fragment key={metric}>
              <th className={className} title={metricTitle(metric, dimension)}>
                {hasShare && isOfVisitEnds(dimension) && (
                  // alone, the share of a page looks like its exit rate
                  <span className="ranking-share" data-share="of all" />
                )}
                {heading(metric, metricName(metric, dimension))}
              </th>
              {hasChange && <th className="ranking-figure">Change</th>}
            </Fragment>
          ))}
          {breakdown.hasAverage && (
            <th
              className="ranking-figure ranking-average"
              title="Average order value: revenue ÷ events with revenue"
            >
              Average order
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {[...named, ...answer.results.filter(isUnset)].map((row) => (
          <ValueRow
            key={JSON.stringify(row.dimensions)}
            row={row}
            columns={columns}
            highest={isUnset(row) ? null : highest}
            {...props}
          />
        ))}
      </tbody>
    </table>
  );
}

interface ValueRowProps extends BreakdownRowsProps {
  readonly row: StatsRow;
  readonly columns: readonly FigureColumn[];
  /** The highest first metric of all rows. Null for events without a value, which have no bar and no share. */
  readonly highest: number | null;
}

function ValueRow({ row, columns, highest, breakdown, view, total, onFilter }: ValueRowProps) {
  const { metrics: values, comparison } = row;
  const selected = rowValueOf(breakdown, row.dimensions);
  const name = formatRowValue(breakdown, selected);
  const format = (metric: StatsMetric, value: number | null) =>
    metric === "revenue"
      ? formatAmount(value ?? 0, breakdown.currency ?? String(selected.value))
      : formatMetric(metric, value);
  const filter = ({ altKey }: MouseEvent) => {
    onFilter?.();
    view.update(rowFilterParams(view, breakdown, selected, altKey));
  };
  const icon = breakdown.parent ?? breakdown.dimension;
  return (
    // the button of the row is for the keyboard: its clicks arrive here too
    <tr className={highest === null ? "ranking-row ranking-unset" : "ranking-row"} onClick={filter}>
      <td className="ranking-name">
        {highest !== null && (
          <span className="ranking-bar" style={{ width: `${((values[0] ?? 0) / highest) * 100}%` }} />
        )}
        <button type="button" aria-label={name} title={`${name}\nAlt-click to exclude`}>
          {hasIcons(icon) && <ValueIcon dimension={icon} value={selected.parentValue ?? selected.value} />}
          <CutText text={name} className="ranking-text" />
        </button>
      </td>
      {columns.map(({ metric, at, className, hasShare, hasChange }) => (
        <Fragment key={metric}>
          <td className={className}>
            {hasShare && highest !== null && (
              // in a narrow list it is shown when the row is pointed at
              <span className="ranking-share" data-share={formatRate((values[at] ?? 0) / (total ?? 1))} />
            )}
            <RatingMark metric={metric} value={values[at] ?? null} />
            {format(metric, values[at] ?? null)}
          </td>
          {hasChange && (
            <td
              className="ranking-figure"
              title={`Compared period: ${format(metric, comparison?.[at] ?? null)}`}
            >
              {formatChange(values[at] ?? null, comparison?.[at] ?? null, metric)?.text ?? "—"}
            </td>
          )}
        </Fragment>
      ))}
      {breakdown.hasAverage && (
        <td className="ranking-figure ranking-average">{format("revenue", averageOf(breakdown, values))}</td>
      )}
    </tr>
  );
}

/** @returns the revenue of one event with revenue: the average order value */
function averageOf({ metrics }: Breakdown, values: StatsRow["metrics"]): number {
  const figureOf = (metric: ListMetric) => values[metrics.indexOf(metric)] ?? 0;
  return figureOf("revenue") / Math.max(figureOf("events"), 1);
}

/** The rating of a web vital, before its figure. */
function RatingMark({ metric, value }: { readonly metric: StatsMetric; readonly value: number | null }) {
  const rating = rateVital(metric, value);
  if (rating === null) return null;
  const { label, mark } = RATINGS[rating];
  return (
    <span className={`vital-mark vital-${rating}`} role="img" aria-label={label} title={label}>
      {mark}
    </span>
  );
}

/** @returns the search parameters that change. A value with a parent is excluded together with it: other parents keep the value */
function rowFilterParams(
  { params, otherFilters }: StatsView,
  { dimension, parent }: Breakdown,
  { value, parentValue }: RowValue,
  isExcluded: boolean,
): ViewParams {
  if (parent === undefined || parentValue === undefined)
    return filterParams(params, dimension, value, isExcluded ? "isNot" : "is");
  if (isExcluded) {
    const both = [
      { dimension: parent, operator: "is" as const, value: parentValue },
      { dimension, operator: "is" as const, value },
    ];
    return otherFilterParams([...otherFilters, { not: { and: both } }]);
  }
  const changes = filterParams(params, parent, parentValue);
  return { ...changes, ...filterParams({ ...params, ...changes }, dimension, value) };
}
