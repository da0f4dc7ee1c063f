/** One key metric over time, as a chart and as a table, with annotations and the changes of the source's configuration. */
import type { StatsAnswer } from "@headwater/contract";
import { useMutation } from "@tanstack/react-query";
import { dateFormat } from "../../../own-format.ts";
import { Icon } from "../../../ui/icon.tsx";
import { ErrorAlert } from "../../../ui/page-states.tsx";
import { Paper, Title } from "../../../ui/primitives/elements.tsx";
import { ScrollRegion } from "../../../ui/scroll-region.tsx";
import { Switcher } from "../../../ui/switcher.tsx";
import { EstimateMark } from "../estimate-mark.tsx";
import {
  formatChange,
  formatMetric,
  formatShort,
  inPart,
  shortTimeFormatter,
  timeFormatter,
} from "../format.ts";
import type { KeyMetric } from "../key-metrics.tsx";
import type { StatsView } from "../use-stats-view.ts";
import { INTERVALS, shiftDay, todayIn, type ViewInterval } from "../view-range.ts";
import type { ChartPoint } from "./chart-lines.tsx";
import { type ChartNote, useChartNotes } from "./chart-notes.ts";
import { LineChart } from "./line-chart.tsx";
import { comparedNames, withOffsets } from "./point-names.ts";

/** The interval of an answer. It comes from the answer, because the view may have changed since the request. */
const intervalOf = ({ dimensions }: StatsAnswer): ViewInterval =>
  INTERVALS.find(({ value }) => dimensions[0] === `time:${value}`)?.value ?? "day";

interface PointsOptions {
  readonly answer: StatsAnswer;
  readonly metric: KeyMetric["metric"];
  readonly notes: readonly ChartNote[];
}

function toChartPoints({ answer, metric, notes }: PointsOptions): ChartPoint[] {
  const interval = intervalOf(answer);
  const column = answer.metrics.indexOf(metric);
  const formatTime = timeFormatter(answer.timezone, interval);
  const formatTick = shortTimeFormatter(answer.timezone, interval);
  const comparedName = comparedNames(answer, interval);
  const starts = answer.results.map(({ dimensions }) => String(dimensions[0]));
  const names = withOffsets(starts.map(formatTime), starts, answer.timezone);
  const now = Date.now();
  return answer.results.map(({ metrics, comparison, complete }, index) => {
    const [start = "", name = ""] = [starts[index], names[index]];
    // intervals in the future have no value
    const value = Date.parse(start) > now ? null : (metrics[column] ?? null);
    const previous = comparison?.[column] ?? null;
    const texts = notes.filter(({ pointIndex }) => pointIndex === index).map(({ text }) => text);
    return {
      label: complete === false && value !== null ? inPart(name) : name,
      shortLabel: formatTick(start),
      value,
      previous,
      previousLabel: comparison && comparedName(start),
      change: complete === false ? null : (formatChange(value, previous, metric)?.text ?? null),
      note: texts.length === 0 ? null : [...new Set(texts)].join(", "),
      isPartial: complete === false,
    };
  });
}

interface TimeChartProps {
  /** Key metrics by one time dimension. */
  readonly answer: StatsAnswer;
  readonly metric: KeyMetric;
  readonly view: StatsView;
}

export function TimeChart({ answer, metric: { metric, label }, view }: TimeChartProps) {
  const notes = useChartNotes(answer);
  const points = toChartPoints({ answer, metric, notes });
  const interval = intervalOf(answer);
  const title = `${label} by ${interval}`;
  const zoom = (first: number, last: number) => {
    const range = daysOfPoints(answer, first, last);
    if (range !== view.range.days.join("..")) view.update({ range, interval: undefined });
  };
  return (
    <Paper p="md" component="section" aria-label={title}>
      <div className="chart-head">
        <Title order={2} size="h5">
          {title}
          <EstimateMark accuracy={answer.accuracy} />
        </Title>
        <ComparisonLegend answer={answer} />
        {view.range.intervals.length > 1 && (
          <Switcher
            label="Interval"
            options={INTERVALS.filter(({ value }) => view.range.intervals.includes(value))}
            value={view.range.interval}
            onChange={(value) => view.update({ interval: value })}
          />
        )}
      </div>
      <LineChart
        label={title}
        points={points}
        format={(value) => formatMetric(metric, value)}
        formatShort={(value) => formatShort(metric, value)}
        minStep={metric === "bounceRate" ? 0.01 : 1}
        onZoom={zoom}
      />
      <div className="chart-foot">
        <ChartNoteList notes={notes} />
        <details className="chart-table">
          <summary>Show as table</summary>
          <ScrollRegion label={`${title}, as a table`} className="chart-rows">
            <PointTable points={points} label={label} format={(value) => formatMetric(metric, value)} />
          </ScrollRegion>
        </details>
      </div>
    </Paper>
  );
}

/** @returns the days from the first to the last of the points, as a `range` parameter */
function daysOfPoints({ results, timezone, to }: StatsAnswer, first: number, last: number): string {
  const startOf = (index: number) => results[index]?.dimensions[0];
  const dayOf = (time: unknown) => todayIn(timezone, Date.parse(String(time)));
  const firstDay = dayOf(startOf(first));
  const nextDay = dayOf(startOf(last + 1) ?? to);
  // the hours of one day end before the next day
  return nextDay === firstDay ? `${firstDay}..${firstDay}` : `${firstDay}..${shiftDay(nextDay, -1)}`;
}

function ComparisonLegend({
  answer: { dimensions, from, comparison, timezone },
}: {
  readonly answer: StatsAnswer;
}) {
  if (comparison === null) return null;
  const isByClock = ["time:minute", "time:hour"].includes(String(dimensions[0]));
  // the end is exclusive
  const last = new Date(Date.parse(comparison.to) - 1);
  const hasWholeDays = todayIn(timezone, last.getTime() + 1) !== todayIn(timezone, last.getTime());
  const isOfOtherYear = comparison.from.slice(0, 4) !== from.slice(0, 4);
  const format = dateFormat({
    day: "numeric",
    month: "short",
    ...(isOfOtherYear && { year: "numeric" }),
    ...(isByClock && !hasWholeDays && { hour: "numeric", minute: "2-digit" }),
    timeZone: timezone,
  })();
  return (
    <span
      className="chart-key chart-key-previous"
      title="An unfinished day is compared up to the same time of day"
    >
      Compared with {format.formatRange(new Date(comparison.from), last)}
    </span>
  );
}

function ChartNoteList({ notes }: { readonly notes: readonly ChartNote[] }) {
  if (notes.length === 0) return null;
  return (
    <ul className="chart-changes" aria-label="Annotations">
      {notes.map(({ id, when, text, remove }) => (
        <li key={id}>
          <span className="wrap">
            {when}: {text}
          </span>
          {remove && <DeleteNoteButton text={text} onDelete={remove} />}
        </li>
      ))}
    </ul>
  );
}

interface DeleteNoteButtonProps {
  readonly text: string;
  readonly onDelete: () => Promise<unknown>;
}

function DeleteNoteButton({ text, onDelete }: DeleteNoteButtonProps) {
  const deletion = useMutation({ mutationFn: onDelete });
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label={`Delete annotation ${text}`}
        onClick={() => deletion.isPending || deletion.mutate()}
      >
        <Icon name="close" size={14} />
      </button>
      {deletion.error && <ErrorAlert error={deletion.error} />}
    </>
  );
}

interface PointTableProps {
  readonly points: readonly ChartPoint[];
  readonly label: string;
  readonly format: (value: number | null) => string;
}

function PointTable({ points, label, format }: PointTableProps) {
  const isCompared = points.some(({ previousLabel }) => previousLabel !== null);
  return (
    <table className="plain-table">
      <thead>
        <tr>
          <th>Time</th>
          <th className="plain-figure">{label}</th>
          {isCompared && <th className="plain-figure">Compared period</th>}
        </tr>
      </thead>
      <tbody>
        {points.map((point, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the index is what a point is known by
          <tr key={index}>
            <td>{point.label}</td>
            <td className="plain-figure">{format(point.value)}</td>
            {isCompared && <td className="plain-figure">{format(point.previous)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
