/** The list of attempts. It is virtualized: only the visible rows are in the document. */
import type { DebugAttempt } from "@headwater/contract";
import { useRouter } from "@tanstack/react-router";
import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { useMediaQuery } from "../../ui/use-media-query.ts";
import { daysOf, entryAt, rowOfAttempt } from "./attempt-days.ts";
import { AttemptHead, AttemptRow } from "./attempt-row.tsx";
import { useAttemptRows } from "./use-attempt-rows.ts";

/** The heights of a row: one line, or two. `debug.css` has the layouts. */
const ROW_PX = { wide: 40, narrow: 60 } as const;
const DAY_PX = 36;
/** The height of the column headings, or on phones of the console's bar, which stay at the top of the window. */
const HEAD_PX = { wide: 36, narrow: 52 } as const;
const BORDERS_PX = 2;
/** From here on the columns have room. */
const WIDE = "(min-width: 60em)";
/** From here on the details of an attempt are beside the list. */
const SIDE_BY_SIDE = "(min-width: 75.01em)";

interface AttemptListProps {
  readonly list: RefObject<HTMLDivElement | null>;
  readonly attempts: readonly DebugAttempt[];
  readonly opened: string | null;
  readonly onOpen: (attemptId: string) => void;
  readonly hasOlder: boolean;
  readonly onEnd: () => void;
}

/** @param isOpened whether the details of an attempt are beside or below the list */
function useLayout(isOpened: boolean): keyof typeof ROW_PX {
  const isWide = useMediaQuery(WIDE);
  const isSideBySide = useMediaQuery(SIDE_BY_SIDE);
  return isWide && !(isOpened && isSideBySide) ? "wide" : "narrow";
}

export function AttemptList({ list, attempts, opened, onOpen, hasOlder, onEnd }: AttemptListProps) {
  // the attempt that was opened last; arrow keys continue from it after it is closed
  const [last, setLast] = useState(opened);
  if (opened !== null && opened !== last) setLast(opened);
  const active = opened ?? last;
  const isBoxed = opened !== null;
  const layout = useLayout(isBoxed);
  const days = useMemo(() => daysOf(attempts), [attempts]);
  const attemptIn = (row: number) => {
    const entry = entryAt(days, row);
    return typeof entry === "number" ? attempts[entry] : undefined;
  };
  const rows = useAttemptRows({
    list,
    isBoxed,
    count: attempts.length + days.length,
    heightOf: (row) => (attemptIn(row) ? ROW_PX[layout] : DAY_PX),
    keyOf: (row) => attemptIn(row)?.attemptId ?? `day ${row}`,
    rowOf: (key) => {
      const index = attempts.findIndex(({ attemptId }) => attemptId === key);
      return index === -1 ? -1 : rowOfAttempt(days, index);
    },
    layout: `${layout} ${days.map(({ from }) => from).join(" ")}`,
    headPx: HEAD_PX[layout],
  });
  const activeIndex = attempts.findIndex(({ attemptId }) => attemptId === active);
  useKeptInView(
    list,
    isBoxed,
    () => activeIndex >= 0 && rows.scrollTo(rowOfAttempt(days, activeIndex), "center"),
  );
  const lastVisible = rows.items.at(-1)?.index ?? 0;
  const isAtEnd = hasOlder && lastVisible >= attempts.length + days.length - 1;
  useEffect(() => {
    if (isAtEnd) onEnd();
  }, [isAtEnd, onEnd]);

  /** Opens the attempt that an arrow, page, Home or End key leads to. */
  const onKeyDown = (event: KeyboardEvent) => {
    const visiblePx = isBoxed ? (list.current?.clientHeight ?? 0) : innerHeight;
    const rowsPerPage = Math.max(1, Math.floor(visiblePx / ROW_PX[layout]) - 1);
    const offset = offsetForKey(event.key, rowsPerPage, attempts.length);
    if (offset === undefined) return;
    event.preventDefault();
    const to = Math.min(Math.max(activeIndex + offset, 0), attempts.length - 1);
    const next = attempts[to];
    if (!next) return;
    rows.scrollTo(rowOfAttempt(days, to));
    onOpen(next.attemptId);
  };

  return (
    <div className="attempt-card" data-layout={layout}>
      <AttemptHead />
      <div
        ref={list}
        className="attempt-list"
        data-boxed={isBoxed ? "yes" : undefined}
        // a short list has no empty space below its last row
        style={isBoxed ? { maxHeight: rows.height + BORDERS_PX } : undefined}
        role="listbox"
        aria-label="Requests, newest first"
        aria-activedescendant={active ?? undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div role="presentation" style={{ height: rows.height, position: "relative" }}>
          {rows.items.map(({ index: row, key, start, size }) => {
            const entry = entryAt(days, row);
            const attempt = typeof entry === "number" ? attempts[entry] : undefined;
            return (
              <div
                key={key}
                role="presentation"
                className="attempt-slot"
                style={{ transform: `translateY(${start - rows.offset}px)`, height: size }}
              >
                {typeof entry === "number" ? (
                  attempt && (
                    <AttemptRow
                      attempt={attempt}
                      isOpened={attempt.attemptId === opened}
                      isActive={attempt.attemptId === active}
                      onOpen={onOpen}
                      position={entry + 1}
                      total={attempts.length}
                    />
                  )
                ) : (
                  <div className="attempt-day">{entry.name}</div>
                )}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/**
 * When an attempt is opened or closed, the list becomes a box or the whole page, and its active row stays in view. A link can
 * open an attempt together with the page, which then stays at its top.
 */
function useKeptInView(list: RefObject<HTMLElement | null>, isBoxed: boolean, scrollToActive: () => void) {
  const router = useRouter();
  const wasBoxed = useRef<boolean>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the list changes its form only
  useLayoutEffect(() => {
    const before = wasBoxed.current;
    wasBoxed.current = isBoxed;
    if (before === isBoxed || (before === undefined && !isBoxed)) return;
    // the details begin at the top of the window; the card of the list itself may be sticky
    if (isBoxed && before === false) list.current?.closest(".debug")?.scrollIntoView();
    scrollToActive();
    if (isBoxed) return;
    // on a phone the list was out of sight and could not receive it before
    if (document.activeElement === document.body) list.current?.focus({ preventScroll: true });
    // after Back, the router restores the position that the page had before the attempt was opened
    const unsubscribe = router.subscribe("onRendered", () => {
      unsubscribe();
      scrollToActive();
    });
    return unsubscribe;
  }, [isBoxed]);
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
