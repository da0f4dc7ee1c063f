/** `properties` and `context` come back with the same values, names and order, whichever way an event leaves. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { folder, headwaterHere } from "../cli/command-line.ts";
import { linesOf, recordsOf, rowsOfParquet } from "../export/exported.ts";
import { until } from "../support/until.ts";
import { eventsBody, eventsPath, OWNER_TOKEN, openWorld, trackEvent, type World } from "../support/world.ts";

const hasPostgres = existsSync("/usr/lib/postgresql");
const SETS = process.env.TEST_LONG ? 200 : 80;
const SEED = 36;

const ODD_NAMES = [
  "a",
  "b",
  "a.b",
  "a.b.c",
  "a.0",
  "0",
  "10",
  "2",
  "01",
  "-1",
  "4294967294",
  "4294967295",
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

const atDepth = (levels: number): string => (levels === 1 ? '{"in":1}' : `{"in":${atDepth(levels - 1)}}`);
/** What JSON in JavaScript changes (docs/api/ingest.md, Bodies): `properties` and `context` as sent, and as stored. */
const CHANGED: readonly (readonly [string, string])[] = [
  [
    '{"b":1,"10":2,"0":3,"a":4,"2":{"1":5,"x":6,"0":7},"01":8,"-1":9,"4294967295":10,"4294967294":11}',
    '{"0":3,"2":{"0":7,"1":5,"x":6},"10":2,"4294967294":11,"b":1,"a":4,"01":8,"-1":9,"4294967295":10}',
  ],
  [
    '{"n":[1.0,-0,0.10,1E+2,12345678901234567890,9007199254740993,1e-400,1e400,-1e400]}',
    '{"n":[1,0,0.1,100,12345678901234567000,9007199254740992,0,null,null]}',
  ],
  [atDepth(10), atDepth(10)],
  // the viewport of the event is read from it
  ['{"screen":{"innerWidth":800,"innerHeight":600}}', '{"screen":{"innerWidth":800,"innerHeight":600}}'],
];

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

const PER_BATCH = 10;

/** The body as text, because JSON.stringify would change what is in it. */
const bodyOf = (
  sessionId: string,
  events: readonly { id: string; properties: string; context: string }[],
) => {
  const texts = events.map(({ id, properties, context }) => {
    const event = JSON.stringify(trackEvent({ id }));
    return `${event.slice(0, -1)},"properties":${properties},"context":${context}}`;
  });
  return JSON.stringify(eventsBody(sessionId, [])).replace('"events":[]', `"events":[${texts}]`);
};

/** Sends the generated sets and those that JavaScript changes. `sent`: the texts that must come back. */
async function sendAll(world: World) {
  const source = await world.createSource();
  const sessionId = await world.openSession(source);
  const sets = fc.sample(eventData, { numRuns: SETS, seed: SEED });
  const changed = CHANGED.map(([text]) => [text, text] as const);
  const events = [...sets, ...changed].map(([properties, context], index) => ({
    id: `e${index}`,
    properties,
    context,
  }));
  for (let start = 0; start < events.length; start += PER_BATCH) {
    const batch = events.slice(start, start + PER_BATCH);
    const { body } = await world.send(eventsPath(source), bodyOf(sessionId, batch));
    assert.equal(body.accepted, batch.length, JSON.stringify(body).slice(0, 500));
    for (const { eventId, warnings } of body.results)
      assert.deepEqual(warnings, eventId === `e${SETS + 1}` ? ["number_not_finite"] : []);
  }
  const sent = textsOf(
    events.map(({ id, properties, context }) => ({
      eventId: id,
      properties: JSON.parse(properties) ?? {},
      context: JSON.parse(context),
    })),
  );
  for (const [index, [, stored]] of CHANGED.entries()) sent.set(`e${SETS + index}`, [stored, stored]);
  return { sourceId: String(source.sourceId), sessionId, sent };
}

/** The events of the debug view: as they were sent, and in their normal form. */
async function shown(world: World, sourceId: string): Promise<{ raw: Exported[]; normalized: Exported[] }> {
  const { status, body } = await world.ask(`/api/tracking-sources/${sourceId}/debug?kind=events&limit=100`);
  assert.equal(status, 200, JSON.stringify(body));
  const attempts: { raw: { events: Exported[] }; normalized: Exported[]; truncated: boolean }[] =
    body.eventAttempts;
  assert.ok(attempts.every(({ truncated }) => !truncated));
  return {
    raw: attempts
      .flatMap(({ raw }) => raw.events)
      .map(({ id, properties, context }) => ({ eventId: id, properties: properties ?? {}, context })),
    normalized: attempts
      .flatMap(({ normalized }) => normalized)
      .map(({ properties, ...event }) => ({ ...event, properties: properties ?? {} })),
  };
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

/** Imports each file into a new source of another service, and returns the lines of the exports from there. */
async function importAndExport(
  files: readonly string[],
  settings: Record<string, string>,
  events = SETS + CHANGED.length,
): Promise<Exported[][]> {
  using data = folder();
  const own = { ...settings, DATA_DIR: data.path };
  const open = () => openWorld(settings, {}, data.path);
  const sourceIds: string[] = [];
  const first = await open();
  for (const _ of files) sourceIds.push((await first.createSource()).sourceId);
  await first.close();
  const run = async (...words: string[]) => {
    const outcome = await headwaterHere(own, ...words);
    assert.equal(outcome.code, 0, outcome.stderr + outcome.stdout);
    return outcome;
  };
  for (const [index, file] of files.entries()) {
    const imported = await run("import", file, "--source", sourceIds[index]!, "--json");
    assert.equal(imported.json().accepted, events);
  }
  if (settings.WAREHOUSE !== "off") {
    const shipping = await open();
    await until("no event waits", async () => {
      const { warehouse } = (await shipping.ask("/readyz", { token: null })).body;
      return warehouse.state === "up" && warehouse.waitingEvents === 0;
    });
    await shipping.close();
  }
  const exported: Exported[][] = [];
  for (const sourceId of sourceIds) {
    const out = data.at(sourceId);
    await run("export", "--source", sourceId, "--out", out);
    exported.push(linesOf(readFileSync(out, "utf8")));
  }
  return exported;
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
  const [imported] = await importAndExport([file], { WAREHOUSE: "off" }, exported.length);
  assertSame(imported!, textsOf(exported), "import");
});

test("Names with escapes come back exactly beside others that begin with the same characters.", async () => {
  await using world = await openWorld({ WAREHOUSE: "off" });
  const source = await world.createSource();
  const sessionId = await world.openSession(source);
  const names = ['"\\\\"', '"\\""', '"\\n"', '"\\\\u00"', '"übe"'];
  const sent = ['"\\\\"', '"\\""', '"\\n"', '"\\\\u00"', '"\\u00fcbe"'];
  const textOf = (list: string[]) => `{${list.map((name, index) => `"o${index}":{"first":1,${name}:2}`)}}`;
  const event = { id: "one", properties: textOf(sent), context: textOf(sent) };
  const { body } = await world.send(eventsPath(source), bodyOf(sessionId, [event]));
  assert.equal(body.accepted, 1, JSON.stringify(body));
  const exportOf = async (format: string) =>
    (await world.ask(`/api/export/events?sourceId=${source.sourceId}&format=${format}`)).body;
  const [ndjson, csv] = [await exportOf("ndjson"), await exportOf("csv")];
  for (const member of ["properties", "context"])
    assert.ok(ndjson.includes(`"${member}":${textOf(names)}`), `${member}: ${ndjson}`);
  assert.equal(csv.split(`"${textOf(names).replaceAll('"', '""')}"`).length, 3, csv);
});

for (const WAREHOUSE of ["off", "embedded"]) {
  test(`With the warehouse ${WAREHOUSE}, generated properties and contexts come back exactly, every way out.`, async () => {
    using files = folder();
    await using world = await openWorld({ WAREHOUSE });
    const { sourceId, sessionId, sent } = await sendAll(world);
    const { raw, normalized } = await shown(world, sourceId);
    assertSame(raw, sent, "raw of the debug view");
    assertSame(normalized, sent, "normalized of the debug view");
    const exportOf = (format: string) =>
      world.ask(`/api/export/events?sourceId=${sourceId}&format=${format}`);
    await until("every event is in the export", async () => {
      const { status, body } = await exportOf("ndjson");
      return status === 200 && linesOf(body).length === sent.size;
    });
    const [ndjson, csv] = [(await exportOf("ndjson")).body, (await exportOf("csv")).body];
    assertSame(linesOf(ndjson), sent, "NDJSON");
    assertSame(recordsOf(csv), sent, "CSV");
    for (const [, stored] of CHANGED)
      for (const member of ["properties", "context"])
        assert.ok(ndjson.includes(`"${member}":${stored}`), `${member}: the text ${stored}`);
    if (WAREHOUSE !== "off") {
      const parquet = await fetch(`${world.url}/api/export/events?sourceId=${sourceId}&format=parquet`, {
        headers: { authorization: `Bearer ${OWNER_TOKEN}` },
      });
      assertSame(await rowsOfParquet(await parquet.arrayBuffer()), sent, "Parquet");
      assertSame(await listed(world, sourceId, sessionId), sent, "GET …/events");
    }
    writeFileSync(files.at("events.ndjson"), ndjson);
    writeFileSync(files.at("events.csv"), csv);
    const assertImports = async (settings: Record<string, string>, where = "") => {
      const both = [files.at("events.ndjson"), files.at("events.csv")];
      const [fromNdjson, fromCsv] = await importAndExport(both, { WAREHOUSE, ...settings });
      assertSame(fromNdjson!, sent, `import of NDJSON${where}`);
      assertSame(fromCsv!, sent, `import of CSV${where}`);
    };
    await assertImports({ DATABASE_URL: "" });
    if (WAREHOUSE !== "off" || !hasPostgres) return;
    const { createDatabase } = await import("../postgres/databases.ts");
    const database = await createDatabase();
    await assertImports({ DATABASE_URL: database.url }, " on PostgreSQL");
    await database.remove();
  });
}
