/** `headwater demo`: a throw-away service with a source and made-up traffic, to look at the console. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildConsole } from "../../../console/build.js";
import { makeSignInCode } from "../../src/access/first-start.ts";
import { type Command, defineCommand, wholeNumber, withDefault } from "../../src/cli/command.ts";
import { processEnvironment, readConfig } from "../../src/config/config.ts";
import type { Config } from "../../src/config/settings.ts";
import { DAY_MS } from "../../src/core/time.ts";
import { hashToken } from "../../src/core/token.ts";
import { openLedgerBeside } from "../../src/open-ledger.ts";
import type { RunningServer } from "../../src/server.ts";
import { createDemoShop, DemoClock, keepVisiting, sendHistory, sendRefused } from "./demo-shop.ts";

/** Ctrl-C, a process manager, and a terminal that is closed. */
const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** The demo says where its visitors are, as a proxy would. */
const OF_DEMO = {
  TRUST_PROXY: "127.0.0.1,::1",
  GEO_HEADER: "x-country",
  SOURCE_RATE_PER_SECOND: "1000000",
  SOURCE_RATE_BURST: "1000000",
};

interface RunningDemo {
  readonly config: Config;
  readonly server: RunningServer;
}

async function startDemo(dataDir: string, clock: DemoClock): Promise<RunningDemo> {
  const { PATH, HOST, PORT = "0", WAREHOUSE, LOG_LEVEL = "silent" } = processEnvironment();
  const environment = { PATH, HOST, PORT, WAREHOUSE, LOG_LEVEL, DATA_DIR: dataDir, ...OF_DEMO };
  const consoleFolder = await buildConsole((line) => void process.stderr.write(`${line}\n`));
  const { startServer } = await import("../../src/server.ts");
  const config = readConfig(environment);
  const options = { consoleFolder, clock: clock.now, signInLink: false };
  return { config, server: await startServer(config, environment, options) };
}

/** @returns the address that signs the owner in; the link of the first start has expired by the clock of the history */
async function finishHistory({ config, server }: RunningDemo, ownerToken: string): Promise<string> {
  const now = Date.now();
  const ledger = await openLedgerBeside(config, now);
  try {
    // the days of the history passed in minutes, which the service takes for a jump
    await ledger.acceptClock({ now });
    const owner = await ledger.tokenByHash({ hash: hashToken(ownerToken) });
    if (!owner?.userId) throw new Error("the demo has no owner");
    const { code, ...stored } = makeSignInCode(now);
    await ledger.createSignInCode({ ...stored, userId: owner.userId, now });
    return `${server.signInUrl}#code=${code}`;
  } finally {
    await ledger.close();
  }
}

const describe = (signInUrl: string, days: number): string => `
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
      const until = Date.now();
      // the service lives through the days of the history
      const clock = new DemoClock(until - days * DAY_MS);
      const started = await startDemo(dataDir, clock);
      const { server } = started;
      const { url } = server;
      const shop = await createDemoShop({ url, token: server.firstStart?.token ?? "" }, until);
      const onSent = (sent: number) => progress(() => `${sent} of about ${events} events`);
      const accepted = await sendHistory(shop, { events, days, until, ending, clock, onSent });
      clock.follow();
      if (!ending.aborted) {
        await sendRefused(shop);
        const live = keepVisiting(shop, ending);
        const signInUrl = await finishHistory(started, shop.token);
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
