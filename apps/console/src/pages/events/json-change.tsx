/** A value before and after a change, side by side. */
import { Text } from "../../ui/primitives/elements.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import type { PlanDifference } from "./plan-events.ts";

const formatJson = (value: unknown) => (value === undefined ? "—" : JSON.stringify(value, null, 2));

interface JsonChangeProps extends PlanDifference {
  /** The titles of the values. */
  readonly sides?: readonly [before: string, after: string];
}

export const JsonChange = ({ name, before, after, sides = ["Before", "After"] }: JsonChangeProps) => (
  <section aria-label={`Changes to ${name}`}>
    <Text fw={600} className="wrap">
      {name}
    </Text>
    <div className="json-pair">
      {sides.map((side, at) => (
        <div key={side}>
          <Text size="sm">{side}</Text>
          <ScrollRegion label={`${side}: ${name}`} className="plain-json">
            {formatJson(at === 0 ? before : after)}
          </ScrollRegion>
        </div>
      ))}
    </div>
  </section>
);
