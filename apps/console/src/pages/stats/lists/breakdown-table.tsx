/** The most frequent values of a dimension, with a dialog that has all of them. */
import type { StatsAnswer, StatsRow } from "@headwater/contract";
import { useState } from "react";
import { Dialog } from "../../../ui/dialog.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { lazily } from "../../../ui/load-later.tsx";
import { Text } from "../../../ui/primitives/elements.tsx";
import { LatestEventsLink } from "../../visitor/latest-events-link.tsx";
import { formatDays } from "../format.ts";
import { StatsResult } from "../stats-result.tsx";
import { type StatsView, useStats } from "../use-stats-view.ts";
import {
  type Breakdown,
  dimensionsOf,
  rowValueOf,
  scopeOf,
  useTotal,
  valuedBreakdown,
  withAllMetrics,
} from "./breakdown.ts";
import { BreakdownRows } from "./breakdown-rows.tsx";
import { dimensionLabel, isNotSet } from "./value-names.ts";

/** How many rows a panel has at most. */
export const ROWS = 9;
/** As high as the rows of a full list. */
export const LOADING_ROWS = 6;
/** As high as the rows of the devices, which are three for most sources. */
const SHORT_ROWS = 3;
const BreakdownDetails = lazily(async () => (await import("./breakdown-details.tsx")).BreakdownDetails);

interface BreakdownTableProps {
  readonly breakdown: Breakdown;
  readonly view: StatsView;
  /** The title of the details. Default: the dimension. */
  readonly title?: string;
  readonly refetchMs?: number;
  /** The details have further figures. Without them, only a list that leaves out rows has details. */
  readonly hasFurtherFigures?: boolean;
}

const hasFigures = ({ results }: StatsAnswer, { hint }: Breakdown): boolean =>
  results.some(
    ({ metrics: [, ...further] }) =>
      hint === undefined || further.length === 0 || further.some((value) => value !== null),
  );

/** The events without a value are a row beside the others. Values that nobody sent by themselves, such as `engagement`, count 0. */
function firstRows(answer: StatsAnswer, breakdown: Breakdown): StatsAnswer {
  const isUnset = ({ dimensions }: StatsRow) =>
    isNotSet(breakdown.dimension, rowValueOf(breakdown, dimensions).value);
  const counted = answer.results.filter(({ metrics }) => metrics[0] !== 0);
  const named = counted.filter((row) => !isUnset(row)).slice(0, ROWS);
  return { ...answer, results: [...named, ...counted.filter(isUnset).slice(0, 1)] };
}

export function BreakdownTable({ breakdown: given, ...props }: BreakdownTableProps) {
  const breakdown = valuedBreakdown(given, props.view);
  // figures of other columns, or in another currency, are not kept while the new ones are loading
  return <OneBreakdown key={JSON.stringify(breakdown)} breakdown={breakdown} {...props} />;
}

/** The total that belongs to the rows: old rows keep the old total until their new answer is there. */
function useTotalOf({ isPlaceholderData }: { readonly isPlaceholderData: boolean }, total: number | null) {
  const [shown, setShown] = useState(total);
  if (!isPlaceholderData && shown !== total) setShown(total);
  return shown;
}

function OneBreakdown(props: BreakdownTableProps) {
  const { breakdown, view, title, refetchMs, hasFurtherFigures = true } = props;
  const { dimension, metrics, changed, hint = "No data" } = breakdown;
  const [isOpen, setOpen] = useState(false);
  const scope = scopeOf(view, breakdown);
  const query = useStats(
    scope,
    {
      metrics: [...metrics],
      dimensions: dimensionsOf(breakdown),
      pagination: { limit: ROWS + 1 },
      comparison: changed === undefined ? false : view.comparison.request,
    },
    refetchMs === undefined ? {} : { refetchMs },
  );
  const total = useTotalOf(query, useTotal(view, breakdown));
  const { event } = view.params;
  const detailed = withAllMetrics(breakdown);
  // what a list leaves out: figures, or the change since the compared period
  const hasChanges = changed === undefined && view.comparison.request !== false;
  const hasFurther = hasFurtherFigures && (hasChanges || detailed.metrics.length > metrics.length);
  return (
    <StatsResult query={query} rows={dimension === "device" ? SHORT_ROWS : LOADING_ROWS}>
      {(answer) => (
        <>
          {hasFigures(answer, breakdown) ? (
            <BreakdownRows
              answer={firstRows(answer, breakdown)}
              breakdown={breakdown}
              view={view}
              total={total}
              {...(changed !== undefined && { changed })}
            />
          ) : (
            <Text size="sm" c="dimmed" py="md">
              {hint}
            </Text>
          )}
          {hasFigures(answer, breakdown) && answer.results.length > (hasFurther ? 0 : ROWS) && (
            <button type="button" className="details-button" onClick={() => setOpen(true)}>
              <Icon name="maximize" size={14} />
              Details
            </button>
          )}
          {dimension === "event" && event !== undefined && (
            <LatestEventsLink sourceId={scope.sourceId} name={event} />
          )}
          <Dialog
            title={`${title ?? dimensionLabel(dimension)} · ${formatDays(view.range.days)}`}
            isWide
            opened={isOpen}
            onClose={() => setOpen(false)}
          >
            <BreakdownDetails breakdown={detailed} view={view} total={total} onClose={() => setOpen(false)} />
          </Dialog>
        </>
      )}
    </StatsResult>
  );
}
