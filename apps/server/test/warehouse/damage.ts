/** A service with an embedded warehouse whose files a test damages while the service is stopped. */
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/until.ts";
import {
  eventsBody,
  eventsPath,
  openWorld,
  pageEvent,
  type TestSource,
  type World,
} from "../support/world.ts";
import { newFolder } from "./store.ts";

export interface DamagedService extends AsyncDisposable {
  readonly world: World;
  readonly dataDir: string;
  /** Sends page events and waits until they are in the warehouse. */
  ship(source: TestSource, count: number): Promise<void>;
  /** Sends these events and waits until they are in the warehouse. */
  send(source: TestSource, events: readonly object[]): Promise<void>;
  /** What /readyz says about the warehouse. */
  warehouse(): Promise<{ state: string; missingEvents: number; waitingEvents: number }>;
  /** Waits until /readyz has these members. */
  untilWarehouse(wanted: { state: string; missingEvents?: number }): Promise<void>;
  /** Stops the service, runs `work` on its data, and starts it again. */
  restartAfter(work: () => unknown): Promise<void>;
}

/** With the largest events of these tests, a batch is below the limit of a request. */
const BATCH = 150;

export async function openDamagedService(environment: Record<string, string> = {}): Promise<DamagedService> {
  const dataDir = newFolder();
  const settings = { WAREHOUSE: "embedded", DATABASE_URL: "", ...environment };
  let world = await openWorld(settings, {}, dataDir);
  const warehouse = async () => (await world.ask("/readyz", { token: null })).body.warehouse;
  const untilShipped = () =>
    until("all events are in the warehouse", async () => {
      const { waitingEvents, state } = await warehouse();
      return waitingEvents === 0 && state !== "starting";
    });
  const shippedTotal = async () => {
    const text: string = (await world.ask("/metrics", { token: null })).body;
    return Number(/^headwater_shipped_events_total (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  const send = async (source: TestSource, events: readonly object[]) => {
    const sessionId = await world.openSession(source);
    const before = await shippedTotal();
    for (let start = 0; start < events.length; start += BATCH) {
      const batch = events.slice(start, start + BATCH);
      const { body } = await world.send(eventsPath(source), eventsBody(sessionId, batch));
      if (body.accepted !== batch.length) throw new Error(JSON.stringify(body));
    }
    // the number of waiting events in /readyz is read once a second, so it may be 0 before the events are counted
    await until("the events are shipped", async () => (await shippedTotal()) >= before + events.length);
    await untilShipped();
  };
  return {
    get world() {
      return world;
    },
    dataDir,
    send,
    ship: (source, count) =>
      send(
        source,
        Array.from({ length: count }, () => pageEvent()),
      ),
    warehouse,
    untilWarehouse: async (wanted) => {
      await until(JSON.stringify(wanted), async () => {
        const found = await warehouse();
        const { state, missingEvents = found.missingEvents } = wanted;
        return found.state === state && found.missingEvents === missingEvents;
      });
    },
    restartAfter: async (work) => {
      await world.close();
      await work();
      world = await openWorld(settings, {}, dataDir);
    },
    [Symbol.asyncDispose]: async () => {
      await world.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export const queryStats = ({ world }: DamagedService, sourceId: string) =>
  world.ask("/api/stats/query", {
    method: "POST",
    body: { sourceId, dateRange: "7d", metrics: ["events"] },
  });
export const exportOf = ({ world }: DamagedService, sourceId: string) =>
  world.ask(`/api/export/events?sourceId=${sourceId}`);

/** The files of all parts of the warehouse that have this name. */
function filesOf(dataDir: string, name: string): string[] {
  const root = join(dataDir, "warehouse", "store");
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(`/${name}`) && !path.includes("/detached/"))
    .map((path) => join(root, path));
}

/** Empties the data of all parts, their projections included. */
export function truncateAll(dataDir: string): void {
  for (const path of filesOf(dataDir, "data.bin")) truncateSync(path);
}

/** Empties the data of all parts, but not of their projections. ClickHouse finds them damaged at its start. */
export function truncateParts(dataDir: string, matches: (path: string) => boolean = () => true): void {
  for (const path of filesOf(dataDir, "data.bin").filter(matches))
    if (!path.includes(".proj/")) truncateSync(path);
}

const FLIPPED_BYTES = 16;

/** Changes some bytes in the middle of the data of all parts. */
export function flipBytes(dataDir: string, matches: (path: string) => boolean = () => true): void {
  for (const path of filesOf(dataDir, "data.bin").filter(matches)) {
    const bytes = readFileSync(path);
    const middle = Math.floor(bytes.length / 2);
    for (let at = middle; at < Math.min(middle + FLIPPED_BYTES, bytes.length); at++) bytes[at]! ^= 0xff;
    writeFileSync(path, bytes);
  }
}

/** The header of a compressed block: a checksum of 16 bytes, a byte for the method, and four bytes for the size. */
const SIZE_AT = 17;

/** Gives the first block of all parts an impossible size. */
export function breakSizes(dataDir: string): void {
  for (const path of filesOf(dataDir, "data.bin")) {
    const bytes = readFileSync(path);
    bytes.writeUInt32LE(0xffff_ff00, SIZE_AT);
    writeFileSync(path, bytes);
  }
}
