/** `properties` and `context` come back with the same values, names and order, whichever way an event leaves. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { folder, headwater, serve } from "../cli/command-line.ts";
import { linesOf, recordsOf, rowsOfParquet } from "../export/exported.ts";
import { until } from "../faults/child.ts";
import { eventsBody, eventsPath, OWNER_TOKEN, openWorld, trackEvent, type World } from "../support/world.ts";
import { PATIENCE_MS } from "./store.ts";

const SETS = 200;
const SEED = 36;

const ODD_NAMES = [
  "a",
  "b",
  "a.b",
  "a.b.c",
  "a.0",
  "0",
  "10",
  "",
  ".",
  "a%2Eb",
  "__proto__",
  "constructor",
  "é",
];
const ODD_TEXTS = [
  ";=1",
  "；＝1",
  "'",
  '"\\',
  "\n\t\u2028\u007f",
  "😀",
  "null",
  "{}",
  "2026-01-01",
  "\uFEFF",
];
const ODD_NUMBERS = [
  0.1,
  5e-324,
  1e300,
  2 ** 53,
  2 ** 64,
  -(2 ** 63) - 2048,
  1e21,
  123_456_789_012_345_680_000,
];

/** JSON as text: an object of JavaScript cannot be made with every name as simply. */
const { object: jsonObject } = fc.letrec<{ value: string; object: string }>((tie) => {
  const text = fc.oneof(
    fc.constantFrom(...ODD_TEXTS),
    fc.string({ unit: "binary", minLength: 1, maxLength: 9 }),
  );
  const clean = text.map((one) => JSON.stringify(one.replaceAll("\0", "\uFFFD")));
  const name = fc.oneof(
    fc.constantFrom(...ODD_NAMES).map((one) => JSON.stringify(one)),
    clean,
  );
  const number = fc.oneof(
    fc.constantFrom(...ODD_NUMBERS),
    fc.double({ noDefaultInfinity: true, noNaN: true }),
  );
  const scalar = fc.oneof(
    clean,
    number.map((one) => JSON.stringify(one)),
    fc.constantFrom("null", "true", "false", "{}", "[]"),
  );
  return {
    value: fc.oneof(
      { depthSize: "small", maxDepth: 4 },
      scalar,
      fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items}]`),
      tie("object"),
    ),
    object: fc
      .array(fc.tuple(name, tie("value")), { maxLength: 6 })
      .map((members) => `{${members.map(([key, value]) => `${key}:${value}`)}}`),
  };
});
const eventData = fc.tuple(fc.oneof({ weight: 9, arbitrary: jsonObject }, fc.constant("null")), jsonObject);

type Exported = Record<string, unknown>;
/** The texts of both, by event. A cell of CSV is a text already. */
const textsOf = (rows: readonly Exported[]) =>
  new Map(
    rows.map(({ eventId, properties, context }) => [
      eventId,
      [properties, context].map((one) => JSON.stringify(typeof one === "string" ? JSON.parse(one) : one)),
    ]),
  );

function assertSame(rows: readonly Exported[], sent: ReturnType<typeof textsOf>, way: string): void {
  const found = textsOf(rows);
  assert.equal(found.size, sent.size, way);
  for (const [id, texts] of sent) assert.deepEqual(found.get(id), texts, `${way}: ${id}`);
}

async function sendAll(world: World) {
  const source = await world.createSource();
  const sessionId = await world.openSession(source);
  const sets = fc.sample(eventData, { numRuns: SETS, seed: SEED });
  const events = sets.map(([properties, context], index) => ({
    ...trackEvent({ id: `e${index}` }),
    properties: JSON.parse(properties),
    context: JSON.parse(context),
  }));
  const { body } = await world.send(eventsPath(source), eventsBody(sessionId, events));
  assert.equal(body.accepted, SETS, JSON.stringify(body).slice(0, 500));
  const sent = events.map(({ id, properties, context }) => ({
    eventId: id,
    properties: properties ?? {},
    context,
  }));
  return { sourceId: String(source.sourceId), sessionId, sent: textsOf(sent) };
}

async function listed(world: World, sourceId: string, sessionId: string): Promise<Exported[]> {
  const events: Exported[] = [];
  for (let cursor = ""; ; ) {
    const path = `/api/tracking-sources/${sourceId}/events?sessionId=${sessionId}${cursor && `&cursor=${cursor}`}`;
    const { status, body } = await world.ask(path);
    assert.equal(status, 200, JSON.stringify(body));
    events.push(...body.events);
    if (body.nextCursor === null) return events;
    cursor = body.nextCursor;
  }
}

/** Imports the file into a new source of another service, and returns the lines of an export from there. */
async function importAndExport(
  file: string,
  settings: Record<string, string>,
  events = SETS,
): Promise<Exported[]> {
  using data = folder();
  const own = { ...settings, DATA_DIR: data.path };
  await (await serve(own)).stop();
  const run = async (...words: string[]) => {
    const outcome = await headwater(own, ...words);
    assert.equal(outcome.code, 0, outcome.stderr + outcome.stdout);
    return outcome;
  };
  const { sourceId } = (await run("source", "create", "--name", "Copy", "--json")).json();
  assert.equal((await run("import", file, "--source", sourceId, "--json")).json().accepted, events);
  if (settings.WAREHOUSE !== "off") {
    const served = await serve(own);
    await until("no event waits", PATIENCE_MS, async () => {
      const ready = await (await fetch(`${served.url}/readyz`)).json();
      const { warehouse } = ready as { warehouse: { state: string; waitingEvents: number } };
      return warehouse.state === "up" && warehouse.waitingEvents === 0;
    });
    await served.stop();
  }
  return linesOf((await run("export", "--source", sourceId)).stdout);
}

const LARGE = 9_000;
const text = (bytes: number) => "x".repeat(bytes);

test("What ingest accepts is accepted by an import, however large its parts are.", async () => {
  using files = folder();
  await using world = await openWorld({ WAREHOUSE: "off" });
  const source = await world.createSource();
  const sessionId = await world.openSession(source);
  const send = async (event: Record<string, unknown>, context: object | null) => {
    const body = { ...eventsBody(sessionId, [trackEvent(event)]), context };
    const { body: answer } = await world.send(eventsPath(source), body);
    assert.equal(answer.accepted, 1, JSON.stringify(answer));
    return answer.results[0].warnings ?? [];
  };
  const properties = { a: text(8_000), b: text(8_000), c: text(4_000) };
  assert.deepEqual(await send({ id: "batch", properties }, { b: text(14_000) }), []);
  const both = await send({ id: "both", context: { own: text(LARGE) } }, { locale: "de", b: text(LARGE) });
  assert.deepEqual(both, ["context_truncated"]);
  const full = { a: text(8_000), b: text(8_000), c: text(8_000), d: text(8_000) };
  await send({ id: "page", page: { url: `https://shop.example/${text(500)}` }, properties: full }, null);
  const { body } = await world.ask(`/api/export/events?sourceId=${source.sourceId}&format=ndjson`);
  const exported = linesOf(body);
  assert.deepEqual(textsOf(exported).get("both")?.[1], JSON.stringify({ locale: "de", own: text(LARGE) }));
  assert.equal(exported.length, 3);
  const file = files.at("events.ndjson");
  writeFileSync(file, body);
  const imported = await importAndExport(file, { WAREHOUSE: "off" }, exported.length);
  assertSame(imported, textsOf(exported), "import");
});

for (const WAREHOUSE of ["off", "embedded"]) {
  test(`With the warehouse ${WAREHOUSE}, generated properties and contexts come back exactly, every way out.`, async () => {
    using files = folder();
    await using world = await openWorld({ WAREHOUSE });
    const { sourceId, sessionId, sent } = await sendAll(world);
    const exportOf = (format: string) =>
      world.ask(`/api/export/events?sourceId=${sourceId}&format=${format}`);
    await until("every event is in the export", PATIENCE_MS, async () => {
      const { status, body } = await exportOf("ndjson");
      return status === 200 && linesOf(body).length === SETS;
    });
    const [ndjson, csv] = [(await exportOf("ndjson")).body, (await exportOf("csv")).body];
    assertSame(linesOf(ndjson), sent, "NDJSON");
    assertSame(recordsOf(csv), sent, "CSV");
    if (WAREHOUSE !== "off") {
      const parquet = await fetch(`${world.url}/api/export/events?sourceId=${sourceId}&format=parquet`, {
        headers: { authorization: `Bearer ${OWNER_TOKEN}` },
      });
      assertSame(await rowsOfParquet(await parquet.arrayBuffer()), sent, "Parquet");
      for (const [id, [properties]] of textsOf(await listed(world, sourceId, sessionId)))
        assert.equal(properties, sent.get(id)?.[0], `GET …/events: ${id}`);
    }
    for (const [format, text] of Object.entries({ ndjson, csv })) {
      const file = files.at(`events.${format}`);
      writeFileSync(file, text);
      assertSame(await importAndExport(file, { WAREHOUSE }), sent, `import of ${format}`);
    }
  });
}
