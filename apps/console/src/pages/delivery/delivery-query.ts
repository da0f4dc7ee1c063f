/** The statement of a source, and what the pages say of it. */
import type { DeliveryDay, DeliveryDimension } from "@headwater/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api.ts";

const DAY_MS = 86_400_000;
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** @param days up to and with today, in UTC */
export const deliveryQuery = (sourceId: string, days: number, by?: DeliveryDimension) =>
  queryOptions({
    queryKey: ["delivery", sourceId, days, by],
    queryFn: ({ signal }) =>
      api.getDelivery({
        params: { sourceId },
        query: { from: dayBefore(days - 1), to: dayBefore(0), ...(by && { by }) },
        signal,
      }),
    staleTime: 60_000,
  });

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

/** Events that can arrive no more, without those that the service has rejected. */
export const lostOf = ({ dropped, missing }: DeliveryDay): number => sum(dropped) + missing;

/** The share of events that arrived; null: there were none. */
export function rateOf(days: readonly DeliveryDay[]): number | null {
  const arrived = days.reduce((total, { accepted }) => total + accepted, 0);
  const lost = days.reduce((total, day) => total + lostOf(day), 0);
  return arrived + lost === 0 ? null : arrived / (arrived + lost);
}

/** The counts of all days by name. */
export function addUp(counts: readonly Readonly<Record<string, number>>[]): [name: string, events: number][] {
  const totals = new Map<string, number>();
  for (const [name, events] of counts.flatMap(Object.entries<number>))
    totals.set(name, (totals.get(name) ?? 0) + events);
  return [...totals].sort(([, one], [, other]) => other - one);
}
