/** A value before and after a change, side by side. */
import { Text } from "@mantine/core";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import type { PlanDifference } from "./plan-events.ts";

const formatJson = (value: unknown) => (value === undefined ? "—" : JSON.stringify(value, null, 2));

export const JsonChange = ({ name, before, after }: PlanDifference) => (
  <section aria-label={`Change of ${name}`}>
    <Text fw={600} className="wrap">
      {name}
    </Text>
    <div className="json-pair">
      {(["Before", "After"] as const).map((side) => (
        <div key={side}>
          <Text size="sm">{side}</Text>
          <ScrollRegion label={`${side}: ${name}`} className="plain-json">
            {formatJson(side === "Before" ? before : after)}
          </ScrollRegion>
        </div>
      ))}
    </div>
  </section>
);
