/** The rows of a table with their total, and the rows of other pages as one. A heading sorts by its column. */
import type { StatsAnswer, StatsDimension, StatsMetric, StatsRow, StatsScalar } from "@headwater/contract";
import { Fragment, type MouseEvent } from "react";
import { Icon } from "../../../ui/icon.tsx";
import { useMediaQuery } from "../../../ui/use-media-query.ts";
import { EstimateMark } from "../estimate-mark.tsx";
import { formatRate } from "../format.ts";
import { hasIcons, ValueIcon } from "../lists/value-icon.tsx";
import type { StatsView } from "../use-stats-view.ts";
import { filterParams, isFilterable } from "../view-params.ts";
import { formatCell, formatFigureOf } from "./cells.ts";
import { dimensionField, metricLabel } from "./fields.ts";
import { sharedMetric, sumHint } from "./notes.ts";
import { type ExploreTable, orderParams } from "./table.ts";

interface RowTableProps {
  readonly answer: StatsAnswer;
  readonly table: ExploreTable;
  readonly view: StatsView;
  /** The currency of the amounts; null: the rows name it. */
  readonly currency: StatsScalar;
}

/** From this width on, each dimension has a column. Below it they share one, so that the first figures are in view. */
const WIDE = "(min-width: 40.01em)";

export function RowTable({ answer, table, view, currency }: RowTableProps) {
  // the names are those of the query
  const dimensions = answer.dimensions as StatsDimension[];
  const currencyAt = dimensions.indexOf("currency");
  const columns = columnsOf(answer, table);
  const isWide = useMediaQuery(WIDE);
  const cells = isWide || dimensions.length === 0 ? dimensions.map((name) => [name]) : [dimensions];
  return (
    <table className="plain-table explore-table">
      <Headings columns={columns} cells={cells} answer={answer} table={table} view={view} />
      <tbody>
        {answer.total && (
          <SumRow name="Total" figures={answer.total.metrics} {...{ columns, cells, currency }} />
        )}
        {answer.results.map((row, at) => (
          <tr key={JSON.stringify(row.dimensions)} className={groupClass(answer, table, at)}>
            {cells.map((names) => (
              <td key={names.join()} className="explore-name">
                {names.map((name) => (
                  <ValueName key={name} dimension={name} row={row} answer={answer} view={view} />
                ))}
              </td>
            ))}
            {dimensions.length === 0 && <td>All</td>}
            <Figures
              columns={columns}
              figures={row.metrics}
              shares={row.share}
              currency={currency ?? row.dimensions[currencyAt] ?? null}
            />
          </tr>
        ))}
        {answer.other && (
          <SumRow name="Other rows" figures={answer.other.metrics} {...{ columns, cells, currency }} />
        )}
      </tbody>
    </table>
  );
}

/** The first row of each value stands out. The others show the value in grey. */
function groupClass({ results, dimensions }: StatsAnswer, { order }: ExploreTable, at: number) {
  if (dimensions.length < 2 || order.field !== dimensions[0]) return undefined;
  const [value, before] = [results[at], results[at - 1]].map((row) => row?.dimensions[0]);
  return value === before ? "explore-again" : "explore-first";
}

interface TableColumn {
  readonly metric: StatsMetric;
  /** Whether the share of the total stands beside the figure: in the column that the rows are sorted by. */
  readonly hasShare: boolean;
}

function columnsOf(answer: StatsAnswer, table: ExploreTable): TableColumn[] {
  const shared = sharedMetric(answer, table);
  // the names are those of the query
  return answer.metrics.map((name) => ({ metric: name as StatsMetric, hasShare: name === shared }));
}

interface FiguresProps {
  readonly columns: readonly TableColumn[];
  readonly figures: readonly (number | null)[];
  readonly shares?: readonly (number | null)[] | null;
  readonly currency: StatsScalar;
  /** Whether the figures are those of several rows. */
  readonly isSum?: boolean;
}

const Figures = ({ columns, figures, shares = null, currency, isSum = false }: FiguresProps) =>
  columns.map(({ metric, hasShare }, at) => {
    const figure = figures[at] ?? null;
    return (
      <Fragment key={metric}>
        <td className="plain-figure" title={isSum && figure === null ? sumHint(metric) : undefined}>
          {formatFigureOf(metric, figure, currency)}
        </td>
        {hasShare && (
          <td className="plain-figure explore-share">{shares && formatRate(shares[at] ?? null)}</td>
        )}
      </Fragment>
    );
  });

/** The dimensions of each cell before the figures. */
type NameCells = readonly (readonly StatsDimension[])[];

type SumRowProps = Omit<FiguresProps, "shares" | "isSum"> & {
  readonly name: string;
  readonly cells: NameCells;
};

/** Amounts of several currencies have no sum. */
const SumRow = ({ name, cells, ...figures }: SumRowProps) => (
  <tr className="explore-sum">
    <th scope="row" colSpan={cells.length}>
      {name}
    </th>
    <Figures {...figures} isSum />
  </tr>
);

type HeadingsProps = Omit<RowTableProps, "currency"> & {
  readonly columns: readonly TableColumn[];
  readonly cells: NameCells;
};

function Headings({ columns, cells, answer, table: { order }, view }: HeadingsProps) {
  const button = (field: StatsDimension | StatsMetric, label: string, first: "asc" | "desc") => {
    const direction = order.field === field ? order.direction : undefined;
    const second = first === "asc" ? "desc" : "asc";
    const sort = () => view.update(orderParams({ field, direction: direction === first ? second : first }));
    return (
      <div key={field}>
        <button type="button" className="sort-button" onClick={sort}>
          {label}
          {direction && <Icon name={direction === "desc" ? "arrowDown" : "arrowUp"} size={13} />}
        </button>
        {field === (cells[0]?.[0] ?? columns[0]?.metric) && <EstimateMark accuracy={answer.accuracy} />}
      </div>
    );
  };
  const sortOf = (fields: readonly string[]) =>
    fields.includes(order.field) ? SORTS[order.direction] : undefined;
  return (
    <thead>
      <tr>
        {cells.map((names) => (
          <th key={names.join()} aria-sort={sortOf(names)}>
            {names.map((name) => button(name, dimensionField(name)?.label ?? name, "asc"))}
          </th>
        ))}
        {cells.length === 0 && <th>Events</th>}
        {columns.map(({ metric, hasShare }) => (
          <Fragment key={metric}>
            <th className="plain-figure" aria-sort={sortOf([metric])}>
              {button(metric, metricLabel(metric, answer.dimensions), "desc")}
            </th>
            {hasShare && <th className="plain-figure">Share</th>}
          </Fragment>
        ))}
      </tr>
    </thead>
  );
}

const SORTS = { asc: "ascending", desc: "descending" } as const;

interface ValueNameProps {
  readonly dimension: StatsDimension;
  readonly row: StatsRow;
  readonly answer: StatsAnswer;
  readonly view: StatsView;
}

/** A value of a row. Selecting it filters the whole view by it; with the Alt key it is excluded. */
function ValueName({ dimension, row, answer: { dimensions, timezone }, view }: ValueNameProps) {
  const value = row.dimensions[dimensions.indexOf(dimension)] ?? null;
  const name = formatCell(dimension, value, timezone, row.complete);
  if (!isFilterable(dimension)) return <bdi className="explore-plain">{name}</bdi>;
  const filter = ({ altKey }: MouseEvent) =>
    view.update(filterParams(view.params, dimension, value, altKey ? "isNot" : "is"));
  return (
    <button type="button" className="explore-value" title={`${name}\nAlt-click to exclude`} onClick={filter}>
      {hasIcons(dimension) && <ValueIcon dimension={dimension} value={value} />}
      <bdi className="ranking-text">{name}</bdi>
    </button>
  );
}
