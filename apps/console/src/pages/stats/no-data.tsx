/** A view without figures: what it will show, and buttons for the likeliest next steps. */
import { EmptyState } from "../../ui/page-states.tsx";
import { Button, Group } from "../../ui/primitives/elements.tsx";
import { formatCalendarDay } from "./format.ts";
import { otherFilterParams } from "./other-filters.ts";
import type { StatsView } from "./use-stats-view.ts";
import { withoutFilters } from "./view-params.ts";
import { countDays, PRESETS, todayIn } from "./view-range.ts";

const LONG_DAYS = 365;

interface NoDataProps {
  readonly title: string;
  readonly view: StatsView;
  /** A sentence that says what the view shows. */
  readonly children: string;
}

const ClearFilters = ({ view: { filters, update } }: { readonly view: StatsView }) => (
  <Button variant="default" onClick={() => update({ ...withoutFilters(filters), ...otherFilterParams([]) })}>
    Clear filters
  </Button>
);

export function NoData({ title, view, children }: NoDataProps) {
  const { range, scope, update } = view;
  const isFiltered = scope.filters.length > 0;
  const isLong = countDays(range.days) >= LONG_DAYS;
  return (
    <EmptyState
      title={title}
      action={
        isFiltered ? (
          <ClearFilters view={view} />
        ) : (
          !isLong && (
            <Button variant="default" onClick={() => update({ range: "365d" })}>
              Show the last 12 months
            </Button>
          )
        )
      }
    >
      {children}
    </EmptyState>
  );
}

/** The ranges that an overview without events offers. */
const OTHER_RANGES = PRESETS.filter(({ value }) => value === "28d" || value === "all");

/** Instead of the chart and the lists of the overview. */
export function EmptyOverview({ view }: { readonly view: StatsView }) {
  const { range, scope, timeZone, update } = view;
  const [first, last] = range.days;
  const isFiltered = scope.filters.length > 0;
  const isOver = last < todayIn(timeZone, Date.now());
  const days =
    first === last
      ? `on ${formatCalendarDay(first)}`
      : `from ${formatCalendarDay(first)} to ${formatCalendarDay(last)}`;
  return (
    <EmptyState
      title="No data in this range"
      action={
        <Group gap="xs">
          {isFiltered && <ClearFilters view={view} />}
          {OTHER_RANGES.filter(({ value }) => value !== range.text).map(({ value, label }) => (
            <Button
              key={value}
              variant="default"
              onClick={() => update({ range: value, interval: undefined })}
            >
              {label}
            </Button>
          ))}
        </Group>
      }
    >
      {isFiltered
        ? "No events match the filters in this range. Remove a filter or choose another range."
        : `No events ${days}.`}
      {!(isFiltered || isOver) && " New events appear here within seconds."}
    </EmptyState>
  );
}
