/** Secrets in fifty places of an address, a referrer and a title are in nothing that the service writes. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ATTEMPT_SUCCESSES_PER_SECOND } from "../../src/debug/sampling.ts";
import { folder, headwater } from "../cli/command-line.ts";
import { rowsOfParquet } from "../export/exported.ts";
import { ask, type Child, startChild } from "../faults/child.ts";
import { rowsOf, storedLines } from "../ledger/reader.ts";
import { foundIn, PLANTED_SECRETS } from "../support/planted-secrets.ts";
import { until } from "../support/until.ts";
import {
  BROWSER,
  bootstrapBody,
  bootstrapPath,
  fresh,
  ORGANIZATION_ID,
  ORIGIN,
  OWNER_TOKEN,
  pageEvent,
  type TestSource,
} from "../support/world.ts";
import { askWarehouse } from "./ask.ts";

/** A title without a secret. Where it is missing, a place holds no events at all. */
const CONTROL = "A title without a secret";
const LOGGING = { LOG_LEVEL: "debug", ACCESS_LOG: "on" };
const data = folder();
const [served, copy, restored] = [data.at("served"), data.at("copy"), data.at("restored")];
const sources: TestSource[] = [];
let logged = "";
let debugged = "";

async function send(child: Child, source: TestSource, page: object): Promise<number> {
  const events = [pageEvent({ page }), pageEvent({ page: { url: `${ORIGIN}/`, title: CONTROL } })];
  const body = bootstrapBody({ page, events, batchId: fresh("batch"), sentAt: new Date().toISOString() });
  const headers = { origin: ORIGIN, "user-agent": BROWSER };
  const path = child.url + bootstrapPath(source);
  const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  // refused requests are recorded too: one whose body is not JSON, one of another origin
  const text = JSON.stringify(body);
  await fetch(path, { method: "POST", headers, body: text.slice(0, -1) });
  await fetch(path, { method: "POST", headers: { ...headers, origin: "https://other.example" }, body: text });
  return ((await answer.json()) as { accepted: number }).accepted;
}

/** Every file of a folder, as text. */
const textOfFiles = (path: string): string =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");

/** Parquet has 64-bit integers, which JSON has not. */
const textOf = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));

function noneIn(text: string, where: string): void {
  assert.ok(text.includes(CONTROL), `${where} has the events`);
  assert.deepEqual(foundIn(text), [], where);
}

/** The debug view lists all successes of a source up to this many a second. */
const PAGES = ATTEMPT_SUCCESSES_PER_SECOND;
const batches = ["all", "campaign"].flatMap((queryParameters) =>
  Array.from(
    { length: PLANTED_SECRETS.length / PAGES },
    (_, batch) => [queryParameters, PLANTED_SECRETS.slice(batch * PAGES, (batch + 1) * PAGES)] as const,
  ),
);

before(async () => {
  const child = await startChild(served, { environment: LOGGING });
  for (const [queryParameters, pages] of batches) {
    const body = {
      organizationId: ORGANIZATION_ID,
      name: fresh("Shop"),
      allowedOrigins: [ORIGIN],
      queryParameters,
    };
    const source = (await ask(child.url, "/api/tracking-sources", body)).body as TestSource;
    sources.push(source);
    for (const { page } of pages) assert.equal(await send(child, source, page), 2);
    const debug = () => ask(child.url, `/api/tracking-sources/${source.sourceId}/debug?limit=200`);
    const attempts = await until("all attempts are recorded", async () => {
      const { bootstrapAttempts } = (await debug()).body;
      return bootstrapAttempts.length === 3 * pages.length && bootstrapAttempts;
    });
    debugged += JSON.stringify(attempts);
  }
  await child.end("SIGTERM");
  logged = child.logged() + child.said();
});
after(() => data[Symbol.dispose]());

test("There are fifty places, each with a secret of its own.", () => {
  assert.equal(new Set(PLANTED_SECRETS.map(({ secret }) => secret)).size, 50);
  for (const { secret, page } of PLANTED_SECRETS) assert.deepEqual(foundIn(JSON.stringify(page)), [secret]);
});

test("None is in the ledger: in accepted events, in sessions, and in the bytes of its files.", () => {
  noneIn(storedLines(served).join("\n"), "the outbox");
  const landings = rowsOf(served, "select landing from sessions").map(({ landing }) => landing);
  assert.equal(landings.length, 2 * PLANTED_SECRETS.length);
  assert.deepEqual(foundIn(landings.join("\n")), [], "the sessions");
  assert.deepEqual(foundIn(textOfFiles(served)), [], "the files");
});

test("None is in the debug history, neither of accepted requests nor of refused ones.", () =>
  noneIn(debugged, "the debug history"));

test("None is in the log.", () => {
  assert.match(logged, /ingest answered/);
  assert.deepEqual(foundIn(logged), []);
});

test("None is in what `headwater import` stores.", async () => {
  const row = (page: object) => ({
    ...pageEvent({ page: { title: CONTROL, ...page } }),
    sessionId: "s",
    anonymousId: "v",
  });
  const rows = [{}, ...PLANTED_SECRETS.map(({ page }) => page)].map((page) =>
    JSON.stringify(row({ url: `${ORIGIN}/`, ...page })),
  );
  writeFileSync(data.at("events.ndjson"), rows.join("\n"));
  const words = ["import", data.at("events.ndjson"), "--source", sources[0]!.sourceId, "--json"];
  const imported = await headwater({ DATA_DIR: served }, ...words);
  assert.equal(imported.json().accepted, rows.length, imported.stderr);
  noneIn(storedLines(served).join("\n"), "the outbox after the import");
});

test("None is in the warehouse, its files, an export in any format, a backup, and the log.", async () => {
  const child = await startChild(served, { environment: { ...LOGGING, WAREHOUSE: "embedded" } });
  const waiting = async () => (await ask(child.url, "/readyz")).body.warehouse.waitingEvents;
  await until("everything is shipped", async () => (await waiting()) === 0);
  for (const { sourceId } of sources)
    for (const format of ["ndjson", "csv", "parquet"]) {
      const headers = { authorization: `Bearer ${OWNER_TOKEN}` };
      const path = `/api/export/events?sourceId=${sourceId}&format=${format}`;
      const exported = await fetch(child.url + path, { headers });
      const text =
        format === "parquet"
          ? textOf(await rowsOfParquet(await exported.arrayBuffer()))
          : await exported.text();
      noneIn(text, `the export as ${format}`);
    }
  const backup = await headwater({ DATA_DIR: served, WAREHOUSE: "embedded" }, "backup", "--to", copy);
  assert.equal(backup.code, 0, backup.stderr);
  await child.end("SIGTERM");
  assert.deepEqual(foundIn(child.logged() + child.said()), [], "the log");
  const restore = await headwater({ DATA_DIR: restored, WAREHOUSE: "embedded" }, "restore", "--from", copy);
  assert.equal(restore.code, 0, restore.stderr);
  assert.deepEqual(foundIn(textOfFiles(copy)), [], "the files of the backup");
  for (const path of [served, restored]) {
    noneIn(JSON.stringify(await askWarehouse(path, "SELECT * FROM events")), `the warehouse of ${path}`);
    assert.deepEqual(foundIn(textOfFiles(path)), [], `the files of ${path}`);
  }
});
