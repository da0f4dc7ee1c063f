/** The rows of a list. Selecting a value filters the whole view by it; with the Alt key it is excluded. */
import type { StatsAnswer, StatsDimension, StatsMetric, StatsScalar } from "@headwater/contract";
import { UnstyledButton } from "@mantine/core";
import { Fragment, type MouseEvent, type ReactNode } from "react";
import { EstimateMark } from "../estimate-mark.tsx";
import {
  dimensionLabel,
  formatChange,
  formatMetric,
  formatMoney,
  formatShare,
  formatValue,
} from "../format.ts";
import type { StatsView } from "../use-stats-view.ts";
import { filterParams } from "../view-params.ts";
import { type Breakdown, hasShares, metricName } from "./breakdown.ts";
import { hasIcons, ValueIcon } from "./value-icon.tsx";

interface BreakdownRowsProps {
  readonly answer: StatsAnswer;
  readonly breakdown: Breakdown;
  readonly view: StatsView;
  /** The first metric of the whole view, of which the rows' percentages are; null while it is not known. */
  readonly total: number | null;
  /** The heading of a column; without it, the metric's name. */
  readonly heading?: (metric: StatsMetric, name: string) => ReactNode;
  readonly onFilter?: () => void;
}

export function BreakdownRows(props: BreakdownRowsProps) {
  const { answer, breakdown, view, total, heading = (_, name) => name, onFilter } = props;
  const { dimension, metrics } = breakdown;
  const highest = Math.max(...answer.results.map((row) => row.metrics[0] ?? 0), 1);
  const hasShare = hasShares(breakdown) && total !== null && total > 0;
  const isCompared = answer.comparison !== null;
  return (
    <table className={metrics.length + (isCompared ? 1 : 0) > 3 ? "ranking ranking-dense" : "ranking"}>
      <thead>
        <tr>
          <th>
            {dimensionLabel(dimension)}
            <EstimateMark accuracy={answer.accuracy} />
          </th>
          {metrics.map((metric, at) => (
            <Fragment key={metric}>
              <th className="ranking-figure">{heading(metric, metricName(metric))}</th>
              {isCompared && at === 0 && <th className="ranking-figure">Change</th>}
            </Fragment>
          ))}
        </tr>
      </thead>
      <tbody>
        {answer.results.map(({ dimensions: [value = null], metrics: values, comparison }) => (
          <tr key={JSON.stringify(value)}>
            <td className="ranking-name">
              <span className="ranking-bar" style={{ width: `${((values[0] ?? 0) / highest) * 100}%` }} />
              <ValueButton dimension={dimension} value={value} view={view} onFilter={onFilter} />
            </td>
            {metrics.map((metric, at) => (
              <Fragment key={metric}>
                <td className="ranking-figure">
                  {metric === "revenue"
                    ? formatMoney(values[at] ?? 0, breakdown.currency ?? String(value))
                    : formatMetric(metric, values[at] ?? null)}
                  {at === 0 && hasShare && (
                    // shown when the row is pointed at, beside the figure it is the share of
                    <span className="ranking-share" data-share={formatShare((values[0] ?? 0) / total)} />
                  )}
                </td>
                {isCompared && at === 0 && (
                  <td className="ranking-figure">
                    {formatChange(values[0] ?? null, comparison?.[0] ?? null)?.text ?? "—"}
                  </td>
                )}
              </Fragment>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ValueButtonProps {
  readonly dimension: StatsDimension;
  readonly value: StatsScalar;
  readonly view: StatsView;
  readonly onFilter: (() => void) | undefined;
}

function ValueButton({ dimension, value, view: { params, update }, onFilter }: ValueButtonProps) {
  const name = formatValue(dimension, value);
  const filter = ({ altKey }: MouseEvent) => {
    onFilter?.();
    update(filterParams(params, dimension, value, altKey ? "isNot" : "is"));
  };
  return (
    <UnstyledButton title={`${name}\nAlt-click to exclude`} onClick={filter}>
      {hasIcons(dimension) && <ValueIcon dimension={dimension} value={value} />}
      <span className="ranking-text">{name}</span>
    </UnstyledButton>
  );
}
