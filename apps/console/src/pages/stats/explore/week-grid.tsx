/** A metric by hour and weekday, as a grid of shaded figures. On a phone the days stand beside each other, else the hours. */
import type { StatsAnswer, StatsMetric, StatsScalar } from "@headwater/contract";
import { Fragment } from "react";
import { dateFormat, firstWeekday } from "../../../own-format.ts";
import { PHONE, useMediaQuery } from "../../../ui/use-media-query.ts";
import { formatShort, isRate } from "../format.ts";
import { formatCell, formatFigureOf } from "./cells.ts";
import { isMoney, metricField } from "./fields.ts";

/** Every third hour has its name above its column. */
const NAMED_HOURS = 3;

/** Times, depths and numbers of properties are written in full. */
const HAS_UNIT = /Duration$|^timeOnPage$|^scrollDepth$|Per|:/;
/** A higher count is cut to 12.3K. */
const MAX_COUNT = 9_999;
/** Amounts, rates and high counts are written short, and in full in the title. A column of a phone has room for 1.2K. */
const isShort = (metric: StatsMetric, value: number, isNarrow: boolean) =>
  isMoney(metric) || isRate(metric) || (!HAS_UNIT.test(metric) && (isNarrow || value > MAX_COUNT));
/** The mean width of a character, in the width of a digit: points and commas are narrow. */
const CHARACTER = 0.85;

/** An hour or a weekday. */
interface GridTime {
  readonly value: number;
  readonly name: string;
  readonly shortName: string;
}

const letter = dateFormat({ weekday: "narrow", timeZone: "UTC" });
/** A Monday. */
const MONDAY = new Date("1970-01-05");
const hoursOfDay = (): GridTime[] =>
  Array.from({ length: 24 }, (_, value) => {
    const name = formatCell("hourOfDay", value, "UTC");
    return { value, name, shortName: name.replace(/\D00/, "") };
  });
/** The days of the week, as this person orders them. */
const daysOfWeek = (): GridTime[] =>
  Array.from({ length: 7 }, (_, at) => {
    const value = ((firstWeekday() - 1 + at) % 7) + 1;
    const day = new Date(MONDAY).setUTCDate(MONDAY.getUTCDate() + value - 1);
    return { value, name: formatCell("dayOfWeek", value, "UTC"), shortName: letter().format(day) };
  });

/** Metrics whose figures of hours add up to that of a day. A visitor of two hours counts in each of them. */
const ADDED_UP: ReadonlySet<StatsMetric> = new Set([
  "pageviews",
  "events",
  "passiveEvents",
  "planViolations",
  "conversions",
  "revenue",
]);
const isAddedUp = (metric: StatsMetric) => ADDED_UP.has(metric) || metric.startsWith("sum:");
const sumOf = (values: readonly (number | null)[]) =>
  values.reduce<number>((sum, one) => sum + (one ?? 0), 0);

interface WeekGridProps {
  readonly answer: StatsAnswer;
  /** The currency of amounts. */
  readonly currency: StatsScalar;
}

/** A grid for each metric. */
export function WeekGrid({ answer, currency }: WeekGridProps) {
  const hourAt = answer.dimensions.indexOf("hourOfDay");
  const dayAt = answer.dimensions.indexOf("dayOfWeek");
  const grids = answer.metrics.map((name, at) => {
    const figures = new Map(
      answer.results.map(({ dimensions, metrics }) => [
        `${dimensions[dayAt]} ${dimensions[hourAt]}`,
        metrics[at] ?? null,
      ]),
    );
    // the names are those of the query
    return <MetricGrid key={name} metric={name as StatsMetric} figures={figures} currency={currency} />;
  });
  return <div>{grids}</div>;
}

interface MetricGridProps extends Pick<WeekGridProps, "currency"> {
  readonly metric: StatsMetric;
  /** By weekday and hour: `1 23`. */
  readonly figures: ReadonlyMap<string, number | null>;
}

function MetricGrid({ metric, figures, currency }: MetricGridProps) {
  const isNarrow = useMediaQuery(PHONE);
  const [days, hours] = [daysOfWeek(), hoursOfDay()];
  const [rows, columns] = isNarrow ? [hours, days] : [days, hours];
  const valueAt = (row: GridTime, column: GridTime) =>
    figures.get(isNarrow ? `${column.value} ${row.value}` : `${row.value} ${column.value}`) ?? null;
  const write = (value: number | null) => (value === null ? "" : formatFigureOf(metric, value, currency));
  const writeShort = (value: number | null) =>
    value !== null && isShort(metric, value, isNarrow)
      ? formatShort(metric, isRate(metric) ? Math.round(value * 100) / 100 : Math.round(value))
      : write(value);
  const top = topOf([...figures.values()].map((value) => value ?? 0));
  const hasSums = isAddedUp(metric);
  const widest = Math.max(...[...figures.values()].map((value) => writeShort(value).length)) * CHARACTER;
  const totalOf = (values: readonly (number | null)[]) => (
    <td className="week-sum" title={write(sumOf(values))}>
      {writeShort(sumOf(values))}
    </td>
  );
  const unit = isMoney(metric) && currency !== null ? ` in ${currency}` : "";
  return (
    <table className="week-grid" style={{ minWidth: `${widest * (columns.length + 2)}ch` }}>
      <caption>
        {metricField(metric)?.label ?? metric}
        {unit} by weekday and hour
      </caption>
      <thead>
        <tr>
          <th>{isNarrow ? "Hour" : "Weekday"}</th>
          {columns.map(({ value, name, shortName }, at) => (
            <th key={value} scope="col" aria-label={name} title={name}>
              {(isNarrow || at % NAMED_HOURS === 0) && <span>{shortName}</span>}
            </th>
          ))}
          {hasSums && (
            <th className="week-all" scope="col">
              {isNarrow ? "All" : "Total"}
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.value}>
            <th scope="row">{isNarrow ? row.shortName : row.name}</th>
            {columns.map((column) => {
              const value = valueAt(row, column);
              const [day, hour] = isNarrow ? [column, row] : [row, column];
              return (
                <td
                  key={column.value}
                  title={`${day.name}, ${hour.name}: ${write(value) || "—"}`}
                  style={shade(Math.min((value ?? 0) / top, 1))}
                >
                  {writeShort(value)}
                </td>
              );
            })}
            {hasSums && totalOf(columns.map((column) => valueAt(row, column)))}
          </tr>
        ))}
        {hasSums && (
          <tr>
            <th scope="row">{isNarrow ? "All" : "Total"}</th>
            {columns.map((column) => (
              <Fragment key={column.value}>{totalOf(rows.map((row) => valueAt(row, column)))}</Fragment>
            ))}
            {totalOf([...figures.values()])}
          </tr>
        )}
      </tbody>
    </table>
  );
}

/** One extraordinary hour does not make all others pale. */
const SHADED_SHARE = 0.98;

/** @returns the figure that has the darkest shade, as have the few above it */
function topOf(values: readonly number[]): number {
  const sorted = values.filter((value) => value > 0).sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * SHADED_SHARE)] ?? 1;
}

/** A background that grows with the share, and stays weak enough for the text on it. */
const shade = (share: number) =>
  share === 0 ? {} : { background: `rgb(37 146 176 / ${(0.06 + 0.44 * share).toFixed(3)})` };
