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

type Listed = Pick<Source, "name" | "allowedOrigins" | "lastEventAt">;

const RANKS: Readonly<Record<SourceStatus, number>> = { failing: 0, receiving: 1, waiting: 2, off: 3 };

/** Compares sources whose health is known. */
export const byStatus = (one: { readonly status: SourceStatus }, other: { readonly status: SourceStatus }) =>
  RANKS[one.status] - RANKS[other.status];

/** The API lists the newest first, and the status is known only of those that are shown. */
const asListed = () => 0;

const COMPARE: Readonly<Record<SourceOrder, (one: Listed, other: Listed) => number>> = {
  created: asListed,
  name: (one, other) => one.name.localeCompare(other.name, "en"),
  lastEvent: (one, other) => (other.lastEventAt ?? "").localeCompare(one.lastEventAt ?? ""),
  status: asListed,
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
