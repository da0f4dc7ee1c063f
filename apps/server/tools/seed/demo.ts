/** `headwater demo`: a throw-away service with a source and made-up traffic, to look at the console. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApi } from "../../../../packages/api/src/index.ts";
import { buildConsole } from "../../../console/build.js";
import {
  type Command,
  type CommandContext,
  defineCommand,
  wholeNumber,
  withDefault,
} from "../../src/cli/command.ts";
import { processEnvironment, readConfig } from "../../src/config/config.ts";
import type { RunningServer } from "../../src/server.ts";
import { createIngestSink } from "./ingest-sink.ts";
import { generateVisits } from "./traffic.ts";

const SITE = "https://shop.example";
/** Ctrl-C, a process manager, and a terminal that is closed. */
const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** The seed comes from one address and must not wait for its rate limit. */
const UNLIMITED = {
  CLIENT_RATE_PER_SECOND: "1000000",
  CLIENT_RATE_BURST: "1000000",
  SOURCE_RATE_PER_SECOND: "1000000",
  SOURCE_RATE_BURST: "1000000",
};

async function startDemo(dataDir: string): Promise<RunningServer> {
  const { PATH, HOST, PORT = "0", WAREHOUSE, LOG_LEVEL = "silent" } = processEnvironment();
  const environment = { PATH, HOST, PORT, WAREHOUSE, LOG_LEVEL, DATA_DIR: dataDir, ...UNLIMITED };
  const consoleFolder = await buildConsole((line) => void process.stderr.write(`${line}\n`));
  const { startServer } = await import("../../src/server.ts");
  return startServer(readConfig(environment), environment, { consoleFolder });
}

/** @returns the public key of the new source */
async function createShop({ url, firstStart }: RunningServer): Promise<string> {
  const body = {
    organizationId: "org_default",
    name: "Demo shop",
    allowedOrigins: [SITE],
    goals: [{ name: "Purchase", event: "purchase" }],
  };
  const { publicKey } = await createApi({ baseUrl: url, token: firstStart?.token }).createSource({ body });
  return publicKey;
}

interface ShopTraffic extends Pick<CommandContext, "progress"> {
  readonly events: number;
  readonly days: number;
  /** Aborted when the demo is to end. */
  readonly ending: AbortSignal;
}

async function seedShop(
  { url }: RunningServer,
  key: string,
  { events, days, progress, ending }: ShopTraffic,
): Promise<number> {
  const sink = createIngestSink({ url, key, site: SITE });
  let sent = 0;
  for (const visit of generateVisits({ seed: 1, events, days, until: Date.now(), site: SITE })) {
    if (ending.aborted) break;
    await sink.add(visit);
    sent += visit.events.length;
    progress(() => `${sent} of ${events} events`);
  }
  await sink.finish();
  return sink.counts.accepted;
}

export const demo: Command = defineCommand({
  description: "Start a throw-away service with made-up traffic",
  details: [
    "The service and its data are removed when the command ends (Ctrl-C). HOST, PORT, WAREHOUSE and LOG_LEVEL are respected.",
  ],
  options: {
    events: withDefault(wholeNumber("Events to generate", { min: 1, max: 1_000_000 }), 10_000),
    days: withDefault(wholeNumber("Days of traffic to generate", { min: 1, max: 365 }), 30),
  },
  run: async ({ events, days }, { isJson, progress }) => {
    const controller = new AbortController();
    const ending = controller.signal;
    // the handlers stay: npx repeats the signal, which must not end the process before the data is removed
    for (const name of END_SIGNALS) process.on(name, () => controller.abort());
    const dataDir = mkdtempSync(join(tmpdir(), "headwater-demo-"));
    try {
      const server = await startDemo(dataDir);
      const key = await createShop(server);
      const accepted = await seedShop(server, key, { events, days, progress, ending });
      if (!ending.aborted) {
        const { url } = server;
        const signInUrl = server.firstStart?.signInUrl;
        const text = `The source "Demo shop" has ${accepted} events of ${days} days.\nOpen the console with this link, which works once:\n\n  ${signInUrl}\n\nCtrl-C stops the demo and removes its data.`;
        process.stderr.write(`${isJson ? JSON.stringify({ ok: true, url, signInUrl, accepted }) : text}\n`);
        await once(ending, "abort");
      }
      await server.close();
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
    return null;
  },
});
