/** One attempt in the list. */
import type { DebugAttempt } from "@headwater/contract";
import { memo } from "react";
import { dateFormat } from "../../own-format.ts";
import { pathOf, summarizeAttempt, titleOf } from "./attempt-summary.ts";
import { OutcomeBadge } from "./outcome-badge.tsx";

const time = dateFormat({ timeStyle: "medium" });
const day = dateFormat({ dateStyle: "medium" });

interface AttemptRowProps {
  readonly attempt: DebugAttempt;
  readonly isOpened: boolean;
  readonly isActive: boolean;
  readonly onOpen: (attemptId: string) => void;
  /** Counted from 1. */
  readonly position: number;
  readonly total: number;
}

/** The headings of the columns. On phones and beside an opened attempt, where a row has two lines, they are hidden. */
export const AttemptHead = () => (
  <div className="attempt-head attempt-columns" aria-hidden>
    <span>Status</span>
    <span>Event</span>
    <span>Path</span>
    <span>Result</span>
    <span>Origin</span>
    <span>Time</span>
  </div>
);

export const AttemptRow = memo(function AttemptRow(props: AttemptRowProps) {
  const { attempt, isOpened, isActive, onOpen, position, total } = props;
  const { attemptId, origin } = attempt;
  const path = pathOf(attempt);
  const receivedAt = new Date(attempt.receivedAt);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the listbox has the focus and handles the keys
    <div
      id={attemptId}
      role="option"
      aria-selected={isOpened}
      aria-posinset={position}
      aria-setsize={total}
      className="attempt-row attempt-columns"
      data-active={isActive ? "yes" : undefined}
      onClick={() => onOpen(attemptId)}
    >
      <span className="attempt-first">
        <OutcomeBadge attempt={attempt} />
        <span className="attempt-event">
          <strong className="attempt-title">{titleOf(attempt)}</strong>
          <span className="attempt-path" title={path ?? undefined}>
            {path}
          </span>
        </span>
      </span>
      <span className="attempt-second">
        <span className="attempt-counts">{summarizeAttempt(attempt)}</span>
        <span className="attempt-origin" title={origin ?? undefined}>
          {origin?.replace(/^https:\/\//, "") ?? "No Origin header"}
        </span>
        <time dateTime={attempt.receivedAt} title={day().format(receivedAt)}>
          {time().format(receivedAt)}
        </time>
      </span>
    </div>
  );
});
