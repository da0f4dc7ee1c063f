/** `/metrics` with several processes (WORKERS): every scrape shows the sum over all of them. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createSource, startChild, until } from "../faults/child.ts";
import { post } from "../faults/load.ts";
import { counterSeries, metricValue } from "../support/metrics.ts";
import { bootstrapBody, bootstrapPath, eventsBody, eventsPath, trackEvent } from "../support/world.ts";
import { createDatabase } from "./databases.ts";

const SEEN_MS = 20_000;
const ANSWER_MS = 5_000;
const SCRAPES = 20;
const BATCHES_AT_ONCE = 8;
const EVENTS_A_BATCH = 3;

async function startWorkers() {
  const { url: databaseUrl, remove } = await createDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-metrics-"));
  const service = await startChild(dataDir, { environment: { DATABASE_URL: databaseUrl, WORKERS: "2" } });
  /** On a connection of its own, so that scrapes reach both workers. */
  const scrape = async () => {
    const options = { headers: { connection: "close" }, signal: AbortSignal.timeout(ANSWER_MS) };
    return (await fetch(`${service.url}/metrics`, options)).text();
  };
  const whenBothServe = () =>
    until("both serve", SEEN_MS, async () => metricValue(await scrape(), "headwater_processes") === 2);
  const close = async () => {
    await service.end("SIGKILL");
    await remove();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { service, scrape, whenBothServe, [Symbol.asyncDispose]: close };
}

/** Sends batches until it is stopped, from the first accepted one on. @returns how many events are accepted in the end */
async function startSending(url: string, isStopped: () => boolean): Promise<{ accepted: Promise<number> }> {
  const source = await createSource(url);
  const { body } = await post(url + bootstrapPath(source), bootstrapBody());
  const batch = () =>
    eventsBody(
      body.sessionId,
      Array.from({ length: EVENTS_A_BATCH }, () => trackEvent()),
    );
  let accepted = 0;
  const send = async () => {
    const reply = await post(url + eventsPath(source), batch());
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    accepted += reply.body.accepted;
  };
  const sender = async () => {
    while (!isStopped()) await send();
  };
  await send();
  const sending = Promise.all(Array.from({ length: BATCHES_AT_ONCE }, sender));
  return { accepted: sending.then(() => accepted) };
}

const acceptedIn = (text: string) =>
  metricValue(text, "headwater_ingest_events_total", 'outcome="accepted"') ?? 0;

/** @throws AssertionError when a counter of the first text is smaller in the second, or missing */
function requireGrowth(before: string, after: string): void {
  const later = counterSeries(after);
  for (const [series, value] of counterSeries(before))
    assert.ok((later.get(series) ?? -1) >= value, `${series}: ${value}, then ${later.get(series)}`);
}

const workersOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);

test("With WORKERS=2, counters never go back from scrape to scrape under load, and end at what was accepted.", async () => {
  await using workers = await startWorkers();
  const { service, scrape, whenBothServe } = workers;
  await whenBothServe();
  let isStopped = false;
  const sending = await startSending(service.url, () => isStopped);
  let last = await scrape();
  for (let number = 1; number < SCRAPES; number += 1) {
    const next = await scrape();
    requireGrowth(last, next);
    last = next;
  }
  isStopped = true;
  const accepted = await sending.accepted;
  const after = await scrape();
  requireGrowth(last, after);
  assert.equal(acceptedIn(after), accepted);
  assert.equal(metricValue(after, "headwater_ready"), 1);
  assert.equal(metricValue(after, "headwater_nodes"), 2);
  assert.equal(metricValue(after, "headwater_build_info"), 1);
});

test("The counters of a worker that was killed are kept, and its successor's are added.", async () => {
  await using workers = await startWorkers();
  const { service, scrape, whenBothServe } = workers;
  await whenBothServe();
  const source = await createSource(service.url);
  const visit = () => post(service.url + bootstrapPath(source), bootstrapBody());
  for (let number = 0; number < 8; number += 1) assert.equal((await visit()).status, 200);
  let last = await scrape();
  const requests = metricValue(last, "headwater_ingest_requests_total") ?? 0;
  assert.equal(requests, 8);
  for (const worker of workersOf(service.pid)) {
    process.kill(worker, "SIGKILL");
    // a connection that was handed to the one that died is answered by nobody
    await until("its successor serves", SEEN_MS, async () => {
      const next = await scrape().catch(() => null);
      if (next === null) return false;
      requireGrowth(last, next);
      last = next;
      return metricValue(next, "headwater_processes") === 2;
    });
  }
  assert.equal(metricValue(last, "headwater_ingest_requests_total"), requests);
  await until("a request is taken", SEEN_MS, () =>
    visit().then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  assert.equal(metricValue(await scrape(), "headwater_ingest_requests_total"), requests + 1);
});
