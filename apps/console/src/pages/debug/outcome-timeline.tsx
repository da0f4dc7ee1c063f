/** The outcomes of the listed attempts by minute. */
import type { DebugAttempt } from "@headwater/contract";
import { dateFormat } from "../../own-format.ts";
import { useNow } from "../../ui/relative-time.tsx";
import { outcomesByMinute } from "./attempt-summary.ts";
import { type CountedOutcome, OUTCOMES } from "./outcomes.ts";

const MINUTES = 60;
/** From the top of a bar to its bottom. */
const STACKED: readonly CountedOutcome[] = ["failed", "partial", "succeeded"];
const time = dateFormat({ timeStyle: "short" });

/** @returns for example `3 Refused, 0 Partial, 2 OK` */
const describe = (counts: Readonly<Record<CountedOutcome, number>>): string =>
  STACKED.map((outcome) => `${counts[outcome]} ${OUTCOMES[outcome].label}`).join(", ");

export function OutcomeTimeline({ attempts }: { readonly attempts: readonly DebugAttempt[] }) {
  // an attempt of the current minute may be newer than the clock that ticks once a minute
  const newest = Date.parse(attempts[0]?.receivedAt ?? "");
  const now = Math.max(useNow(), Number.isNaN(newest) ? 0 : newest);
  const minutes = outcomesByMinute(attempts, now, MINUTES);
  const highest = Math.max(...minutes.map(({ succeeded, partial, failed }) => succeeded + partial + failed));
  if (highest === 0) return null;
  const sum = (outcome: CountedOutcome) => minutes.reduce((total, minute) => total + minute[outcome], 0);
  const totals = { succeeded: sum("succeeded"), partial: sum("partial"), failed: sum("failed") };
  return (
    <figure className="timeline" data-calm={totals.failed + totals.partial === 0 ? "yes" : undefined}>
      <figcaption>
        <h2 className="health-title">
          Last hour<span className="timeline-detail">, listed requests by minute</span>
        </h2>
        <ul className="legend" aria-label="Legend">
          {STACKED.toReversed().map((outcome) => (
            <li key={outcome}>
              <span className={OUTCOMES[outcome].part} />
              {OUTCOMES[outcome].label}
            </li>
          ))}
        </ul>
      </figcaption>
      <div className="timeline-bars" role="img" aria-label={`Last hour: ${describe(totals)}`}>
        {minutes.map((minute) => (
          <span key={minute.start} title={`${time().format(minute.start)}: ${describe(minute)}`}>
            {STACKED.map((outcome) => (
              <span
                key={outcome}
                className={OUTCOMES[outcome].part}
                style={{ blockSize: `${(minute[outcome] / highest) * 100}%` }}
              />
            ))}
          </span>
        ))}
      </div>
    </figure>
  );
}
