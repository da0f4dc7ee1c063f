/**
 * The open loop: requests leave at a fixed rate whatever the answers, and latency is counted from the moment a
 * request was scheduled, so that a server which stalls cannot make the generator look away. Told by a plan file,
 * tells on standard output.
 */
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Answer, Connection } from "./connection.ts";
import { createFilling, type Filling } from "./filling.ts";
import { createHistogram, type Histogram } from "./histogram.ts";
import type { Offered, Plan, StreamPlan } from "./plan.ts";
import { createPool } from "./pool.ts";

const TICK_MS = 1;
const PATIENCE_MS = 5_000;
const SETTLE_MS = 200;

interface Stream {
  plan: StreamPlan;
  filling: Filling;
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

const plan = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Plan;
const pool = createPool(plan.port, plan.maxConnections);

function streamOf(one: StreamPlan): Stream {
  const counts = { nextAt: 0, sent: 0, good: 0, events: 0, unsent: 0, broken: 0, open: 0 };
  return {
    plan: one,
    filling: createFilling(one.templates),
    intervalMs: 1_000 / one.rate,
    ...counts,
    all: createHistogram(),
    lag: createHistogram(),
    byOutcome: new Map(),
  };
}

function outcomeOf({ status, body }: Answer): string {
  if (status === 200) return "200";
  return `${status} ${/"code":"([a-z_]+)"/.exec(body)?.[1] ?? "?"}`;
}

function note(stream: Stream, outcome: string, milliseconds: number): void {
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

/** Rates count what happened within the window; latencies belong to what was scheduled within it. */
function finish(stream: Stream, answer: Answer | null, scheduledAt: number): void {
  const now = performance.now();
  const counted = scheduledAt >= from;
  if (counted) stream.open -= 1;
  if (answer?.status === 200 && now >= from && now < until) {
    stream.good += 1;
    stream.events += Number(/"accepted":(\d+)/.exec(answer.body)?.[1] ?? 0);
  }
  if (!counted) return;
  if (answer) note(stream, outcomeOf(answer), now - scheduledAt);
  else stream.broken += 1;
}

function send(stream: Stream, connection: Connection, scheduledAt: number): void {
  const now = performance.now();
  if (now >= from && now < until) stream.sent += 1;
  connection.send(stream.filling.next(), (answer) => {
    finish(stream, answer, scheduledAt);
    if (answer && !answer.closes) pool.giveBack(connection);
  });
}

function sendDue(stream: Stream): void {
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

function reportOf(stream: Stream): Offered {
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
    connections: pool.most(),
  };
}

async function warm(): Promise<void> {
  // connections that are open and idle before the first request, so that the start is no storm
  const held: Connection[] = [];
  for (let index = 0; index < plan.connections; index++) pool.take((connection) => held.push(connection));
  for (let turn = 0; held.length < plan.connections && turn < 50; turn++) await wait(SETTLE_MS / 10);
  for (const connection of held) pool.giveBack(connection);
}

await warm();
const startedAt = performance.now() + SETTLE_MS;
from = startedAt + plan.warmupSeconds * 1_000;
until = from + plan.seconds * 1_000;
for (const [index, stream] of streams.entries()) {
  stream.nextAt = startedAt + (stream.intervalMs * index) / streams.length;
}
while (performance.now() < until) {
  for (const stream of streams) sendDue(stream);
  await wait(TICK_MS);
}
const patience = performance.now() + PATIENCE_MS;
while (streams.some(({ open }) => open > 0) && performance.now() < patience) await wait(TICK_MS);
process.stdout.write(JSON.stringify(streams.map(reportOf)));
pool.close();
