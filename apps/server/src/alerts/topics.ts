/** The statuses of the topics besides a source's health, as the ledger keeps them, and what is sent of each. Pure. */
import { ALERT_TYPES, type OpenAlert } from "@headwater/contract";
import { toIsoTime } from "../core/time.ts";
import type { PendingAlert, TopicStatus } from "../ledger/records.ts";

/** Whether too few events arrived on the last day that was looked at with a different result. */
export interface DeliveryState {
  readonly isLow: boolean;
  /** The UTC day, `2026-11-21`. */
  readonly day: string;
  readonly accepted: number;
  readonly lost: number;
}

// only this file writes these statuses
const parseStopped = (status: string) => JSON.parse(status) as string[];
// only this file writes these statuses
const parseDelivery = (status: string) => JSON.parse(status) as DeliveryState;

export const readStopped = (status: string | undefined | null): string[] =>
  status ? parseStopped(status) : [];
export const writeStopped = (names: readonly string[]): string =>
  JSON.stringify([...new Set(names)].toSorted());
export const readDelivery = (status: string | undefined): DeliveryState | null =>
  status === undefined ? null : parseDelivery(status);
export const writeDelivery = (state: DeliveryState): string => JSON.stringify(state);

/** A share is never rounded up: 100 means that nothing was lost. */
const toPercent = (share: number) => Math.floor(share * 10_000) / 100;

export function describeEvents({ status, was }: PendingAlert) {
  const [stoppedEvents, before] = [readStopped(status), readStopped(was)];
  const resumedEvents = before.filter((name) => !stoppedEvents.includes(name));
  const hasNew = stoppedEvents.some((name) => !before.includes(name));
  return { type: hasNew ? "source.events_stopped" : "source.events_resumed", stoppedEvents, resumedEvents };
}

export function describeDelivery({ status }: Pick<PendingAlert, "status">) {
  const { isLow, day, accepted, lost } = parseDelivery(status);
  return {
    type: isLow ? "source.delivery_low" : "source.delivery_restored",
    delivery: { day, accepted, lost, arrivedPercent: toPercent(accepted / (accepted + lost)) },
  };
}

/** @returns null: nothing is wrong */
export function describeOpen({ topic, status, since }: TopicStatus): OpenAlert | null {
  const stoppedEvents = topic === "events" ? readStopped(status) : [];
  const found = topic === "delivery" ? describeDelivery({ status }) : null;
  const words = {
    health: `source.${status}`,
    events: "source.events_stopped",
    delivery: found?.type,
    statement: null,
  };
  const type = ALERT_TYPES.find((one) => one === words[topic]);
  if (!type || (topic === "events" && stoppedEvents.length === 0)) return null;
  return { type, since: toIsoTime(since), stoppedEvents, delivery: found?.delivery ?? null };
}
