/** How events violated the source's tracking plan: where, what was expected, who sent them and when. */
import type { DebugData } from "@headwater/contract";
import { pluralize } from "../../ui/format-count.ts";
import { Icon } from "../../ui/icon.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";

interface PlanViolationsProps {
  readonly violations: DebugData["planViolations"];
}

export const PlanViolations = ({ violations }: PlanViolationsProps) => (
  <details className="plan-violations">
    <summary>Tracking plan: {pluralize(violations.length, "expectation")} violated so far</summary>
    <ul className="problems" aria-label="Violations of the tracking plan">
      {violations.map((one) => (
        <li key={`${one.event} ${one.path} ${one.expected}`} className="problem">
          <Icon name="warning" size={18} />
          <div className="problem-text wrap">
            <strong>{one.event}</strong>: {one.path} must be {one.expected}; found {one.found}.{" "}
            {pluralize(one.events, "event")}.
            <p>
              First seen <RelativeTime at={one.firstSeenAt} />, last seen <RelativeTime at={one.lastSeenAt} />
              . Client versions: {one.clientVersions.join(", ") || "—"}. Pages: {one.pages.join(", ") || "—"}.
            </p>
          </div>
        </li>
      ))}
    </ul>
  </details>
);
