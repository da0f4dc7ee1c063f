/**
 * The quiet source of the attack part, in a process of its own: 100 single events per second from ten addresses, and 20
 * requests per second to /healthz and to an idle server. Prints a line when it has begun; when stdin ends it prints every answer.
 */

import { createRandom } from "../../apps/server/test/faults/random.ts";
import { Trickle } from "../../apps/server/test/faults/trickle.ts";
import type { TestSource } from "../../apps/server/test/support/world.ts";

/** So that no address reaches its rate limit. */
const ADDRESSES = 10;
const PROBE_MS = 50;
const PROBE_TIMEOUT_MS = 10_000;

/** An answer as the bench reads it; times are milliseconds since the epoch. */
export interface QuietAnswer {
  kind: "event" | "health" | "idle";
  /** Null: not an event. */
  eventId: string | null;
  sentAt: number;
  tookMs: number;
  /** `accepted`, or what else the server or the connection said. */
  outcome: string;
}

const toEpoch = (time: number) => performance.timeOrigin + time;

async function probe(kind: "health" | "idle", url: string): Promise<QuietAnswer> {
  const sentAt = performance.now();
  const outcome = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).then(
    ({ status }) => String(status),
    (error: Error) => error.message,
  );
  return { kind, eventId: null, sentAt: toEpoch(sentAt), tookMs: performance.now() - sentAt, outcome };
}

async function sendUntilStdinEnds(url: string, source: TestSource, idleUrl: string): Promise<QuietAnswer[]> {
  const addressOf = (serial: number) => ({ "x-forwarded-for": `198.51.100.${1 + (serial % ADDRESSES)}` });
  const trickle = await Trickle.start({ url }, source, createRandom(), addressOf);
  const probes: Promise<QuietAnswer>[] = [];
  const timer = setInterval(() => probes.push(probe("health", url), probe("idle", idleUrl)), PROBE_MS);
  console.log("sending");
  for await (const _ of process.stdin);
  clearInterval(timer);
  await trickle[Symbol.asyncDispose]();
  const events = trickle.answers.map(({ eventId, sentAt, answeredAt, outcome }) => ({
    kind: "event" as const,
    eventId,
    sentAt: toEpoch(sentAt),
    tookMs: answeredAt - sentAt,
    outcome,
  }));
  return [...events, ...(await Promise.all(probes))];
}

if (import.meta.main) {
  const [url = "", sourceId = "", publicKey = "", idleUrl = ""] = process.argv.slice(2);
  const answers = JSON.stringify(await sendUntilStdinEnds(url, { sourceId, publicKey }, idleUrl));
  // open connections would keep the process from ending
  process.stdout.write(`${answers}\n`, () => process.exit(0));
}
