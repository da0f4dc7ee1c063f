/**
 * The quiet source of the attack part, in a process of its own: 100 single events per second from ten addresses, and a
 * request to /healthz four times a second. Prints a line when it has begun; when stdin ends it prints every answer.
 */

import { createRandom } from "../../apps/server/test/faults/random.ts";
import { Trickle } from "../../apps/server/test/faults/trickle.ts";
import type { TestSource } from "../../apps/server/test/support/world.ts";

/** So that no address reaches its rate limit. */
const ADDRESSES = 10;
const HEALTH_MS = 250;
const HEALTH_TIMEOUT_MS = 10_000;

/** An answer as the bench reads it; times are milliseconds since the epoch. */
export interface QuietAnswer {
  /** Null: an answer of /healthz. */
  eventId: string | null;
  sentAt: number;
  tookMs: number;
  /** `accepted`, or what else the server or the connection said. */
  outcome: string;
}

const toEpoch = (time: number) => performance.timeOrigin + time;

async function askHealth(url: string): Promise<QuietAnswer> {
  const sentAt = performance.now();
  const outcome = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) }).then(
    ({ status }) => String(status),
    (error: Error) => error.message,
  );
  return { eventId: null, sentAt: toEpoch(sentAt), tookMs: performance.now() - sentAt, outcome };
}

async function sendUntilStdinEnds(url: string, source: TestSource): Promise<QuietAnswer[]> {
  const addressOf = (serial: number) => ({ "x-forwarded-for": `198.51.100.${1 + (serial % ADDRESSES)}` });
  const trickle = await Trickle.start({ url }, source, createRandom(), addressOf);
  const health: Promise<QuietAnswer>[] = [];
  const timer = setInterval(() => health.push(askHealth(url)), HEALTH_MS);
  console.log("sending");
  for await (const _ of process.stdin);
  clearInterval(timer);
  await trickle[Symbol.asyncDispose]();
  const events = trickle.answers.map(({ eventId, sentAt, answeredAt, outcome }) => ({
    eventId,
    sentAt: toEpoch(sentAt),
    tookMs: answeredAt - sentAt,
    outcome,
  }));
  return [...events, ...(await Promise.all(health))];
}

if (import.meta.main) {
  const [url = "", sourceId = "", publicKey = ""] = process.argv.slice(2);
  const answers = JSON.stringify(await sendUntilStdinEnds(url, { sourceId, publicKey }));
  // open connections would keep the process from ending
  process.stdout.write(`${answers}\n`, () => process.exit(0));
}
