/** Runs the same closed loop against Headwater and the bare server alternately, so that noise on the machine affects both. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  buildTemplates,
  ID_LENGTH,
  ID_MARK,
  idPrefix,
  SENT_AT_MARK,
  type Traffic,
  toRequestText,
  writeTemplates,
} from "../bodies.ts";
import { freePort, start, stop, waitUntilReady } from "../children.ts";
import { stolenSeconds } from "../machine.ts";
import type { BenchContext } from "../section.ts";
import { type Headwater, workFolder } from "../server.ts";
import { type ClosedLoopResult, closedLoop } from "../wrk.ts";

const BARE = fileURLToPath(new URL("../bare.ts", import.meta.url));
const START_MS = 10_000;

export interface ComparedRound {
  bare: ClosedLoopResult;
  headwater: ClosedLoopResult;
  ratio: number;
  /** CPU seconds of Headwater per thousand requests. */
  cpuPerThousand: number;
  /** Events that the ledger accepted during the round. */
  accepted: number;
  bootstraps: number;
  stolenSeconds: number;
}

export function templateFile(traffic: Traffic, server: Headwater): string {
  const file = join(workFolder, `templates-${traffic}-${server.pid}`);
  writeTemplates(file, buildTemplates(traffic, server.visits));
  return file;
}

/** Sends one request of the template. @returns the bytes of the response body */
async function responseLength(server: Headwater, template: string): Promise<number> {
  const prefix = idPrefix();
  let serial = 0;
  const filled = toRequestText(template)
    .replaceAll(ID_MARK, () => prefix + (++serial).toString(16).padStart(ID_LENGTH - prefix.length, "f"))
    .replaceAll(SENT_AT_MARK, new Date().toISOString());
  const [head = "", body] = filled.split("\r\n\r\n");
  const [request = "", ...lines] = head.split("\r\n");
  const kept = lines.filter((line) => /^(user-agent|content-type|origin|x-forwarded-for):/i.test(line));
  const headers = kept.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]);
  const path = request.split(" ")[1]!;
  const response = await fetch(server.url + path, { method: "POST", headers, body: body! });
  const text = await response.text();
  if (response.status !== 200)
    throw new Error(`a request of the bench was refused with status ${response.status}: ${text}`);
  return Buffer.byteLength(text);
}

async function responseLengths(
  server: Headwater,
  sizes: readonly (1 | 10 | 50)[],
): Promise<[number, number][]> {
  const [visit] = server.visits;
  const lengths: [number, number][] = [
    [0, await responseLength(server, buildTemplates("bootstraps", [visit!])[0]!)],
  ];
  for (const size of sizes)
    lengths.push([size, await responseLength(server, buildTemplates(size, [visit!])[0]!)]);
  return lengths;
}

export interface BareServer {
  url: string;
  /** Response bytes by the number of events in the batch; 0 is a bootstrap. */
  lengths: [number, number][];
  stop(): Promise<number | null>;
}

async function runBare(environment: Record<string, string>, core: number | null) {
  const port = await freePort();
  const child = start({
    command: process.execPath,
    args: [BARE],
    core,
    environment: { PORT: String(port), ...environment },
    logFile: join(workFolder, "bare.log"),
  });
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(url, child, START_MS);
  return { url, pid: child.pid!, stop: () => stop(child) };
}

export async function startBare(server: Headwater): Promise<BareServer> {
  const lengths = await responseLengths(server, [1, 10, 50]);
  return { lengths, ...(await runBare({ BENCH_ANSWERS: JSON.stringify(lengths) }, null)) };
}

/** Starts the bare server that refuses every request, with a body as long as Headwater's refusals. */
export const startRefusing = (core: number | null) =>
  runBare({ BENCH_REFUSAL: `"${"x".repeat(398)}"` }, core);

/** @throws Error when the ledger has fewer events than were acknowledged. Rounds with refusals are not checked. */
function checkAccepted(loop: ClosedLoopResult, accepted: number, eventsPerRequest: number): void {
  if (loop.refused > 0) return;
  const minAccepted = Math.floor(loop.requests * eventsPerRequest * 0.99);
  if (accepted < minAccepted)
    throw new Error(`${loop.requests} requests were answered, but only ${accepted} events are in the ledger`);
}

async function measureRound(
  bare: BareServer,
  server: Headwater,
  { templates, seconds, isBareFirst }: { templates: string; seconds: number; isBareFirst: boolean },
): Promise<ComparedRound> {
  const stolen = stolenSeconds();
  const early = isBareFirst ? await closedLoop(bare.url, templates, seconds) : null;
  const [before, cpuBefore] = [await server.acknowledged(), server.cpuSeconds()];
  const headwater = await closedLoop(server.url, templates, seconds);
  const [after, cpuAfter] = [await server.acknowledged(), server.cpuSeconds()];
  const floor = early ?? (await closedLoop(bare.url, templates, seconds));
  return {
    bare: floor,
    headwater,
    ratio: headwater.requestsPerSecond / floor.requestsPerSecond,
    cpuPerThousand: ((cpuAfter - cpuBefore) * 1_000) / headwater.requests,
    accepted: after.accepted - before.accepted,
    bootstraps: after.bootstraps - before.bootstraps,
    stolenSeconds: stolenSeconds() - stolen,
  };
}

export async function compareInRounds(
  traffic: Traffic,
  bare: BareServer,
  server: Headwater,
  context: BenchContext,
): Promise<ComparedRound[]> {
  const { options, say } = context;
  const templates = templateFile(traffic, server);
  const warmup = options.quick ? 1 : 3;
  await closedLoop(bare.url, templates, warmup);
  await closedLoop(server.url, templates, warmup);
  const rounds: ComparedRound[] = [];
  for (let round = 0; round < options.rounds; round++) {
    const one = await measureRound(bare, server, {
      templates,
      seconds: options.seconds,
      isBareFirst: round % 2 === 0,
    });
    if (typeof traffic === "number") checkAccepted(one.headwater, one.accepted, traffic);
    rounds.push(one);
    const { headwater, ratio } = one;
    say(
      `  ${traffic} · round ${round + 1}: bare ${Math.round(one.bare.requestsPerSecond)}/s, Headwater ${Math.round(headwater.requestsPerSecond)}/s, ratio ${ratio.toFixed(2)}, p99 ${headwater.p99.toFixed(1)} ms, stolen ${one.stolenSeconds.toFixed(1)} s`,
    );
  }
  return rounds;
}
