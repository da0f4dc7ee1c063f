/** A real embedded warehouse, a real ledger, and a proxy between them that can cause faults. */
import { createHash } from "node:crypto";
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Warehouse, WarehouseProcess } from "../../src/clickhouse/warehouse.ts";
import { dayOf } from "../../src/core/time.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { createLineBuilder, membersOf } from "../../src/ledger/outbox-line.ts";
import type { CommitEntry } from "../../src/ledger/records.ts";
import { ledgerPath } from "../../src/ledger/sqlite/database.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";
import { startShipper } from "../../src/workers/shipper.ts";
import { createWarehouseMonitor } from "../../src/workers/warehouse-monitor.ts";
import { until } from "../support/until.ts";
import { clearTestWarehouse, startTestWarehouse } from "./test-warehouse.ts";

export { MEMORY_BYTES } from "./test-warehouse.ts";

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };

export const newFolder = () => mkdtempSync(join(tmpdir(), "headwater-warehouse-"));

/** A fault of one insert; the next insert works again. */
export type InsertFault =
  | "answer lost"
  | "error after storing"
  | "a proxy's page"
  | "reset mid-body"
  | "hung before"
  | "hung after"
  | "killed before"
  | "killed during"
  | "killed after"
  | "power cut after";

/** A hanging connection is closed after this time. */
const HUNG_MS = 1_500;

const readAll = async (message: IncomingMessage) => Buffer.concat(await message.toArray());

/** A proxy in front of the warehouse. It forwards every request, and applies the next fault to an insert. */
async function startFaultyProxy(
  target: string,
  nextFault: () => InsertFault | undefined,
  kill: () => void,
  cut: () => void,
) {
  const forward = (from: IncomingMessage, body: Buffer) =>
    new Promise<{ answer: IncomingMessage; bytes: Buffer }>((resolve, reject) => {
      const { host: _, ...headers } = from.headers;
      const sent = request(target + from.url, { method: from.method, headers }, (answer) => {
        readAll(answer).then((bytes) => resolve({ answer, bytes }), reject);
      });
      sent.on("error", reject);
      sent.end(body);
    });
  const handle = async (from: IncomingMessage, to: ServerResponse) => {
    const isInsert = decodeURIComponent(from.url ?? "").includes("INSERT");
    const fault = isInsert ? nextFault() : undefined;
    if (fault === "reset mid-body") {
      from.once("data", () => from.socket.destroy());
      return;
    }
    const body = await readAll(from);
    // as a reverse proxy does during maintenance
    if (fault === "a proxy's page") return void to.writeHead(200).end("<html>Back soon</html>");
    if (fault?.startsWith("hung")) setTimeout(() => from.socket.destroy(), HUNG_MS).unref();
    if (fault === "hung before") return;
    if (fault === "killed before") kill();
    const forwarded = forward(from, body);
    if (fault === "killed during") setImmediate(kill);
    const { answer, bytes } = await forwarded;
    if (fault === "power cut after") cut();
    if (fault === "killed after" || fault === "power cut after") kill();
    if (fault === "hung after") return;
    if (fault === "answer lost" || fault?.endsWith("after")) from.socket.destroy();
    else if (fault === "error after storing")
      to.writeHead(500).end("Code: 999. DB::Exception: lost. (KEEPER_EXCEPTION)");
    else to.writeHead(answer.statusCode ?? 500, answer.headers).end(bytes);
  };
  const server = createServer((from, to) => void handle(from, to).catch(() => from.socket.destroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

export interface Store extends AsyncDisposable {
  warehouse: Warehouse;
  readonly ledger: Ledger;
  folder: string;
  /** Copies the ledger. @returns a function that restores the copy */
  backup(): Promise<() => Promise<void>>;
  /** The faults of the next inserts, one each. */
  faults: InsertFault[];
  /** Sends SIGKILL to the warehouse's process. */
  kill(): void;
  /** Ships until the outbox is empty or `isDone` returns true. */
  shipAll(clock?: () => number, isDone?: () => boolean): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  ask(query: string): Promise<any[]>;
}

export async function accept({ ledger }: Store, entries: CommitEntry[], receivedAt: number): Promise<void> {
  const nothing = { bootstrap: false, bytes: 0, open: [], touch: [] };
  const commit = { ...nothing, sourceId: "src_1", receivedAt, entries };
  const outcomes = await ledger.commit(commit);
  if (outcomes.some((one) => one !== 1)) throw new Error("an event was a duplicate");
}

export const idsOf = (entries: CommitEntry[]): string[] => entries.map(({ key }) => `evt_${key}`).sort();

/** The ids of these events in the warehouse, sorted; an id is repeated when it is stored more than once. */
export async function heldOf({ ask }: Store, entries: CommitEntry[]): Promise<string[]> {
  const ids = idsOf(entries).map((id) => `'${id}'`);
  const rows = await ask(`SELECT analyticsEventId AS id FROM events WHERE id IN (${ids})`);
  return rows.map(({ id }) => id as string).sort();
}

interface StoreOptions {
  /** A folder that is kept when the store is closed. Default: a new one, which is removed. */
  folder?: string;
  cutPower?: () => void;
}

export async function openStore(now: number, options: StoreOptions = {}): Promise<Store> {
  const folder = options.folder ?? newFolder();
  const faults: InsertFault[] = [];
  /** null until the first has started. */
  let engine: WarehouseProcess | null = null;
  const start = async () => {
    engine = await startTestWarehouse(join(folder, "warehouse"));
    const { end, ended, endpoint } = engine;
    const cutPower = options.cutPower ?? (() => undefined);
    const proxy = await startFaultyProxy(endpoint.url, () => faults.shift(), end, cutPower);
    return {
      endpoint: { ...endpoint, url: proxy.url },
      ended,
      end: () => {
        proxy.close();
        end();
      },
    };
  };
  const warehouse = createWarehouseMonitor({ startWarehouse: start, log: QUIET });
  const monitor = warehouse.start();
  let ledger = await openSqliteLedger({ dataDir: folder, now });
  let pages = 0;
  const up = async () => {
    await until("the warehouse is up", () => warehouse.client() !== null);
    return warehouse.client()!;
  };
  return {
    warehouse,
    get ledger() {
      return ledger;
    },
    folder,
    backup: async () => {
      const [file, copy] = [ledgerPath(folder), join(folder, "copy")];
      const database = new DatabaseSync(file, { readOnly: true });
      database.prepare("vacuum into ?").run(copy);
      database.close();
      return async () => {
        await ledger.close();
        for (const end of ["-wal", "-shm"]) rmSync(file + end, { force: true });
        renameSync(copy, file);
        ledger = await openSqliteLedger({ dataDir: folder, now });
      };
    },
    faults,
    kill: () => engine?.end(),
    shipAll: async (clock = () => now, isDone = undefined) => {
      await up();
      const newId = (prefix: string) => `${prefix}_${++pages}_${Math.random()}`;
      const shipper = startShipper({ ledger, warehouse, clock, newId, log: QUIET });
      const isEmpty = async () => (await ledger.probe({ now })).outboxEvents === 0;
      await until("everything is shipped", isDone ?? isEmpty).finally(() =>
        Promise.all(shipper.workers.map((worker) => worker.stop())),
      );
    },
    ask: async (query) => (await (await up()).query({ query, format: "JSONEachRow" })).json(),
    [Symbol.asyncDispose]: async () => {
      await ledger.close();
      await monitor.stop();
      await engine?.ended;
      if (options.folder !== undefined) return;
      await clearTestWarehouse(join(folder, "warehouse"));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

let numbered = 0;

/** An entry of a commit, and its line as text. */
export type WarehouseEvent = CommitEntry & { json: string };

/** The normal form of an event, as ingest makes it. */
export function anEvent(occurredAt: number, over: Record<string, unknown> = {}): WarehouseEvent {
  const eventId = `event-${++numbered}`;
  const key = createHash("sha256").update(`src_1\n${eventId}`).digest("hex").slice(0, 32);
  const {
    analyticsEventId,
    occurredAt: at,
    anonymousId,
    userId,
    ...others
  } = {
    analyticsEventId: `evt_${key}`,
    eventId,
    type: "page",
    name: "page_view",
    occurredAt: new Date(occurredAt).toISOString(),
    timestamp: new Date(occurredAt).toISOString(),
    sessionId: "ses_1",
    anonymousId: "visitor",
    userId: null,
    page: {
      url: "https://shop.example/p",
      origin: "https://shop.example",
      host: "shop.example",
      path: "/p",
      query: null,
      utm: { source: "newsletter" },
      clickIds: { gclid: "g1" },
      title: "ünï ✓",
      referrer: null,
      referrerHost: null,
    },
    locale: "en-GB",
    timezone: null,
    screen: "1920x1080",
    viewport: null,
    device: {
      device: "desktop",
      os: "macOS",
      osVersion: "15",
      browser: "Chrome",
      browserVersion: "140",
      isBot: false,
    },
    properties: null,
    context: { locale: "en-GB" },
    sourceId: "src_1",
    receivedAt: new Date(occurredAt).toISOString(),
    batchId: "b1",
    sdkVersion: "2.0.0",
    country: "GB",
    region: "England",
    city: "London",
    sentBy: "server" as const,
    passive: false,
    source: "newsletter",
    channel: "Referral",
    revenue: 12.5,
    currency: "EUR",
    engagedSeconds: 1.5,
    scrollDepth: 80,
    planViolation: true,
    lost: [{ eventId: "event-0", occurredAt: "2026-10-31T12:00:00.000Z", cause: "too_old" }],
    replayedAt: "2026-12-01T00:00:00.000Z",
    ...over,
  };
  const { sourceId, receivedAt, batchId, sdkVersion, country, region, city, sentBy, ...rest } = others;
  const shared = { sourceId, receivedAt, batchId, sdkVersion, country, region, city, sentBy };
  const buildLine = createLineBuilder(shared);
  const json = buildLine({ analyticsEventId, occurredAt: at, anonymousId, userId }, membersOf(rest));
  return { key, json, line: Buffer.from(json), day: dayOf(occurredAt) };
}
