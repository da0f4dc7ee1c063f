/** The statement of a source, and what the pages say of it. */
import type { DeliveryDay, DeliveryDimension } from "@headwater/contract";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { keptQuery } from "../../queries.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { shiftDay, todayIn, type ViewRange } from "../stats/view-range.ts";

/** The first and the last day, in UTC. */
export type DeliveryDays = ViewRange["days"];

/** Days of one statement, as the API allows them. */
const MAX_DAYS = 31;

/** The last days, today included. */
export function lastDays(count: number): DeliveryDays {
  const today = todayIn("UTC", Date.now());
  return [shiftDay(today, 1 - count), today];
}

/** The newest days of the range of which a statement can be asked. */
export function statementDays([first, last]: DeliveryDays): DeliveryDays {
  const [, today] = lastDays(1);
  const end = last < today ? last : today;
  const [, start = end] = [first, shiftDay(end, 1 - MAX_DAYS), end].toSorted();
  return [start, end];
}

export const deliveryQuery = (sourceId: string, [from, to]: DeliveryDays, by?: DeliveryDimension) =>
  queryOptions({
    queryKey: ["delivery", sourceId, from, to, by],
    queryFn: ({ signal }) =>
      api.getDelivery({ params: { sourceId }, query: { from, to, ...(by && { by }) }, signal }),
    staleTime: 60_000,
  });

/** The refused events that the source keeps, of all days; undefined while they are unknown. */
export function useKept(sourceId: string) {
  const { can } = useWorkspace();
  return useQuery({ ...keptQuery(sourceId), enabled: can("debug:read") }).data;
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

/** Events that can arrive no more, without those that the service has rejected. */
export const lostOf = ({ dropped, missing }: DeliveryDay): number => sum(dropped) + missing;

export const total = (days: readonly DeliveryDay[], read: (day: DeliveryDay) => number): number =>
  days.reduce((events, day) => events + read(day), 0);

/** The share of events that arrived; null: there were none. */
export function rateOf(days: readonly DeliveryDay[]): number | null {
  const arrived = total(days, ({ accepted }) => accepted);
  const lost = total(days, lostOf);
  return arrived + lost === 0 ? null : arrived / (arrived + lost);
}

/** The counts of all days by name. */
export function addUp(counts: readonly Readonly<Record<string, number>>[]): [name: string, events: number][] {
  const totals = new Map<string, number>();
  for (const [name, events] of counts.flatMap(Object.entries<number>))
    totals.set(name, (totals.get(name) ?? 0) + events);
  return [...totals].sort(([, one], [, other]) => other - one);
}

/** A statement has at most so many values. */
const MAX_VALUES = 20;

/** How many of the events have sequence numbers; undefined: not known. */
export function useNumbered(sourceId: string, days: DeliveryDays): number | undefined {
  const values = useQuery(deliveryQuery(sourceId, days, "browser")).data?.values;
  if (!values || values.length === MAX_VALUES) return undefined;
  return values.reduce((events, { accepted, lost }) => events + accepted + lost, 0);
}
