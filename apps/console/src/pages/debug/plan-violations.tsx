/** How events violated the source's tracking plan: where, what was expected, who sent them and when. */
import type { DebugData } from "@headwater/contract";
import { pluralize } from "../../ui/format-count.ts";
import { Icon } from "../../ui/icon.tsx";
import { TextLink } from "../../ui/links.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";

type Violation = DebugData["planViolations"][number];

/** Further ones are behind a button. */
const MAX_SHOWN = 2;

interface PlanViolationsProps {
  readonly sourceId: string;
  readonly violations: readonly Violation[];
  /** How many events violated the plan in the last 24 hours. */
  readonly events: number;
  /** Shows the attempts with rejected events; null when there are none. */
  readonly onShow: (() => void) | null;
}

/** An entry of the list of problems. */
export const PlanViolations = ({ sourceId, violations, events, onShow }: PlanViolationsProps) => (
  <li className="problem">
    <Icon name="warning" size={18} />
    <div className="problem-text">
      {onShow ? (
        <button type="button" className="problem-name" onClick={onShow}>
          Plan violation
        </button>
      ) : (
        <strong>Plan violation</strong>
      )}{" "}
      {events === 0 ? "none in the last 24 hours" : `${pluralize(events, "event")} in the last 24 hours`}
      <ul className="plan-violations" aria-label="Violations of the tracking plan">
        {violations.slice(0, MAX_SHOWN).map(toItem)}
      </ul>
      {violations.length > MAX_SHOWN && (
        <details>
          <summary>{pluralize(violations.length - MAX_SHOWN, "more violation")}</summary>
          <ul className="plan-violations" aria-label="More violations of the tracking plan">
            {violations.slice(MAX_SHOWN).map(toItem)}
          </ul>
        </details>
      )}
      <p>
        Send what the plan expects, or change the plan.{" "}
        <TextLink to="/sources/events" search={{ sourceId }} size="sm" underline="always">
          Open tracking plan
        </TextLink>
      </p>
    </div>
  </li>
);

const toItem = (one: Violation) => (
  <li key={`${one.event} ${one.path} ${one.expected}`}>
    <strong>{one.event}</strong>: {one.path} must be {one.expected}; found {one.found}.
    <p>
      {pluralize(one.events, "event")}. First seen <RelativeTime at={one.firstSeenAt} />, last seen{" "}
      <RelativeTime at={one.lastSeenAt} />. Client versions: {one.clientVersions.join(", ") || "—"}. Pages:{" "}
      {one.pages.join(", ") || "—"}.
    </p>
  </li>
);
