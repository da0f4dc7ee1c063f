/** Shared by the parts that use a warehouse: sends events, watches memory, and waits for shipping. */
import { setTimeout as wait } from "node:timers/promises";
import { type ResidentMemory, residentMib } from "../machine.ts";
import type { Headwater } from "../server.ts";
import { closedLoop } from "../wrk.ts";
import { templateFile } from "./compare.ts";

/** The default of WAREHOUSE_MEMORY_BYTES. */
export const MEMORY_BYTES = 1_073_741_824;
const FILL_ROUND_SECONDS = 4;
const FILL_ROUNDS = 60;
const SHIP_MS = 600_000;
const SAMPLE_MS = 50;
/** A request to /metrics costs the service one or two milliseconds. */
const POLL_MS = 250;

/** Sends at least that many events with the closed loop. @returns the number of accepted events */
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

/** Samples the memory of processes and their descendants. @returns a function that ends the sampling and returns the peak */
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
    if (performance.now() > end) throw new Error("the warehouse did not come up");
    await wait(POLL_MS);
  }
}

/** Waits until the service has shipped that many events since its start. */
export async function waitUntilShipped(server: Headwater, events: number): Promise<void> {
  const end = performance.now() + SHIP_MS;
  while ((await server.metric("headwater_shipped_events_total")) < events) {
    if (performance.now() > end) throw new Error(`${events} events were not shipped within ${SHIP_MS} ms`);
    await wait(POLL_MS);
  }
}
