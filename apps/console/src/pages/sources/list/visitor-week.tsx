/** The visitors of a source in the last seven days: a line of the days, their number, and its change. */
import { formatCount, pluralize } from "../../../ui/format-count.ts";
import { Skeleton } from "../../../ui/primitives/elements.tsx";
import { toAreaPath, toUnbrokenLine } from "../../stats/chart/line-path.ts";
import { formatChange } from "../../stats/format.ts";
import type { WeekOfVisitors } from "./source-list-query.ts";

/** @param week undefined while it loads; null: nobody visited */
export function VisitorWeek({ week }: { readonly week: WeekOfVisitors | null | undefined }) {
  if (week === undefined)
    return (
      <span className="week week-loading">
        <Skeleton height="1.75rem" />
      </span>
    );
  if (week === null) return <span className="week week-none">0</span>;
  const { visitors, before, days } = week;
  const highest = Math.max(...days, 1);
  // today is not over, so it has fewer visitors than it will have
  const today = days.length - 1;
  const closed = days.map((count, day) => (day < today ? count : null));
  const open = days.map((count, day) => (day < today - 1 ? null : count));
  const change = formatChange(visitors, before, "visitors");
  return (
    <span className="week">
      <svg
        viewBox="0 -6 100 112"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Visitors by day: ${days.map(formatCount).join(", ")}`}
      >
        <path className="week-area" d={toAreaPath(closed, highest)} />
        <path className="week-line" d={toUnbrokenLine(closed, highest)} />
        <path className="week-line week-open" d={toUnbrokenLine(open, highest)} />
      </svg>
      <span>
        <span className="week-figure" title={`${pluralize(visitors, "visitor")} in 7 days`}>
          {formatCount(visitors)}
        </span>
        {change && before !== null && (
          <span
            className="source-words"
            data-change={Math.sign(change.ratio)}
            title={`${formatCount(before)} in the previous 7 days`}
          >
            {change.text}
          </span>
        )}
      </span>
    </span>
  );
}
