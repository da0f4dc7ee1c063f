/** A view without figures: what it will show, and a button for the likeliest next step. */
import { EmptyState } from "../../ui/page-states.tsx";
import { Button } from "../../ui/primitives/elements.tsx";
import { otherFilterParams } from "./other-filters.ts";
import type { StatsView } from "./use-stats-view.ts";
import { withoutFilters } from "./view-params.ts";
import { countDays } from "./view-range.ts";

const LONG_DAYS = 365;

interface NoDataProps {
  readonly title: string;
  readonly view: StatsView;
  /** A sentence that says what the view shows. */
  readonly children: string;
}

export function NoData({ title, view, children }: NoDataProps) {
  const { filters, range, scope, update } = view;
  const isFiltered = scope.filters.length > 0;
  const isLong = countDays(range.days) >= LONG_DAYS;
  const clear = () => update({ ...withoutFilters(filters), ...otherFilterParams([]) });
  return (
    <EmptyState
      title={title}
      action={
        isFiltered ? (
          <Button variant="default" onClick={clear}>
            Clear filters
          </Button>
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
