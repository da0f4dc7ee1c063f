/** Around the empty form of a funnel: what to enter, a first funnel to begin with, and what will be shown. */
import { Paper, Text } from "../../../ui/primitives/elements.tsx";
import { type StatsView, useStats } from "../use-stats-view.ts";
import { type FunnelStep, MIN_STEPS, stepParams } from "./funnel-steps.ts";

const PREVIEW = [100, 62, 28];

export const FunnelPreview = () => (
  <Paper p="md" className="funnel-preview">
    <Text size="sm" c="dimmed" mb="sm">
      The funnel shows how many visitors completed each step, how long they took, and where the others dropped
      off.
    </Text>
    <div className="funnel" aria-hidden>
      <Text size="sm" fw={600}>
        Example
      </Text>
      {PREVIEW.map((width, at) => (
        <div key={width}>
          <Text size="sm" c="dimmed">
            Step {at + 1}
          </Text>
          <div className="funnel-track">
            <span style={{ width: `${width}%` }} />
          </div>
        </div>
      ))}
    </div>
  </Paper>
);

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
    <Text size="sm" c="dimmed">
      See at which step visitors drop off.{" "}
      {(isPending || pages.length === MIN_STEPS) && (
        <button
          type="button"
          className="text-button"
          disabled={isPending}
          title={pages.map(({ text }) => text).join(" → ")}
          onClick={() => view.update(stepParams(pages))}
        >
          Use the most visited pages
        </button>
      )}
    </Text>
  );
}
