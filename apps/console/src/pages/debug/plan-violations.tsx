/** How events violated the source's tracking plan: where, what was expected, who sent them and when. */
import type { DebugData } from "@headwater/contract";
import { pluralize } from "../../ui/format-count.ts";
import { TextLink } from "../../ui/links.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { ProblemLine } from "./problem-line.tsx";

type Violation = DebugData["planViolations"][number];

interface PlanViolationsProps {
  readonly sourceId: string;
  readonly violations: readonly Violation[];
  /** How many events violated the plan in the last 24 hours. */
  readonly events: number;
  /** Shows the attempts with rejected events; null when there are none. */
  readonly onShow: (() => void) | null;
}

/** A line of the list of problems. */
export const PlanViolations = ({ sourceId, violations, events, onShow }: PlanViolationsProps) => (
  <ProblemLine
    name="Plan violation"
    text={
      <>
        {onShow ? (
          <button type="button" className="problem-name" onClick={onShow}>
            Plan violation
          </button>
        ) : (
          <strong>Plan violation</strong>
        )}{" "}
        {pluralize(events, "event")}
      </>
    }
  >
    <ul className="plan-violations" aria-label="Tracking plan violations">
      {violations.map(toItem)}
    </ul>
    <p>
      Send what the plan expects, or change the plan.{" "}
      <TextLink to="/sources/events" search={{ sourceId }} size="sm" underline="always">
        Open tracking plan
      </TextLink>
    </p>
  </ProblemLine>
);

const toItem = (one: Violation) => (
  <li key={`${one.event} ${one.path} ${one.expected}`}>
    <strong>{one.event}</strong>: {one.path} must be {one.expected}; found {one.found}.
    <p>
      {pluralize(one.events, "event")}. First received <RelativeTime at={one.firstSeenAt} />, last received{" "}
      <RelativeTime at={one.lastSeenAt} />. Client versions: {one.clientVersions.join(", ") || "—"}. Pages:{" "}
      {one.pages.join(", ") || "—"}.
    </p>
  </li>
);
