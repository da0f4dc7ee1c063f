/** `headwater demo`: a throw-away service with a source and made-up traffic, to look at the console. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildConsole } from "../../../console/build.js";
import { type Command, defineCommand, wholeNumber, withDefault } from "../../src/cli/command.ts";
import { processEnvironment, readConfig } from "../../src/config/config.ts";
import type { RunningServer } from "../../src/server.ts";
import { createDemoShop, keepVisiting, sendHistory, sendRefused } from "./demo-shop.ts";

/** Ctrl-C, a process manager, and a terminal that is closed. */
const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** The demo says where its visitors are, as a proxy would. */
const OF_DEMO = {
  TRUST_PROXY: "127.0.0.1,::1",
  GEO_HEADER: "x-country",
  SOURCE_RATE_PER_SECOND: "1000000",
  SOURCE_RATE_BURST: "1000000",
};

async function startDemo(dataDir: string): Promise<RunningServer> {
  const { PATH, HOST, PORT = "0", WAREHOUSE, LOG_LEVEL = "silent" } = processEnvironment();
  const environment = { PATH, HOST, PORT, WAREHOUSE, LOG_LEVEL, DATA_DIR: dataDir, ...OF_DEMO };
  const consoleFolder = await buildConsole((line) => void process.stderr.write(`${line}\n`));
  const { startServer } = await import("../../src/server.ts");
  return startServer(readConfig(environment), environment, { consoleFolder });
}

const describe = (signInUrl: string | undefined, days: number): string => `
The demo is running: a made-up shop with ${days} days of traffic, and visitors who come while it runs.
Open the console with this link, which works once:

   ${signInUrl}

Ctrl-C stops the demo and removes its data.`;

export const demo: Command = defineCommand({
  description: "Start a throw-away service with a made-up shop and its traffic",
  details: [
    "The service and its data are removed when the command ends (Ctrl-C). HOST, PORT, WAREHOUSE and LOG_LEVEL are respected.",
  ],
  options: {
    events: withDefault(wholeNumber("About how many events to generate", { min: 1, max: 1_000_000 }), 20_000),
    days: withDefault(wholeNumber("Days of traffic to generate", { min: 1, max: 365 }), 90),
  },
  run: async ({ events, days }, { isJson, progress }) => {
    const controller = new AbortController();
    const ending = controller.signal;
    // the handlers stay: npx repeats the signal, which must not end the process before the data is removed
    for (const name of END_SIGNALS) process.on(name, () => controller.abort());
    const dataDir = mkdtempSync(join(tmpdir(), "headwater-demo-"));
    try {
      const server = await startDemo(dataDir);
      const until = Date.now();
      const { url } = server;
      const shop = await createDemoShop({ url, token: server.firstStart?.token ?? "" }, until);
      const onSent = (sent: number) => progress(() => `${sent} of about ${events} events`);
      const accepted = await sendHistory(shop, { events, days, until, ending, onSent });
      if (!ending.aborted) {
        await sendRefused(shop);
        const live = keepVisiting(shop, ending);
        const signInUrl = server.firstStart?.signInUrl;
        const ready = isJson
          ? JSON.stringify({ ok: true, url, signInUrl, accepted })
          : describe(signInUrl, days);
        process.stderr.write(`${ready}\n`);
        await live;
      }
      await server.close();
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
    return null;
  },
});
