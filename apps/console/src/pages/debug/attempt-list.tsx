/** The list of attempts. It is virtualized: only the visible rows are in the document. */
import type { DebugAttempt } from "@headwater/contract";
import { useMediaQuery } from "@mantine/hooks";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, memo, type RefObject, useEffect, useLayoutEffect, useState } from "react";
import { pathOf, summarizeAttempt, titleOf } from "./attempt-summary.ts";
import { OutcomeBadge } from "./outcome-badge.tsx";

/** The height of a row: one line, or two on a phone. `debug.css` has the same width. */
const LINE_PX = 40;
const TWO_LINES_PX = 60;
const PHONE = "(max-width: 62em)";
const BORDERS_PX = 2;
const time = new Intl.DateTimeFormat("en", { timeStyle: "medium", hourCycle: "h23" });
const day = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

interface AttemptListProps {
  readonly list: RefObject<HTMLDivElement | null>;
  readonly attempts: readonly DebugAttempt[];
  readonly opened: string | null;
  readonly onOpen: (attemptId: string) => void;
  readonly hasOlder: boolean;
  readonly onEnd: () => void;
}

export function AttemptList({ list, attempts, opened, onOpen, hasOlder, onEnd }: AttemptListProps) {
  // the attempt that was opened last; arrow keys continue from it after it is closed
  const [last, setLast] = useState(opened);
  if (opened !== null && opened !== last) setLast(opened);
  const active = opened ?? last;
  const rowPx = useMediaQuery(PHONE, false, { getInitialValueInEffect: false }) ? TWO_LINES_PX : LINE_PX;
  const virtual = useVirtualizer({
    count: attempts.length,
    getScrollElement: () => list.current,
    estimateSize: () => rowPx,
    getItemKey: (index) => attempts[index]!.attemptId,
    overscan: 8,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are measured again when their height changes
  useLayoutEffect(() => virtual.measure(), [rowPx]);
  const items = virtual.getVirtualItems();
  const lastVisible = items.at(-1)?.index ?? 0;
  const isAtEnd = hasOlder && lastVisible >= attempts.length - 1;
  useEffect(() => {
    if (isAtEnd) onEnd();
  }, [isAtEnd, onEnd]);

  /** Opens the attempt that an arrow, page, Home or End key leads to. */
  const onKeyDown = (event: KeyboardEvent) => {
    const rowsPerPage = Math.max(1, Math.floor((list.current?.clientHeight ?? 0) / rowPx) - 1);
    const offset = offsetForKey(event.key, rowsPerPage, attempts.length);
    if (offset === undefined) return;
    event.preventDefault();
    const from = attempts.findIndex(({ attemptId }) => attemptId === active);
    const to = Math.min(Math.max(from + offset, 0), attempts.length - 1);
    const next = attempts[to];
    if (!next) return;
    virtual.scrollToIndex(to);
    onOpen(next.attemptId);
  };

  return (
    <div
      ref={list}
      className="attempt-list"
      // a short list has no empty space below its last row
      style={{ maxHeight: virtual.getTotalSize() + BORDERS_PX }}
      role="listbox"
      aria-label="Attempts, newest first"
      aria-activedescendant={active ?? undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {items.map(({ index, key, start }) => (
          <div
            key={key}
            role="presentation"
            className="attempt-slot"
            style={{ transform: `translateY(${start}px)`, height: rowPx }}
          >
            <AttemptRow
              attempt={attempts[index]!}
              isOpened={attempts[index]!.attemptId === opened}
              isActive={attempts[index]!.attemptId === active}
              onOpen={onOpen}
              position={index + 1}
              total={attempts.length}
            />
          </div>
        ))}
      </div>
    </div>
  );
}

/** @returns by how many rows a key moves, or undefined for other keys */
function offsetForKey(key: string, rowsPerPage: number, rows: number): number | undefined {
  const offsets = new Map([
    ["ArrowDown", 1],
    ["ArrowUp", -1],
    ["PageDown", rowsPerPage],
    ["PageUp", -rowsPerPage],
    ["Home", -rows],
    ["End", rows],
  ]);
  return offsets.get(key);
}

interface AttemptRowProps {
  readonly attempt: DebugAttempt;
  readonly isOpened: boolean;
  readonly isActive: boolean;
  readonly onOpen: (attemptId: string) => void;
  /** Counted from 1. */
  readonly position: number;
  readonly total: number;
}

const AttemptRow = memo(function AttemptRow({
  attempt,
  isOpened,
  isActive,
  onOpen,
  position,
  total,
}: AttemptRowProps) {
  const { attemptId, origin, code } = attempt;
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
      className="attempt-row"
      data-active={isActive ? "yes" : undefined}
      onClick={() => onOpen(attemptId)}
    >
      <span className="attempt-first">
        <OutcomeBadge attempt={attempt} />
        <strong className="attempt-title">{titleOf(attempt)}</strong>
        {code !== null && <code className="attempt-code">{code}</code>}
        {path !== null && <span className="attempt-path">{path}</span>}
      </span>
      <span className="attempt-second">
        <span className="attempt-counts">{summarizeAttempt(attempt)}</span>
        <span className="attempt-origin">{origin ?? "No Origin header"}</span>
        <time dateTime={attempt.receivedAt} title={day.format(receivedAt)}>
          {time.format(receivedAt)}
        </time>
      </span>
    </div>
  );
});
