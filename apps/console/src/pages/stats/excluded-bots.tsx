/** How many events of bots the figures leave out, with a button that counts them too. */
import { UnstyledButton } from "@mantine/core";
import { pluralize } from "../../ui/format-count.ts";
import type { StatsView } from "./use-stats-view.ts";

interface ExcludedBotsProps {
  readonly view: StatsView;
  /** The excluded events. */
  readonly events: number;
}

export function ExcludedBots({ view: { scope, update }, events }: ExcludedBotsProps) {
  const isIncluded = scope.include.bots;
  if (!isIncluded && events === 0) return null;
  return (
    <p className="excluded">
      {isIncluded ? "Events of bots are counted." : `${pluralize(events, "bot event")} excluded ·`}{" "}
      <UnstyledButton
        className="text-button"
        onClick={() => update({ bots: isIncluded ? undefined : "yes" })}
      >
        {isIncluded ? "Exclude bots" : "Show"}
      </UnstyledButton>
    </p>
  );
}
