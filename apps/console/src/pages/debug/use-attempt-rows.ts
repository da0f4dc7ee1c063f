/**
 * The visible rows of the attempt list. The list of all attempts grows with the page and scrolls with the window. Beside an opened
 * attempt it is a box that scrolls by itself.
 */
import { useVirtualizer, useWindowVirtualizer, type VirtualItem } from "@tanstack/react-virtual";
import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** Rows that are rendered above and below the visible ones. */
const OVERSCAN = 8;

interface AttemptRowsOptions {
  readonly list: RefObject<HTMLElement | null>;
  readonly isBoxed: boolean;
  readonly count: number;
  /** The heights of the rows. */
  readonly heightOf: (row: number) => number;
  readonly keyOf: (row: number) => string;
  /** @returns the row with that key; -1: there is none */
  readonly rowOf: (key: string) => number;
  /** Changes when the heights change. */
  readonly layout: string;
  /** The height of the column headings, or on phones of the console's bar, which cover the top of the window. */
  readonly headPx: number;
}

interface AttemptRows {
  readonly items: readonly VirtualItem[];
  readonly height: number;
  /** Subtract it from the `start` of an item to get the item's distance from the top of the list. */
  readonly offset: number;
  /** Scrolls as little as needed, or until the row is in the middle. */
  scrollTo(row: number, align?: "center"): void;
}

export function useAttemptRows(options: AttemptRowsOptions): AttemptRows {
  const { list, isBoxed, count, heightOf, keyOf, layout, headPx } = options;
  const offset = useOffsetInPage(list, isBoxed);
  const shared = { count, estimateSize: heightOf, getItemKey: keyOf, overscan: OVERSCAN };
  const inPage = useWindowVirtualizer({
    ...shared,
    enabled: !isBoxed,
    scrollMargin: offset,
    scrollPaddingStart: headPx,
  });
  const inBox = useVirtualizer({ ...shared, enabled: isBoxed, getScrollElement: () => list.current });
  const virtual = isBoxed ? inBox : inPage;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are measured again when their heights change
  useLayoutEffect(() => virtual.measure(), [layout]);
  const items = virtual.getVirtualItems();
  const height = virtual.getTotalSize();
  const startOf = (key: string) => virtual.measurementsCache[options.rowOf(key)]?.start;
  useScrollAnchor({ ...options, items, startOf, offset: isBoxed ? 0 : offset });
  return {
    items,
    height,
    offset: isBoxed ? 0 : offset,
    scrollTo: (row, align) => virtual.scrollToIndex(row, align && { align }),
  };
}

interface ScrollAnchorOptions extends AttemptRowsOptions {
  readonly items: readonly VirtualItem[];
  readonly offset: number;
  readonly startOf: (key: string) => number | undefined;
}

/**
 * In a list that was scrolled, the rows in view stay where they are when new rows arrive above them. After each render it notes
 * the first row in view. When the number of rows has changed, it scrolls by the distance that this row has moved down.
 */
function useScrollAnchor({ list, isBoxed, count, headPx, items, offset, startOf }: ScrollAnchorOptions) {
  const anchor = useRef({ layoutKey: "", count, key: "", start: 0 });
  useLayoutEffect(() => {
    // positions before and after a change of the layout cannot be compared
    const layoutKey = `${isBoxed} ${headPx}`;
    const before = anchor.current;
    const scrolledPx = isBoxed ? (list.current?.scrollTop ?? 0) : scrollY - offset + headPx;
    const first = items.find(({ index, start }) => index > 0 && start - offset >= scrolledPx);
    if (first) anchor.current = { layoutKey, count, key: String(first.key), start: first.start - offset };
    if (before.layoutKey !== layoutKey || before.count === count || scrolledPx <= headPx) return;
    const start = startOf(before.key);
    const movedPx = start === undefined ? 0 : start - offset - before.start;
    if (movedPx <= 0) return;
    (isBoxed ? list.current : window)?.scrollBy(0, movedPx);
    anchor.current = { layoutKey, count, key: before.key, start: before.start + movedPx };
  });
}

/** @returns the distance of the list from the top of the page */
function useOffsetInPage(list: RefObject<HTMLElement | null>, isBoxed: boolean): number {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    if (isBoxed) return;
    const measure = () => setOffset((list.current?.getBoundingClientRect().top ?? 0) + scrollY);
    measure();
    // measured again when content above the list changes its height
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [list, isBoxed]);
  return offset;
}
