/** Which sources the list shows, and in which order. */
import type { Source } from "@headwater/contract";
import type { SourceStatus } from "../../ui/source-status.tsx";

export const SOURCE_ORDERS = [
  { value: "status", label: "Failing first" },
  { value: "created", label: "Newest first" },
  { value: "name", label: "By name" },
  { value: "lastEvent", label: "By last event" },
] as const;
export type SourceOrder = (typeof SOURCE_ORDERS)[number]["value"];

type Listed = Pick<Source, "name" | "allowedOrigins" | "lastEventAt"> & { readonly status: SourceStatus };

const RANKS: Readonly<Record<SourceStatus, number>> = { failing: 0, receiving: 1, waiting: 2, off: 3 };

const COMPARE: Readonly<Record<SourceOrder, (one: Listed, other: Listed) => number>> = {
  // the API lists the newest first
  created: () => 0,
  name: (one, other) => one.name.localeCompare(other.name, "en"),
  lastEvent: (one, other) => (other.lastEventAt ?? "").localeCompare(one.lastEventAt ?? ""),
  status: (one, other) => RANKS[one.status] - RANKS[other.status],
};

/** @returns the sources whose name or origins contain the text, in this order */
export function selectSources<One extends Listed>(
  sources: readonly One[],
  search: string,
  order: SourceOrder,
): One[] {
  const text = search.trim().toLowerCase();
  return sources
    .filter(({ name, allowedOrigins }) =>
      [name, ...allowedOrigins].some((one) => one.toLowerCase().includes(text)),
    )
    .toSorted(COMPARE[order]);
}
