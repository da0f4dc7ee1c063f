/** The funnel view without steps says what a funnel is for, and offers a first one. */
import { EmptyState } from "../../../ui/page-states.tsx";
import { Button } from "../../../ui/primitives/elements.tsx";
import { type StatsView, useStats } from "../use-stats-view.ts";
import { type FunnelStep, MIN_STEPS, stepParams } from "./funnel-steps.ts";

export function FunnelHint({ view }: { readonly view: StatsView }) {
  const { data, isPending } = useStats(view.scope, {
    metrics: ["visitors"],
    dimensions: ["page"],
    pagination: { limit: MIN_STEPS },
  });
  const pages = (data?.results ?? []).flatMap(({ dimensions: [page] }): FunnelStep[] =>
    typeof page === "string" && page !== "" ? [{ kind: "page", text: page }] : [],
  );
  return (
    <EmptyState
      title="See at which step visitors leave"
      action={
        (isPending || pages.length === MIN_STEPS) && (
          <Button
            disabled={isPending}
            title={pages.map(({ text }) => text).join(" → ")}
            onClick={() => view.update(stepParams(pages))}
          >
            Use the most visited pages
          </Button>
        )
      }
    >
      A funnel counts the visitors who completed each step in order. Enter at least two pages, events or
      goals, or begin with the most visited pages.
    </EmptyState>
  );
}
