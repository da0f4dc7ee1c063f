/** The most frequent values of a dimension, with a dialog that has all of them. */
import type { StatsAnswer } from "@headwater/contract";
import { Text, UnstyledButton } from "@mantine/core";
import { useState } from "react";
import { Dialog } from "../../../ui/dialog.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { loadLater } from "../../../ui/load-later.tsx";
import { dimensionLabel } from "../format.ts";
import { StatsResult } from "../stats-result.tsx";
import { type StatsView, useStats } from "../use-stats-view.ts";
import { type Breakdown, scopeOf, useTotal, valuedBreakdown } from "./breakdown.ts";
import { BreakdownRows } from "./breakdown-rows.tsx";

const ROWS = 9;
const BreakdownDetails = loadLater(async () => (await import("./breakdown-details.tsx")).BreakdownDetails);

interface BreakdownTableProps {
  readonly breakdown: Breakdown;
  readonly view: StatsView;
  readonly refetchMs?: number;
}

const hasFigures = ({ results }: StatsAnswer, { hint }: Breakdown): boolean =>
  results.some(
    ({ metrics: [, ...further] }) => hint === undefined || further.some((value) => value !== null),
  );

export function BreakdownTable({ breakdown: given, ...props }: BreakdownTableProps) {
  const breakdown = valuedBreakdown(given, props.view);
  // figures of other columns, or in another currency, are not kept while the new ones are loading
  return <OneBreakdown key={JSON.stringify(breakdown)} breakdown={breakdown} {...props} />;
}

function OneBreakdown({ breakdown, view, refetchMs }: BreakdownTableProps) {
  const { dimension, metrics, hint = "No data" } = breakdown;
  const [isOpen, setOpen] = useState(false);
  const scope = scopeOf(view, breakdown);
  const query = useStats(
    scope,
    { metrics: [...metrics], dimensions: [dimension], pagination: { limit: ROWS } },
    refetchMs === undefined ? {} : { refetchMs },
  );
  const total = useTotal(scope, breakdown);
  return (
    <StatsResult query={query} rows={5}>
      {(answer) => (
        <>
          {hasFigures(answer, breakdown) ? (
            <BreakdownRows answer={answer} breakdown={breakdown} view={view} total={total} />
          ) : (
            <Text size="sm" c="dimmed" py="md">
              {hint}
            </Text>
          )}
          {answer.nextOffset !== null && (
            <UnstyledButton className="details-button" onClick={() => setOpen(true)}>
              <Icon name="maximize" size={14} />
              Details
            </UnstyledButton>
          )}
          <Dialog title={dimensionLabel(dimension)} isWide opened={isOpen} onClose={() => setOpen(false)}>
            <BreakdownDetails
              breakdown={breakdown}
              view={view}
              total={total}
              onClose={() => setOpen(false)}
            />
          </Dialog>
        </>
      )}
    </StatsResult>
  );
}
