/** The real-time view: the last 30 minutes by minute, and what is being looked at in them. */
import type { StatsDimension } from "@headwater/contract";
import { MINUTE_MS } from "../../../time.ts";
import { formatCount, pluralize } from "../../../ui/format-count.ts";
import { Paper, Text, Title } from "../../../ui/primitives/elements.tsx";
import { useNow } from "../../../ui/relative-time.tsx";
import { formatRate, shortTimeFormatter } from "../format.ts";
import type { ListMetric } from "../lists/breakdown.ts";
import { BreakdownTable } from "../lists/breakdown-table.tsx";
import { useLiveStats } from "../live-visitors.tsx";
import "./realtime.css";
import { StatsResult } from "../stats-result.tsx";
import { type StatsView, useStats } from "../use-stats-view.ts";
import { useMayListVisits } from "../visits/use-visits.ts";
import { VisitStream } from "./visit-stream.tsx";

const WINDOW_MINUTES = 30;
const REFETCH_MS = 10_000;
/** One visitor is a low bar. */
const LOWEST_SCALE = 4;

interface RecentList {
  readonly title: string;
  readonly dimension: StatsDimension;
  readonly metric: ListMetric;
}
const LISTS: readonly RecentList[] = [
  { title: "Pages", dimension: "page", metric: "visitors" },
  { title: "Countries", dimension: "country", metric: "visitors" },
  { title: "Traffic sources", dimension: "source", metric: "visitors" },
  { title: "Events", dimension: "event", metric: "events" },
];
/** Two columns without the stream: each list is as long as its rows, whatever stands beside it. */
const COLUMNS = [LISTS.slice(0, 2), LISTS.slice(2)];

/** @returns the same view of the last 30 minutes, the current one included */
function lastMinutes(view: StatsView, now: number): StatsView {
  const end = (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;
  const start = end - WINDOW_MINUTES * MINUTE_MS;
  const dateRange: [string, string] = [new Date(start).toISOString(), new Date(end).toISOString()];
  return { ...view, scope: { ...view.scope, dateRange }, comparison: { ...view.comparison, request: false } };
}

export function RealtimeView({ view }: { readonly view: StatsView }) {
  const recent = lastMinutes(view, useNow());
  const hasStream = useMayListVisits(view);
  return (
    <div className={hasStream ? "stats panels realtime" : "stats panels"}>
      <VisitorsByMinute view={recent} isWhole={view.scope.filters.length === 0} />
      {hasStream && <VisitStream view={recent} />}
      {(hasStream ? [LISTS] : COLUMNS).map((lists) => (
        <div key={lists[0]?.title} className="panel-column">
          {lists.map((list) => (
            <RecentPanel key={list.title} list={list} view={recent} />
          ))}
        </div>
      ))}
    </div>
  );
}

const RecentPanel = ({
  list: { title, dimension, metric },
  view,
}: {
  readonly list: RecentList;
  readonly view: StatsView;
}) => (
  <Paper p="md" component="section" aria-label={title} className="panel">
    <Title order={2} size="h5" mb="xs">
      {title}, last 30 minutes
    </Title>
    <BreakdownTable
      breakdown={{ dimension, metrics: [metric], hint: "Nothing in the last 30 minutes" }}
      view={view}
      refetchMs={REFETCH_MS}
      hasFurtherFigures={false}
    />
  </Paper>
);

function CurrentVisitors({ sourceId }: { readonly sourceId: string }) {
  const { data, error } = useLiveStats(sourceId);
  // an outdated number would be wrong
  if (error) return null;
  return (
    <div className="realtime-now">
      <strong>{data ? formatCount(data.visitors) : "…"}</strong>
      <span className="live" data-live={data && data.visitors > 0 ? "yes" : undefined}>
        current visitor{data?.visitors === 1 ? "" : "s"}
      </span>
    </div>
  );
}

interface VisitorsByMinuteProps {
  readonly view: StatsView;
  /** There are no filters, which the number of current visitors would not know. */
  readonly isWhole: boolean;
}

function VisitorsByMinute({ view: { scope }, isWhole }: VisitorsByMinuteProps) {
  const options = { refetchMs: REFETCH_MS };
  const series = useStats(
    scope,
    { metrics: ["visitors", "pageviews"], dimensions: ["time:minute"] },
    options,
  );
  const totals = useStats(scope, { metrics: ["visitors", "pageviews", "events"] }, options);
  const [visitors, pageviews, events] = totals.data?.results[0]?.metrics ?? [];
  return (
    <Paper p="md" component="section" aria-label="Last 30 minutes" className="panel-wide">
      <div className="realtime-head">
        {isWhole && <CurrentVisitors sourceId={scope.sourceId} />}
        <div>
          <Text size="sm" c="dimmed">
            Last 30 minutes
          </Text>
          {totals.data
            ? `${pluralize(visitors ?? 0, "visitor")} · ${pluralize(pageviews ?? 0, "page view")} · ${pluralize(events ?? 0, "event")}`
            : "—"}
        </div>
      </div>
      <Title order={2} size="h5" mb="xs">
        Visitors per minute
      </Title>
      <StatsResult query={series} rows={3}>
        {({ results, timezone }) => {
          const highest = Math.max(...results.map(({ metrics: [value] }) => value ?? 0), LOWEST_SCALE);
          const formatTime = shortTimeFormatter(timezone, "minute");
          return (
            <>
              <div className="minutes-highest" aria-hidden>
                {formatCount(highest)}
              </div>
              <ol className="minutes" aria-label="Visitors per minute">
                {results.map(({ dimensions: [start], metrics: [value = 0], complete }) => {
                  const share = visitors ? `, ${formatRate((value ?? 0) / visitors)} of all visitors` : "";
                  const text = `${formatTime(String(start))}: ${pluralize(value ?? 0, "visitor")}${share}`;
                  return (
                    <li key={String(start)} title={text}>
                      <span
                        className="minute-bar"
                        data-open={complete === false || undefined}
                        style={{ blockSize: `${((value ?? 0) / highest) * 100}%` }}
                      />
                      <span className="minute-text">{text}</span>
                    </li>
                  );
                })}
              </ol>
            </>
          );
        }}
      </StatsResult>
      <div className="minutes-axis" aria-hidden>
        <span>30 minutes ago</span>
        <span>Now</span>
      </div>
    </Paper>
  );
}
