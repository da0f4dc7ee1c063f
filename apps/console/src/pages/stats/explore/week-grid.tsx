/** A metric by hour and weekday, as a grid of shaded figures. */
import type { StatsAnswer, StatsMetric, StatsScalar } from "@headwater/contract";
import { firstWeekday } from "../../../own-format.ts";
import { formatCell, formatFigureOf } from "./cells.ts";
import { metricField } from "./fields.ts";

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** The days of the week, as this person orders them. */
const weekDays = () => Array.from({ length: 7 }, (_, at) => ((firstWeekday() - 1 + at) % 7) + 1);
const dayName = (day: number) => formatCell("dayOfWeek", day, "UTC");

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
    // the names are those of the query
    const metric = name as StatsMetric;
    const figures = new Map(
      answer.results.map(({ dimensions, metrics }) => [
        `${dimensions[dayAt]} ${dimensions[hourAt]}`,
        metrics[at] ?? null,
      ]),
    );
    const highest = Math.max(...[...figures.values()].map((value) => value ?? 0), 1e-9);
    return (
      <table key={name} className="week-grid">
        <caption>{metricField(name)?.label ?? name} by weekday and hour</caption>
        <thead>
          <tr>
            <th>Weekday</th>
            {HOURS.map((hour) => (
              <th key={hour} scope="col">
                {formatCell("hourOfDay", hour, "UTC").replace(/\D00/, "")}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weekDays().map((day) => (
            <tr key={day}>
              <th scope="row">{dayName(day)}</th>
              {HOURS.map((hour) => {
                const value = figures.get(`${day} ${hour}`) ?? null;
                const text = value === null ? "" : formatFigureOf(metric, value, currency);
                return (
                  <td
                    key={hour}
                    title={`${dayName(day)}, ${formatCell("hourOfDay", hour, "UTC")}: ${text || "—"}`}
                    style={shade((value ?? 0) / highest)}
                  >
                    {text}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    );
  });
  return <div>{grids}</div>;
}

/** A background that grows with the share, and stays weak enough for the text on it. */
const shade = (share: number) =>
  share === 0 ? {} : { background: `rgb(37 146 176 / ${(0.06 + 0.44 * share).toFixed(3)})` };
