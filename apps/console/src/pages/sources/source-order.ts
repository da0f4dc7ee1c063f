/** Which sources the list shows, and in which order. */
import type { Source } from "@headwater/contract";

export const SOURCE_ORDERS = [
  { value: "created", label: "Newest first" },
  { value: "name", label: "By name" },
  { value: "lastEvent", label: "By last event" },
  { value: "status", label: "By status" },
] as const;
export type SourceOrder = (typeof SOURCE_ORDERS)[number]["value"];

type Listed = Pick<Source, "name" | "allowedOrigins" | "isActive" | "lastEventAt">;

/** Those that receive events come first, then those that wait for them, then the inactive ones. */
const rankOf = ({ isActive, lastEventAt }: Listed): number => (isActive ? (lastEventAt === null ? 1 : 0) : 2);

const COMPARE: Readonly<Record<SourceOrder, (one: Listed, other: Listed) => number>> = {
  // the API lists the newest first
  created: () => 0,
  name: (one, other) => one.name.localeCompare(other.name, "en"),
  lastEvent: (one, other) => (other.lastEventAt ?? "").localeCompare(one.lastEventAt ?? ""),
  status: (one, other) => rankOf(one) - rankOf(other),
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
