/**
 * The open-loop load generator. It sends requests at a fixed rate, independent of the responses, and counts latency from
 * the time a request was scheduled. So a server that stalls cannot hide latency by slowing the generator down. Reads a
 * plan file and writes its results to stdout as JSON.
 */
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { OpenLoopConnection, OpenLoopResponse } from "./connection.ts";
import { createHistogram, type Histogram } from "./histogram.ts";
import type { LoadPlan, OpenLoopResult, StreamPlan } from "./plan.ts";
import { createPool } from "./pool.ts";
import { createRequestSource, type RequestSource } from "./request-source.ts";

const TICK_MS = 1;
const MAX_DRAIN_MS = 5_000;
const START_DELAY_MS = 200;

interface LoadStream {
  plan: StreamPlan;
  requests: RequestSource;
  intervalMs: number;
  nextAt: number;
  sent: number;
  good: number;
  events: number;
  unsent: number;
  broken: number;
  open: number;
  all: Histogram;
  lag: Histogram;
  byOutcome: Map<string, Histogram>;
}

const plan = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as LoadPlan;
const pool = createPool(plan.port, plan.maxConnections);

function streamOf(one: StreamPlan): LoadStream {
  const counts = { nextAt: 0, sent: 0, good: 0, events: 0, unsent: 0, broken: 0, open: 0 };
  return {
    plan: one,
    requests: createRequestSource(one.templates),
    intervalMs: 1_000 / one.rate,
    ...counts,
    all: createHistogram(),
    lag: createHistogram(),
    byOutcome: new Map(),
  };
}

function outcomeOf({ status, body }: OpenLoopResponse): string {
  if (status === 200) return "200";
  return `${status} ${/"code":"([a-z_]+)"/.exec(body)?.[1] ?? "?"}`;
}

function recordLatency(stream: LoadStream, outcome: string, milliseconds: number): void {
  let histogram = stream.byOutcome.get(outcome);
  if (!histogram) {
    histogram = createHistogram();
    stream.byOutcome.set(outcome, histogram);
  }
  histogram.add(milliseconds);
  stream.all.add(milliseconds);
}

const streams = plan.streams.map(streamOf);
let from = 0;
let until = 0;

/** Rates count responses within the measured window; latencies count requests scheduled within it. */
function finish(stream: LoadStream, answer: OpenLoopResponse | null, scheduledAt: number): void {
  const now = performance.now();
  const counted = scheduledAt >= from;
  if (counted) stream.open -= 1;
  if (answer?.status === 200 && now >= from && now < until) {
    stream.good += 1;
    stream.events += Number(/"accepted":(\d+)/.exec(answer.body)?.[1] ?? 0);
  }
  if (!counted) return;
  if (answer) recordLatency(stream, outcomeOf(answer), now - scheduledAt);
  else stream.broken += 1;
}

function send(stream: LoadStream, connection: OpenLoopConnection, scheduledAt: number): void {
  const now = performance.now();
  if (now >= from && now < until) stream.sent += 1;
  connection.send(stream.requests.next(), (answer) => {
    finish(stream, answer, scheduledAt);
    if (answer && !answer.closes) pool.giveBack(connection);
  });
}

function sendDue(stream: LoadStream): void {
  const now = performance.now();
  while (stream.nextAt <= now && stream.nextAt < until) {
    const scheduledAt = stream.nextAt;
    stream.nextAt += stream.intervalMs;
    const counted = scheduledAt >= from;
    if (counted) stream.lag.add(now - scheduledAt);
    if (counted) stream.open += 1;
    if (pool.take((connection) => send(stream, connection, scheduledAt))) continue;
    if (counted) stream.open -= 1;
    if (counted) stream.unsent += 1;
  }
}

function reportOf(stream: LoadStream): OpenLoopResult {
  return {
    name: stream.plan.name,
    offered: stream.sent / plan.seconds,
    goodput: stream.good / plan.seconds,
    events: stream.events / plan.seconds,
    all: stream.all.spread(),
    byOutcome: Object.fromEntries([...stream.byOutcome].map(([outcome, times]) => [outcome, times.spread()])),
    lag: stream.lag.spread(),
    unsent: stream.unsent,
    broken: stream.broken,
    unanswered: stream.open,
    connections: pool.maxOpened(),
  };
}

async function warm(): Promise<void> {
  // opens the connections before the first request, so that the run does not start with a burst of connects
  const held: OpenLoopConnection[] = [];
  for (let index = 0; index < plan.connections; index++) pool.take((connection) => held.push(connection));
  for (let turn = 0; held.length < plan.connections && turn < 50; turn++) await wait(START_DELAY_MS / 10);
  for (const connection of held) pool.giveBack(connection);
}

await warm();
const startedAt = performance.now() + START_DELAY_MS;
from = startedAt + plan.warmupSeconds * 1_000;
until = from + plan.seconds * 1_000;
for (const [index, stream] of streams.entries()) {
  stream.nextAt = startedAt + (stream.intervalMs * index) / streams.length;
}
while (performance.now() < until) {
  for (const stream of streams) sendDue(stream);
  await wait(TICK_MS);
}
const drainUntil = performance.now() + MAX_DRAIN_MS;
while (streams.some(({ open }) => open > 0) && performance.now() < drainUntil) await wait(TICK_MS);
process.stdout.write(JSON.stringify(streams.map(reportOf)));
pool.close();
