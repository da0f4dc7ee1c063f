/** What the rows of the warehouse share: a service that is filled, watched and waited for. */
import { setTimeout as wait } from "node:timers/promises";
import { type ResidentMemory, residentMib } from "../machine.ts";
import type { Headwater } from "../server.ts";
import { closedLoop } from "../wrk.ts";
import { templateFile } from "./duel.ts";

/** WAREHOUSE_MEMORY_BYTES as it is by default. */
export const MEMORY_BYTES = 1_073_741_824;
const FILL_ROUND_SECONDS = 4;
const FILL_ROUNDS = 60;
const SHIP_MS = 600_000;
const SAMPLE_MS = 50;
/** Asking costs the service a millisecond or two. */
const ASK_MS = 250;

/** Sends so many events at least, by the closed loop. @returns how many were accepted */
export async function sendEvents(server: Headwater, events: number): Promise<number> {
  const templates = templateFile(10, server);
  let accepted = 0;
  for (let round = 0; round < FILL_ROUNDS && accepted < events; round++) {
    await closedLoop(server.url, templates, FILL_ROUND_SECONDS);
    accepted = (await server.acknowledged()).accepted;
  }
  return accepted;
}

const higher = (one: ResidentMemory, other: ResidentMemory): ResidentMemory => ({
  service: Math.max(one.service, other.service),
  warehouse: Math.max(one.warehouse, other.warehouse),
});

/** Watches the memory of processes, and of what they have started, until it is told to stop. */
export function watchMemory(...pids: number[]) {
  const now = () => pids.map(residentMib).reduce(higher);
  let peak = now();
  const timer = setInterval(() => {
    peak = higher(peak, now());
  }, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    return peak;
  };
}

/** Waits until the warehouse is up. */
export async function waitForWarehouse(server: Headwater): Promise<void> {
  const end = performance.now() + SHIP_MS;
  while ((await server.metric("headwater_warehouse_up")) !== 1) {
    if (performance.now() > end) throw new Error("the warehouse does not come up");
    await wait(ASK_MS);
  }
}

/** Waits until so many events were shipped since the start. */
export async function waitUntilShipped(server: Headwater, events: number): Promise<void> {
  const end = performance.now() + SHIP_MS;
  while ((await server.metric("headwater_shipped_events_total")) < events) {
    if (performance.now() > end) throw new Error(`${events} events are not shipped within ${SHIP_MS} ms`);
    await wait(ASK_MS);
  }
}
