/** The unchanged clients of other tools, installed from the registry, against the real service behind a faulty network. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { cp, mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { chances, fine, startBadNetwork } from "../../../../packages/sdk/test/bad-network.ts";
import { storedEvents } from "../ledger/reader.ts";
import { openWorld, type World } from "../support/world.ts";

const FIXTURE = fileURLToPath(new URL("clients", import.meta.url));
const INSTALL_TIMEOUT_MS = 240_000;

/** Installs the clients. Their optional dependencies are not needed. */
export async function installClients() {
  const folder = await mkdtemp(join(tmpdir(), "headwater-clients-"));
  await cp(FIXTURE, folder, { recursive: true });
  const words = [
    "install",
    "--omit=optional",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
  ];
  await promisify(execFile)("npm", words, { cwd: folder, timeout: INSTALL_TIMEOUT_MS });
  const require = createRequire(join(folder, "package.json"));
  return {
    // biome-ignore lint/suspicious/noExplicitAny: the types of the clients are not installed here
    load: (name: string): any => require(name),
    path: (file: string) => join(folder, file),
    /** A script for a page. */
    async bundle(code: string): Promise<string> {
      const entry = join(folder, "entry.js");
      const plugin = {
        name: "entry",
        resolveId: (id: string) => (id === entry ? id : null),
        load: (id: string) => (id === entry ? code : null),
      };
      const bundler = await rolldown({ input: entry, plugins: [plugin], cwd: folder, logLevel: "silent" });
      const { output } = await bundler.generate({ format: "iife" });
      return output[0].code;
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
export type Clients = Awaited<ReturnType<typeof installClients>>;

/** A site with one page, which has the script. */
export async function openShop(script: string, port = 0) {
  const site = createServer((request, response) => {
    if (request.url === "/script.js") response.setHeader("Content-Type", "text/javascript").end(script);
    else
      response
        .setHeader("Content-Type", "text/html")
        .end('<title>Shop</title><script src="/script.js"></script>');
  }).listen(port, "127.0.0.1");
  await once(site, "listening");
  return {
    url: `http://127.0.0.1:${(site.address() as AddressInfo).port}`,
    [Symbol.dispose]() {
      site.closeAllConnections();
      site.close();
    },
  };
}

const FAULT_SHARE = 0.05;
const MAX_DELAY_MS = 20;

/**
 * A service that restarts, behind a network that delays requests, and cuts, refuses or doubles some or loses their answers.
 * @param doubles whether requests are doubled: an event without an id of its client counts twice then
 */
export async function openTroubledService({ doubles }: { doubles: boolean }) {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-compat-"));
  const network = await startBadNetwork("");
  const openService = async () => {
    const world = await openWorld({ BASE_URL: network.url }, {}, dataDir);
    network.serverUrl = world.url;
    return world;
  };
  let world: World = await openService();
  const chance = chances(20);
  const faults = { cut: 0, swallow: 0, 503: 0, double: 0, restarts: 0 };
  const kinds = ["cut", "swallow", "503", ...(doubles ? (["double"] as const) : [])] as const;
  const fate = () => {
    const kind = kinds[Math.floor(chance() / FAULT_SHARE)];
    if (kind === undefined) return "pass";
    faults[kind] += 1;
    return kind;
  };
  return {
    url: network.url,
    faults,
    createSource: (origin?: string) => world.createSource(origin ? { allowedOrigins: [origin] } : {}),
    worsen: () => Object.assign(network, { weather: { delayMs: () => MAX_DELAY_MS * chance(), fate } }),
    calm: () => Object.assign(network, { weather: fine }),
    async restart() {
      faults.restarts += 1;
      await world.close();
      world = await openService();
    },
    /** The stored events of a source. */
    eventsOf: ({ sourceId }: { sourceId: string }) =>
      storedEvents(dataDir).filter((event) => event.sourceId === sourceId),
    async [Symbol.asyncDispose]() {
      network[Symbol.dispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}
export type TroubledService = Awaited<ReturnType<typeof openTroubledService>>;

export const distinct = (values: readonly unknown[]): number => new Set(values).size;
