/** Goals, or the sources of a goal, with visitors, conversions and revenue. Amounts in different currencies are listed, never added. */
import type { StatsScalar } from "@headwater/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiAnswer } from "../../../api.ts";
import { formatAmount } from "../../../ui/format-count.ts";
import { Icon } from "../../../ui/icon.tsx";
import { classes, Text } from "../../../ui/primitives/elements.tsx";
import { formatChange, formatMetric, NO_CHANGE } from "../format.ts";

type RevenueQuery = Pick<UseQueryResult<ApiAnswer<"queryStats">>, "data" | "isPlaceholderData">;
/** The amounts of each value of the first dimension, as texts. Null while they are loading. */
export type RevenueTexts = ReadonlyMap<StatsScalar, readonly string[]> | null;

/** @param query its second dimension is the currency */
export function revenueTexts({ data, isPlaceholderData }: RevenueQuery): RevenueTexts {
  if (data === undefined || isPlaceholderData) return null;
  const texts = new Map<StatsScalar, string[]>();
  for (const { dimensions, metrics } of data.results) {
    const [value = null, currency = null] = dimensions;
    const [revenue = null] = metrics;
    // a goal without revenue has a row for each currency of the other events
    if (typeof currency !== "string" || !revenue) continue;
    texts.set(value, [...(texts.get(value) ?? []), formatAmount(revenue, currency)]);
  }
  return texts;
}

export interface ConversionsRow {
  readonly name: string;
  /** Those who reached the goal. */
  readonly visitors: number | null;
  readonly conversions: number | null;
  /** In the compared period. */
  readonly conversionsBefore?: number | null;
  /** The share of all visitors who reached the goal. */
  readonly rate: number | null;
  /** All visitors of the row, with and without a conversion. `rate` is a share of them. */
  readonly allVisitors?: number | null;
  /** Null while it is loading. */
  readonly revenue: readonly string[] | null;
}

function changeText(current: number | null, previous: number | null): string {
  const change = formatChange(current, previous, "conversions");
  return change === null || change === NO_CHANGE ? "—" : change.text;
}

interface ConversionsTableProps {
  readonly label: string;
  readonly rows: readonly ConversionsRow[];
  /** Shows the change of the conversions. */
  readonly isCompared?: boolean;
  /** Is sorted by conversions, and can be sorted by rate. Other tables are sorted by visitors. */
  readonly isSortable?: boolean;
  readonly onSelect?: (name: string) => void;
}

export function ConversionsTable(props: ConversionsTableProps) {
  const { label, rows, isCompared = false, isSortable = false, onSelect } = props;
  const [isByRate, setByRate] = useState(false);
  const shown = isByRate ? rows.toSorted((a, b) => (b.rate ?? 0) - (a.rate ?? 0)) : rows;
  // the bars draw the column that the rows are sorted by
  const barValue = ({ visitors, conversions, rate }: ConversionsRow) =>
    (isByRate ? rate : isSortable ? conversions : visitors) ?? 0;
  const highest = Math.max(...rows.map(barValue)) || 1;
  return (
    <table className={classes("ranking goals-table", isSortable && "goals-sorted")}>
      <thead>
        <tr>
          <th>{label}</th>
          <th className="ranking-figure" title="Visitors who reached the goal">
            Visitors
          </th>
          <th className="ranking-figure goals-conversions">
            {isSortable ? (
              <SortButton name="Conversions" isChosen={!isByRate} onSort={() => setByRate(false)} />
            ) : (
              "Conversions"
            )}
          </th>
          {isCompared && <th className="ranking-figure goals-change">Change</th>}
          <th className="ranking-figure goals-rate" title="Visitors who reached the goal ÷ all visitors">
            {isSortable ? (
              <SortButton name="Rate" isChosen={isByRate} onSort={() => setByRate(true)} />
            ) : (
              "Rate"
            )}
          </th>
          <th className="ranking-figure ranking-money">Revenue</th>
        </tr>
      </thead>
      <tbody>
        {shown.map((row) => (
          <Row
            key={row.name}
            row={row}
            share={barValue(row) / highest}
            isCompared={isCompared}
            onSelect={onSelect}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly row: ConversionsRow;
  /** The length of its bar, from 0 to 1. */
  readonly share: number;
  readonly isCompared: boolean;
  readonly onSelect: ConversionsTableProps["onSelect"] | undefined;
}

function Row({ row, share, isCompared, onSelect }: RowProps) {
  const { name, visitors, conversions, conversionsBefore = null, rate, allVisitors, revenue } = row;
  return (
    <tr
      className={onSelect && "ranking-row"}
      // the button of the row is for the keyboard: its clicks arrive here too
      onClick={() => onSelect?.(name)}
    >
      <td className="ranking-name">
        <span className="ranking-bar" style={{ width: `${share * 100}%` }} />
        {onSelect ? (
          <button type="button" title={name}>
            <bdi className="ranking-text">{name}</bdi>
          </button>
        ) : (
          <Text size="sm" component="span" className="ranking-text" title={name}>
            {name}
          </Text>
        )}
      </td>
      <td className="ranking-figure">{formatMetric("visitors", visitors)}</td>
      <td className="ranking-figure goals-conversions">{formatMetric("conversions", conversions)}</td>
      {isCompared && (
        <td
          className="ranking-figure goals-change"
          title={`Conversions in the compared period: ${formatMetric("conversions", conversionsBefore)}`}
        >
          {changeText(conversions, conversionsBefore)}
        </td>
      )}
      <td
        className="ranking-figure goals-rate"
        title={allVisitors ? `All visitors: ${formatMetric("visitors", allVisitors)}` : undefined}
      >
        {formatMetric("conversionRate", rate)}
      </td>
      <td className="ranking-figure ranking-money">
        {revenue === null && "…"}
        {revenue?.length === 0 && "—"}
        {revenue?.map((amount) => (
          <div key={amount}>{amount}</div>
        ))}
      </td>
    </tr>
  );
}

interface SortButtonProps {
  readonly name: string;
  readonly isChosen: boolean;
  readonly onSort: () => void;
}

const SortButton = ({ name, isChosen, onSort }: SortButtonProps) => (
  <button type="button" className="sort-button" aria-pressed={isChosen} onClick={onSort}>
    {name}
    {isChosen && <Icon name="arrowDown" size={13} />}
  </button>
);
