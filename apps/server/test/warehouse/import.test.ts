/** `headwater import` with a warehouse: events older than ingest accepts are stored once, however often they are imported. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { folder, headwater, type Settings, serve } from "../cli/command-line.ts";
import { linesOf } from "../export/exported.ts";
import { until } from "../faults/child.ts";
import { storedEvent } from "../ledger/reader.ts";
import { bootstrapBody, bootstrapPath, pageEvent } from "../support/world.ts";
import { askWarehouse } from "./ask.ts";
import { PATIENCE_MS } from "./store.ts";

const DAY_MS = 86_400_000;

/** Runs the service until no event waits for the warehouse. */
async function shipAll(settings: Settings): Promise<void> {
  const served = await serve(settings);
  await until("no event waits", PATIENCE_MS, async () => {
    const { warehouse } = (await (await fetch(`${served.url}/readyz`)).json()) as {
      warehouse: { state: string; waitingEvents: number };
    };
    return warehouse.state === "up" && warehouse.waitingEvents === 0;
  });
  await served.stop();
}

test("Old and recent events are stored once, and an export of them can be imported again.", async () => {
  using data = folder();
  const settings = { DATA_DIR: data.path, WAREHOUSE: "embedded" };
  const served = await serve(settings);
  const make = async () =>
    (await headwater(settings, "source", "create", "--name", "Shop", "--json")).json().sourceId;
  const [sourceId, copy] = [await make(), await make()];
  await served.stop();
  const run = async (...words: string[]) => {
    const outcome = await headwater(settings, ...words);
    assert.equal(outcome.code, 0, outcome.stderr);
    return outcome;
  };
  const counts = async (name: string, into: string) => {
    const { accepted, duplicates, rejected } = (
      await run("import", data.at(name), "--source", into, "--json")
    ).json();
    return [accepted, duplicates, rejected];
  };

  const now = Date.now();
  const event = (id: string, at: number) =>
    JSON.stringify({
      id,
      type: "track",
      name: "a",
      timestamp: new Date(at).toISOString(),
      sessionId: "s",
      anonymousId: "v",
    });
  const old = ["a", "b", "c"].map((id, index) => event(id, now - (30 + 40 * index) * DAY_MS));
  const recent = event("d", now - DAY_MS);
  writeFileSync(data.at("first"), [old[0], old[1], old[1], recent].join("\n"));
  assert.deepEqual(await counts("first", sourceId), [3, 1, 0]);
  writeFileSync(data.at("second"), [...old, recent].join("\n"));
  assert.deepEqual(await counts("second", sourceId), [1, 3, 0]);

  await run("export", "--source", sourceId, "--out", data.at("out"));
  const went = linesOf(readFileSync(data.at("out"), "utf8")).map(({ eventId }) => eventId);
  assert.deepEqual(went, ["c", "b", "a"]);
  assert.deepEqual(await counts("out", sourceId), [0, 3, 0]);
  assert.deepEqual(await counts("out", copy), [3, 0, 0]);

  await shipAll(settings);
  const rows = await askWarehouse(
    data.path,
    "SELECT sourceId, toUInt8(count()) AS rows, toUInt8(uniqExact(eventId)) AS ids FROM events GROUP BY sourceId ORDER BY sourceId",
  );
  assert.deepEqual(
    rows,
    [sourceId, copy].sort().map((one) => ({
      sourceId: one,
      rows: one === copy ? 3 : 4,
      ids: one === copy ? 3 : 4,
    })),
  );
});

test("An old event that waits in the outbox, which a server sent without a token, is not imported a second time.", async () => {
  using data = folder();
  const settings = { DATA_DIR: data.path, WAREHOUSE: "embedded" };
  const created = ["source", "create", "--name", "Shop", "--json"];
  const served = await serve({ DATA_DIR: data.path });
  const source = (await headwater(settings, ...created)).json();
  const [now, at] = [Date.now(), Date.now() - 100 * DAY_MS];
  const body = bootstrapBody({
    batchId: "b",
    sentAt: new Date(now).toISOString(),
    events: [pageEvent({ context: null }, at)],
  });
  const headers = { "user-agent": "node" };
  const reply = await fetch(served.url + bootstrapPath(source), {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  assert.equal(((await reply.json()) as { accepted: number }).accepted, 1);
  await served.stop();
  const own = ["--source", source.sourceId];
  const exported = await headwater({ DATA_DIR: data.path }, "export", ...own, "--out", data.at("out"));
  assert.equal(exported.code, 0, exported.stderr);
  const taken = await headwater(settings, "import", data.at("out"), ...own, "--json");
  assert.deepEqual([taken.code, taken.json().accepted, taken.json().duplicates], [0, 0, 1], taken.stderr);
  await shipAll(settings);
  const [row] = await askWarehouse(data.path, "SELECT toUInt8(count()) AS events FROM events");
  assert.deepEqual(row, { events: 1 });
});

test("An import keeps the campaign of an export whose urls do not show it.", async () => {
  using data = folder();
  const settings = { DATA_DIR: data.path };
  await (await serve(settings)).stop();
  const created = await headwater(settings, "source", "create", "--name", "Shop", "--json");
  const page = {
    url: "https://shop.example/a?x=1#top",
    utm: { source: "a b", term: null },
    clickIds: { gclid: "g" },
  };
  const row = { ...pageEvent({ page }), sessionId: "s", anonymousId: "v" };
  writeFileSync(data.at("rows"), JSON.stringify(row));
  const words = ["--source", created.json().sourceId, "--json"];
  const taken = await headwater(settings, "import", data.at("rows"), ...words);
  assert.equal(taken.json().accepted, 1, taken.stderr);
  const stored = storedEvent(data.path, row.id).page;
  assert.deepEqual([stored.utm, stored.clickIds], [{ source: "a b" }, { gclid: "g" }]);
});

test("A file may contain events of many years.", async () => {
  using data = folder();
  const settings = { DATA_DIR: data.path, WAREHOUSE: "embedded" };
  const served = await serve(settings);
  const { sourceId } = (await headwater(settings, "source", "create", "--name", "Shop", "--json")).json();
  await served.stop();
  const months = 121;
  const lines = Array.from({ length: months }, (_, index) =>
    JSON.stringify({
      id: `e${index}`,
      type: "track",
      name: "a",
      timestamp: new Date(Date.UTC(2010, index, 2)).toISOString(),
      sessionId: "s",
      anonymousId: "v",
    }),
  );
  writeFileSync(data.at("old"), lines.join("\n"));
  const taken = await headwater(settings, "import", data.at("old"), "--source", sourceId, "--json");
  assert.equal(taken.code, 0, taken.stderr);
  assert.equal(taken.json().accepted, months);
});

test("A file that is not text is refused with what it is and what to do, before anything is read as a line.", async () => {
  using data = folder();
  const settings = { DATA_DIR: data.at("data") };
  await (await serve(settings)).stop();
  const created = await headwater(settings, "source", "create", "--name", "Shop", "--json");
  const { sourceId } = created.json();
  const line = `${JSON.stringify({ id: "a", type: "track", name: "a" })}\n`;
  const files: [content: Buffer, message: RegExp][] = [
    [
      Buffer.from(`PAR1${"\0".repeat(20)}PAR1`),
      /is a Parquet file\. .*: export the events again with `--format ndjson`\./,
    ],
    [gzipSync(line), /is compressed with gzip\. .*: unpack it with `gunzip`\./],
    [
      Buffer.from("PK\x03\x04\x14\0\x06\0xl/workbook.xml", "latin1"),
      /is an Excel workbook .*: save it as CSV/,
    ],
    [Buffer.from(`\ufeff${line}`, "utf16le"), /is text in UTF-16\. .*: convert it with `iconv /],
    [Buffer.from(line, "utf16le"), /is not text\./],
    [Buffer.from([0x50, 0x41, 0x52, 0x31]), /is a Parquet file/],
    [Buffer.from(""), /is empty\./],
  ];
  for (const [content, message] of files) {
    writeFileSync(data.at("events"), content);
    const { code, stdout, stderr } = await headwater(
      settings,
      "import",
      data.at("events"),
      "--source",
      sourceId,
    );
    assert.deepEqual([code, stdout], [1, ""], stderr);
    assert.match(stderr, message);
    assert.equal(stderr.trim().split("\n").length, 1, stderr);
  }
  const { stderr } = await headwater(settings, "import", data.path, "--source", sourceId);
  assert.match(stderr, / is a folder\. Name a file in it\.\n$/);
  writeFileSync(data.at("events"), `\ufeff${line}`);
  const marked = await headwater(settings, "import", data.at("events"), "--source", sourceId);
  assert.match(
    marked.stdout,
    /^line 1: .*\n0 accepted, 0 duplicates, 1 rejected\.$/m,
    "UTF-8 with a mark is read",
  );
});
