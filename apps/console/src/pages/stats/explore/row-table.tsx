/** The rows of a table with their total, and the rows of other pages as one. A heading sorts by its column. */
import type { StatsAnswer, StatsDimension, StatsMetric, StatsScalar } from "@headwater/contract";
import { UnstyledButton } from "@mantine/core";
import { Fragment, type MouseEvent } from "react";
import { Icon } from "../../../ui/icon.tsx";
import { EstimateMark } from "../estimate-mark.tsx";
import { formatRate } from "../format.ts";
import { hasIcons, ValueIcon } from "../lists/value-icon.tsx";
import type { StatsView } from "../use-stats-view.ts";
import { filterParams, isFilterable } from "../view-params.ts";
import { formatCell, formatFigureOf } from "./cells.ts";
import { dimensionField, metricField } from "./fields.ts";
import { type ExploreTable, orderParams } from "./table.ts";

interface RowTableProps {
  readonly answer: StatsAnswer;
  readonly table: ExploreTable;
  readonly view: StatsView;
  /** The currency of the amounts; null: the rows name it. */
  readonly currency: StatsScalar;
}

export function RowTable({ answer, table, view, currency }: RowTableProps) {
  // the names are those of the query
  const dimensions = answer.dimensions as StatsDimension[];
  const currencyAt = dimensions.indexOf("currency");
  const columns = columnsOf(answer, table);
  return (
    <table className="plain-table explore-table">
      <Headings columns={columns} dimensions={dimensions} answer={answer} table={table} view={view} />
      <tbody>
        {answer.total && (
          <SumRow name="Total" figures={answer.total.metrics} {...{ columns, dimensions, currency }} />
        )}
        {answer.results.map((row) => (
          <tr key={JSON.stringify(row.dimensions)}>
            {dimensions.map((name, at) => (
              <td key={name} className="explore-name">
                <ValueName dimension={name} value={row.dimensions[at] ?? null} answer={answer} view={view} />
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
          <SumRow name="Other rows" figures={answer.other.metrics} {...{ columns, dimensions, currency }} />
        )}
      </tbody>
    </table>
  );
}

interface TableColumn {
  readonly metric: StatsMetric;
  /** Whether the share of the total stands beside the figure: in the column that the rows are sorted by. */
  readonly hasShare: boolean;
}

function columnsOf({ metrics, results }: StatsAnswer, { order }: ExploreTable): TableColumn[] {
  const shared = metrics.includes(order.field) ? order.field : metrics[0];
  return metrics.map((name, at) => ({
    // the names are those of the query
    metric: name as StatsMetric,
    hasShare: name === shared && results.some(({ share }) => typeof share?.[at] === "number"),
  }));
}

interface FiguresProps {
  readonly columns: readonly TableColumn[];
  readonly figures: readonly (number | null)[];
  readonly shares?: readonly (number | null)[] | null;
  readonly currency: StatsScalar;
}

const Figures = ({ columns, figures, shares = null, currency }: FiguresProps) =>
  columns.map(({ metric, hasShare }, at) => (
    <Fragment key={metric}>
      <td className="plain-figure">{formatFigureOf(metric, figures[at] ?? null, currency)}</td>
      {hasShare && <td className="plain-figure explore-share">{shares && formatRate(shares[at] ?? null)}</td>}
    </Fragment>
  ));

type SumRowProps = Omit<FiguresProps, "shares"> & {
  readonly name: string;
  readonly dimensions: readonly StatsDimension[];
};

/** Amounts of several currencies have no sum. */
const SumRow = ({ name, dimensions, ...figures }: SumRowProps) => (
  <tr className="explore-sum">
    <th scope="row" colSpan={dimensions.length}>
      {name}
    </th>
    <Figures {...figures} />
  </tr>
);

type HeadingsProps = Omit<RowTableProps, "currency"> & {
  readonly columns: readonly TableColumn[];
  readonly dimensions: readonly StatsDimension[];
};

function Headings({ columns, dimensions, answer, table: { order }, view }: HeadingsProps) {
  const heading = (field: StatsDimension | StatsMetric, label: string, first: "asc" | "desc") => {
    const direction = order.field === field ? order.direction : undefined;
    const second = first === "asc" ? "desc" : "asc";
    const sort = () => view.update(orderParams({ field, direction: direction === first ? second : first }));
    return (
      <th
        className={first === "asc" ? undefined : "plain-figure"}
        aria-sort={direction && (direction === "asc" ? "ascending" : "descending")}
      >
        <UnstyledButton className="sort-button" onClick={sort}>
          {label}
          {direction && <Icon name={direction === "desc" ? "arrowDown" : "arrowUp"} size={13} />}
        </UnstyledButton>
        {field === (dimensions[0] ?? columns[0]?.metric) && <EstimateMark accuracy={answer.accuracy} />}
      </th>
    );
  };
  return (
    <thead>
      <tr>
        {dimensions.map((name) => (
          <Fragment key={name}>{heading(name, dimensionField(name)?.label ?? name, "asc")}</Fragment>
        ))}
        {dimensions.length === 0 && <th>Events</th>}
        {columns.map(({ metric, hasShare }) => (
          <Fragment key={metric}>
            {heading(metric, metricField(metric)?.label ?? metric, "desc")}
            {hasShare && <th className="plain-figure">Share</th>}
          </Fragment>
        ))}
      </tr>
    </thead>
  );
}

interface ValueNameProps {
  readonly dimension: StatsDimension;
  readonly value: StatsScalar;
  readonly answer: StatsAnswer;
  readonly view: StatsView;
}

/** A value of a row. Selecting it filters the whole view by it; with the Alt key it is excluded. */
function ValueName({ dimension, value, answer, view }: ValueNameProps) {
  const name = formatCell(dimension, value, answer.timezone);
  if (!isFilterable(dimension)) return <bdi>{name}</bdi>;
  const filter = ({ altKey }: MouseEvent) =>
    view.update(filterParams(view.params, dimension, value, altKey ? "isNot" : "is"));
  return (
    <UnstyledButton className="explore-value" title={`${name}\nAlt-click to exclude`} onClick={filter}>
      {hasIcons(dimension) && <ValueIcon dimension={dimension} value={value} />}
      <bdi className="ranking-text">{name}</bdi>
    </UnstyledButton>
  );
}
