/** `headwater import` with a warehouse: events older than ingest accepts are stored once, however often they are imported. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { folder, headwaterHere } from "../cli/command-line.ts";
import { linesOf } from "../export/exported.ts";
import { storedEvent } from "../ledger/reader.ts";
import { until } from "../support/until.ts";
import { bootstrapBody, bootstrapPath, openWorld, pageEvent, type TestSource } from "../support/world.ts";
import { askWarehouse } from "./ask.ts";

const DAY_MS = 86_400_000;

/** Runs the service until no event waits for the warehouse. */
async function shipAll(dataDir: string): Promise<void> {
  const world = await openWorld({ WAREHOUSE: "embedded" }, {}, dataDir);
  await until("no event waits", async () => {
    const { warehouse } = (await world.ask("/readyz", { token: null })).body;
    return warehouse.state === "up" && warehouse.waitingEvents === 0;
  });
  await world.close();
}

/** Makes sources in a new ledger. */
async function newSources(dataDir: string, count: number): Promise<TestSource[]> {
  const world = await openWorld({}, {}, dataDir);
  const sources: TestSource[] = [];
  while (sources.length < count) sources.push(await world.createSource());
  await world.close();
  return sources;
}

test("Old and recent events are stored once, and an export of them can be imported again.", async () => {
  using data = folder();
  const settings = { DATA_DIR: data.path, WAREHOUSE: "embedded" };
  const [sourceId = "", copy = ""] = (await newSources(data.path, 2)).map((source) => source.sourceId);
  const run = async (...words: string[]) => {
    const outcome = await headwaterHere(settings, ...words);
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

  await shipAll(data.path);
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
  const world = await openWorld({}, {}, data.path);
  const source = await world.createSource();
  const [now, at] = [Date.now(), Date.now() - 100 * DAY_MS];
  const body = bootstrapBody({
    batchId: "b",
    sentAt: new Date(now).toISOString(),
    events: [pageEvent({ context: null }, at)],
  });
  const headers = { "user-agent": "node" };
  const reply = await world.ask(bootstrapPath(source), { method: "POST", token: null, headers, body });
  assert.equal(reply.body.accepted, 1);
  await world.close();
  const own = ["--source", source.sourceId];
  const exported = await headwaterHere({ DATA_DIR: data.path }, "export", ...own, "--out", data.at("out"));
  assert.equal(exported.code, 0, exported.stderr);
  const taken = await headwaterHere(settings, "import", data.at("out"), ...own, "--json");
  assert.deepEqual([taken.code, taken.json().accepted, taken.json().duplicates], [0, 0, 1], taken.stderr);
  await shipAll(data.path);
  const [row] = await askWarehouse(data.path, "SELECT toUInt8(count()) AS events FROM events");
  assert.deepEqual(row, { events: 1 });
});

test("An import keeps the campaign of an export whose urls do not show it.", async () => {
  using data = folder();
  const settings = { DATA_DIR: data.path };
  const [source] = await newSources(data.path, 1);
  const page = {
    url: "https://shop.example/a?x=1#top",
    utm: { source: "a b", term: null },
    clickIds: { gclid: "g" },
  };
  const row = { ...pageEvent({ page }), sessionId: "s", anonymousId: "v" };
  writeFileSync(data.at("rows"), JSON.stringify(row));
  const words = ["--source", source!.sourceId, "--json"];
  const taken = await headwaterHere(settings, "import", data.at("rows"), ...words);
  assert.equal(taken.json().accepted, 1, taken.stderr);
  const stored = storedEvent(data.path, row.id).page;
  assert.deepEqual([stored.utm, stored.clickIds], [{ source: "a b" }, { gclid: "g" }]);
});

test("A file may contain events of many years.", async () => {
  using data = folder();
  const settings = { DATA_DIR: data.path, WAREHOUSE: "embedded" };
  const [source] = await newSources(data.path, 1);
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
  const taken = await headwaterHere(
    settings,
    "import",
    data.at("old"),
    "--source",
    source!.sourceId,
    "--json",
  );
  assert.equal(taken.code, 0, taken.stderr);
  assert.equal(taken.json().accepted, months);
});

test("A CSV file may have semicolons or tabs between its fields.", async () => {
  using data = folder();
  const settings = { DATA_DIR: data.path };
  const [source] = await newSources(data.path, 1);
  const sourceId = source!.sourceId;
  for (const separator of [";", "\t", ","]) {
    const rows = [
      ["id", "type", "name", "timestamp", "sessionId", "anonymousId"],
      [`e${separator.charCodeAt(0)}`, "track", '"a, b; c"', new Date().toISOString(), "s", "v"],
    ];
    writeFileSync(data.at("events.csv"), rows.map((row) => row.join(separator)).join("\r\n"));
    const read = await headwaterHere(
      settings,
      "import",
      data.at("events.csv"),
      "--source",
      sourceId,
      "--json",
    );
    assert.deepEqual([read.code, read.json().accepted], [0, 1], read.stdout + read.stderr);
  }
});

test("A file that is not text is refused with what it is and what to do, before anything is read as a line.", async () => {
  using data = folder();
  const settings = { DATA_DIR: data.at("data") };
  const [source] = await newSources(settings.DATA_DIR, 1);
  const sourceId = source!.sourceId;
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
    const { code, stdout, stderr } = await headwaterHere(
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
  const { stderr } = await headwaterHere(settings, "import", data.path, "--source", sourceId);
  assert.match(stderr, / is a folder\. Name a file in it\.\n$/);
  writeFileSync(data.at("events"), `\ufeff${line}`);
  const marked = await headwaterHere(settings, "import", data.at("events"), "--source", sourceId);
  assert.match(
    marked.stdout,
    /^line 1: .*\n0 accepted, 0 duplicates, 1 rejected\.$/m,
    "UTF-8 with a mark is read",
  );
});
