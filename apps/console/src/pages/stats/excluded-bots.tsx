/** How many events of bots the figures leave out, with a button that counts them too. */
import { pluralize } from "../../ui/format-count.ts";
import { type StatsView, useStats } from "./use-stats-view.ts";

/** It has a query of its own, because counting the events of bots reads all events of the range. */
export function ExcludedBots({ view: { scope, update } }: { readonly view: StatsView }) {
  const counted = { ...scope, include: { ...scope.include, bots: false, excluded: true } };
  const { data, isPlaceholderData } = useStats(counted, { metrics: ["events"] }, { isExact: true });
  const isIncluded = scope.include.bots;
  const events = isPlaceholderData ? 0 : (data?.excluded?.bots ?? 0);
  if (!isIncluded && events === 0) return null;
  const amount = events === 0 ? "Bot events" : pluralize(events, "bot event");
  return (
    <p className="excluded">
      {amount} {isIncluded ? "counted" : "excluded"} ·{" "}
      <button
        type="button"
        className="text-button"
        onClick={() => update({ bots: isIncluded ? undefined : "yes" })}
      >
        {isIncluded ? "Exclude bots" : "Include bots"}
      </button>
    </p>
  );
}
