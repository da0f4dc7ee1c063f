/** NUL and lone surrogates become U+FFFD before anything is stored or derived, whichever way a text comes in and goes out. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { folder, headwater } from "../cli/command-line.ts";
import { linesOf, recordsOf, rowsOfParquet } from "../export/exported.ts";
import { until } from "../support/until.ts";
import {
  eventsBody,
  eventsPath,
  ORIGIN,
  OWNER_TOKEN,
  openWorld,
  pageEvent,
  trackEvent,
  type World,
} from "../support/world.ts";

const data = folder();
const settings = { DATA_DIR: data.at("data"), WAREHOUSE: "embedded" };
let world: World;
// biome-ignore lint/suspicious/noExplicitAny: a test reads the fields that it expects
let source: any;

/** The text of a body in which `@0` and `@1` are escapes of NUL and of half of a surrogate pair. */
const poisoned = (body: unknown) =>
  JSON.stringify(body).replaceAll("@0", "\\u0000").replaceAll("@1", "\\udc00");

/** The page's query has encoded NULs, even beside a secret that masking decodes. */
const QUERY = "utm_source=a%00b&ref=%00x&note=%00password%3Dhunter2hunter2";
const EXPECTED = { id: "one", name: "n\ufffdm", properties: { "k\ufffd": ["x\ufffdy", "\ufffd"] } };

before(async () => {
  world = await openWorld(settings, {}, settings.DATA_DIR);
  source = await world.createSource();
  const sessionId = await world.openSession(source, { anonymousId: "v1" });
  const events = [
    trackEvent({ id: "one", name: "n@1m", properties: { "k@0": ["x@1y", "@0"] } }),
    pageEvent({ id: "two", page: { url: `${ORIGIN}/a?${QUERY}`, title: "t@0@1", path: null } }),
  ];
  const body = eventsBody(sessionId, events, { anonymousId: "v1", userId: "u@0", context: { "c@1": "@0" } });
  const sent = await world.send(eventsPath(source), poisoned(body));
  assert.equal(sent.body.accepted, 2, JSON.stringify(sent.body));
});
after(async () => {
  await world.close();
  data[Symbol.dispose]();
});

const stringsOf = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  // the debug view shows the body as it was sent
  const members = Object.entries(value).filter(([name]) => name !== "raw");
  return members.flat().flatMap(stringsOf);
};
function assertStorable(value: unknown, way: string): void {
  for (const text of stringsOf(value)) {
    assert.ok(text.isWellFormed() && !text.includes("\0"), `${way}: ${JSON.stringify(text)}`);
    // the warehouse stores these as JSON
    if (/^[{[]/.test(text)) assertStorable(JSON.parse(text), way);
  }
}

const exportOf = async (sourceId: string, format = "ndjson") =>
  fetch(`${world.url}/api/export/events?sourceId=${sourceId}&format=${format}`, {
    headers: { authorization: `Bearer ${OWNER_TOKEN}` },
  });
const untilShipped = (sourceId: string, count: number) =>
  until("the events are in the warehouse", async () => {
    const answer = await exportOf(sourceId);
    return answer.status === 200 && linesOf(await answer.text()).length === count;
  });

test("Events of our API, another tool's client and an imported file are the same in every format.", async () => {
  const cvar = encodeURIComponent('{"1":["c\\u0000","\\udc00"]}');
  const matomo = `/api/compat/${source.publicKey}/matomo/matomo.php?idsite=1&rec=1&_id=0123456789abcdef&e_c=a%00&e_a=${encodeURIComponent("did it")}%00&cvar=${cvar}`;
  const tracked = await fetch(world.url + matomo, { headers: { origin: ORIGIN } });
  assert.equal(tracked.status, 200, await tracked.text());
  await untilShipped(source.sourceId, 3);
  const exported = async (format: string) => exportOf(source.sourceId, format);
  const files = {
    ndjson: await (await exported("ndjson")).text(),
    csv: await (await exported("csv")).text(),
  };
  const ways = {
    NDJSON: linesOf(files.ndjson),
    CSV: recordsOf(files.csv),
    Parquet: await rowsOfParquet(await (await exported("parquet")).arrayBuffer()),
  };
  const propertiesOf = ({ properties }: ReturnType<typeof linesOf>[number]) =>
    typeof properties === "string" ? JSON.parse(properties) : properties;
  for (const [way, rows] of Object.entries(ways)) {
    assert.equal(rows.length, 3, way);
    assertStorable(rows, way);
    const one = rows.find(({ eventId }) => eventId === EXPECTED.id)!;
    assert.deepEqual([one.name, one.userId], [EXPECTED.name, "u\ufffd"], way);
    assert.deepEqual(propertiesOf(one), EXPECTED.properties, way);
    const two = rows.find(({ eventId }) => eventId === "two")!;
    assert.equal(way === "NDJSON" ? two.page.utm.source : two.utmSource, "a\ufffdb", way);
    const other = rows.find(({ name }) => name === "did it\ufffd")!;
    assert.deepEqual(propertiesOf(other), { category: "a\ufffd", "c\ufffd": "\ufffd" }, way);
  }
  // files of other programs have the escapes themselves
  const poisonedFiles = {
    ndjson: files.ndjson.replaceAll("\ufffd", "\\u0000"),
    csv: files.csv.replace("k\ufffd", "k\\u0000").replace("y\ufffd", "y\\udc00"),
  };
  const targets = await Promise.all(Object.keys(files).map(async () => world.createSource()));
  await world.close();
  for (const [index, [format, text]] of Object.entries(poisonedFiles).entries()) {
    const file = data.at(`events.${format}`);
    writeFileSync(file, text);
    const words = ["import", file, "--source", targets[index].sourceId, "--json"];
    const { code, stdout, stderr } = await headwater(settings, ...words);
    assert.equal(code, 0, stdout + stderr);
  }
  world = await openWorld(settings, {}, settings.DATA_DIR);
  for (const { sourceId } of targets) {
    await untilShipped(sourceId, 3);
    const rows = linesOf(await (await exportOf(sourceId)).text());
    const names = rows.map(({ name }) => name);
    assert.deepEqual(names.toSorted(), [EXPECTED.name, "did it\ufffd", "page_view"].toSorted());
    assertStorable(rows, "imported");
  }
});

test("The debug view, the list of events, stats and the catalogue hold no other characters.", async () => {
  const { sourceId } = source;
  await until("both events are in the warehouse", async () => {
    const { body } = await world.ask(`/api/tracking-sources/${sourceId}/events?anonymousId=v1`);
    return body.events?.length === 2;
  });
  const path = `/api/tracking-sources/${sourceId}`;
  const listed = (await world.ask(`${path}/events?anonymousId=v1`)).body;
  assert.equal(listed.events.length, 2);
  const query = (dimension: string) =>
    world.ask("/api/stats/query", {
      method: "POST",
      body: { sourceId, dateRange: "7d", metrics: ["events"], dimensions: [dimension] },
    });
  const ways = {
    "the list of events": listed,
    "the debug view": (await world.ask(`${path}/debug?kind=events`)).body,
    "names of events": (await query("event")).body,
    properties: (
      await world.ask("/api/stats/properties", { method: "POST", body: { sourceId, dateRange: "7d" } })
    ).body,
    sources: (await query("utmSource")).body,
    "the catalogue": (await world.ask(`${path}/catalog`)).body,
  };
  for (const [way, body] of Object.entries(ways)) assertStorable(body, way);
});
