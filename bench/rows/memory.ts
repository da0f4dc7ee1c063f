/** Measures the time until the process is ready and its memory at rest. */
import { existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { type ResidentMemory, residentMib } from "../machine.ts";
import { type BenchContext, type BenchSection, describeTarget, figure, median, spread } from "../section.ts";
import { COMMAND, newFolder, RAISED_LIMITS, startHeadwater } from "../server.ts";
import { closedLoop } from "../wrk.ts";
import { templateFile } from "./compare.ts";

const MAX_REST_MIB = 140;
const MAX_READY_MS = 1_500;
const LATER_STARTS = 5;

interface RestMeasurement {
  startMs: number;
  mib: ResidentMemory;
}

async function startAndRest(dataDir: string, restMs: number): Promise<RestMeasurement> {
  const server = await startHeadwater({ settings: {}, dataDir, sources: 0, visits: 0, command: true });
  await wait(restMs);
  const rest = { startMs: server.startMs, mib: residentMib(server.pid) };
  await server.stop();
  return rest;
}

/** Fills the ledger, so that later starts open one with events. */
async function fill(dataDir: string, seconds: number): Promise<{ events: number; mib: ResidentMemory }> {
  const server = await startHeadwater({ settings: RAISED_LIMITS, dataDir });
  await closedLoop(server.url, templateFile(10, server), seconds);
  const { accepted } = await server.acknowledged();
  const mib = residentMib(server.pid);
  await server.stop();
  return { events: accepted, mib };
}

export async function memory({ options, say }: BenchContext): Promise<BenchSection> {
  const dataDir = newFolder();
  const restMs = options.quick ? 2_000 : 10_000;
  const first = await startAndRest(dataDir, restMs);
  say(`  first start: ready in ${figure(first.startMs)} ms, ${figure(first.mib.service)} MiB at rest`);
  const filled = await fill(dataDir, options.seconds);
  // the ledger was filled without a warehouse, so this start ships the events; some of the memory for that is not released
  const shipping = await startAndRest(dataDir, restMs);
  const later: RestMeasurement[] = [];
  for (let turn = 0; turn < (options.quick ? 2 : LATER_STARTS); turn++)
    later.push(await startAndRest(dataDir, restMs));
  say(`  later starts: ready in ${figure(median(later.map(({ startMs }) => startMs)))} ms`);
  const ready = Math.max(...[shipping, ...later].map(({ startMs }) => startMs)) < MAX_READY_MS;
  const small = Math.max(first.mib.service, ...later.map(({ mib }) => mib.service)) <= MAX_REST_MIB;
  return {
    title: "Start and memory",
    date: new Date().toISOString(),
    settings: {},
    tables: [
      {
        columns: ["start", "ready ms", "MiB at rest", "warehouse MiB", "target"],
        rows: [
          [
            "first, on an empty folder",
            figure(first.startMs),
            figure(first.mib.service),
            figure(first.mib.warehouse),
            describeTarget(first.mib.service <= MAX_REST_MIB, `≤ ${MAX_REST_MIB} MiB`),
          ],
          [
            `second, which ships ${filled.events.toLocaleString("en-US")} waiting events`,
            figure(shipping.startMs),
            figure(shipping.mib.service),
            figure(shipping.mib.warehouse),
            "-",
          ],
          [
            `later, ${filled.events.toLocaleString("en-US")} events in the ledger`,
            spread(later.map(({ startMs }) => startMs)),
            spread(later.map(({ mib }) => mib.service)),
            spread(later.map(({ mib }) => mib.warehouse)),
            `${describeTarget(ready, `ready < ${MAX_READY_MS} ms`)}; ${describeTarget(small, `≤ ${MAX_REST_MIB} MiB`)}`,
          ],
          ["just after the closed loop", "-", figure(filled.mib.service), figure(filled.mib.warehouse), "-"],
        ],
      },
    ],
    notes: [
      `Ready: from the start of the process (${existsSync(COMMAND) ? "`headwater serve`" : "the server without the command line"}) until /readyz answers 200. Memory: resident memory ${restMs / 1_000} s later, with default settings and without requests. The warehouse is a separate process.`,
    ],
    data: { first, filled, shipping, later },
  };
}
