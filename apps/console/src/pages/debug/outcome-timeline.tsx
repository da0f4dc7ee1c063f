/** The outcomes of the listed attempts by minute. */
import type { DebugAttempt } from "@headwater/contract";
import { useNow } from "../../ui/relative-time.tsx";
import { outcomesByMinute } from "./attempt-summary.ts";

const MINUTES = 60;
const OUTCOMES = ["failed", "partial", "succeeded"] as const;
const time = new Intl.DateTimeFormat("en", { timeStyle: "short", hourCycle: "h23" });

export function OutcomeTimeline({ attempts }: { readonly attempts: readonly DebugAttempt[] }) {
  // an attempt of the current minute may be newer than the clock that ticks once a minute
  const newest = Date.parse(attempts[0]?.receivedAt ?? "");
  const now = Math.max(useNow(), Number.isNaN(newest) ? 0 : newest);
  const minutes = outcomesByMinute(attempts, now, MINUTES);
  const highest = Math.max(...minutes.map(({ succeeded, partial, failed }) => succeeded + partial + failed));
  if (highest === 0) return null;
  const counts = OUTCOMES.map(
    (outcome) => `${minutes.reduce((sum, minute) => sum + minute[outcome], 0)} ${outcome}`,
  );
  return (
    <figure className="timeline">
      <div className="timeline-bars" role="img" aria-label={`Last hour: ${counts.join(", ")}`}>
        {minutes.map((minute) => (
          <span
            key={minute.start}
            title={`${time.format(minute.start)}: ${OUTCOMES.map((outcome) => `${minute[outcome]} ${outcome}`).join(", ")}`}
          >
            {OUTCOMES.map((outcome) => (
              <span
                key={outcome}
                data-outcome={outcome}
                style={{ blockSize: `${(minute[outcome] / highest) * 100}%` }}
              />
            ))}
          </span>
        ))}
      </div>
      <figcaption>
        <span>An hour ago</span>
        <span>Listed attempts by minute</span>
        <span>Now</span>
      </figcaption>
    </figure>
  );
}
