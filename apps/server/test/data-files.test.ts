/** `headwater export` and `headwater import` without a warehouse: an export can be imported again, each event once. */
import assert from "node:assert/strict";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { truncateToWholeLines } from "../tools/export/resume.ts";
import { csvRecords, ndjsonRecords } from "../tools/import/records.ts";
import { folder, headwater, headwaterHere } from "./cli/command-line.ts";
import { linesOf } from "./export/exported.ts";
import {
  DAY,
  eventsBody,
  eventsPath,
  MINUTE,
  ORGANIZATION_ID,
  OWNER_TOKEN,
  openWorld,
  pageEvent,
  trackEvent,
} from "./support/world.ts";

const now = Date.now();
const at = (minutesAgo: number) => ({ timestamp: new Date(now - minutesAgo * MINUTE).toISOString() });

/** A service and a source that has events of every kind. */
async function openShop() {
  const place = folder();
  const world = await openWorld();
  const source = await world.createSource({ name: "Data shop" });
  const events = [
    pageEvent({
      ...at(40),
      page: { url: "https://shop.example/a?gclid=1&utm_source=x", title: '=SUM("1", 2)' },
    }),
    pageEvent({ ...at(30), page: { path: "/ü", referrer: "https://a.example/x" } }),
    trackEvent({
      ...at(20),
      name: `@buy;=2;''=3;"-4`,
      properties: { "a.b": [1, null, { c: "'=1" }], price: 1.5 },
    }),
    trackEvent({
      ...at(10),
      properties: null,
      context: { locale: "fr-FR", screen: { width: 1, height: 2 } },
    }),
  ];
  const over = { userId: "user-1", context: { locale: "de-DE", timezone: "Europe/Berlin" } };
  const sessionId = await world.openSession(source);
  const reply = await world.send(eventsPath(source), eventsBody(sessionId, events, over));
  assert.equal(reply.body.accepted, 4);
  const minted = {
    organizationId: ORGANIZATION_ID,
    label: "server",
    scope: "ingest",
    sourceId: source.sourceId,
  };
  const { token } = (await world.ask("/api/tokens", { method: "POST", body: minted })).body;
  // a server's event with the id of a page's
  const fromServer = await world.send(eventsPath(source), eventsBody(sessionId, events.slice(3)), {
    authorization: `Bearer ${token}`,
  });
  assert.equal(fromServer.body.accepted, 1);
  writeFileSync(place.at("token"), `${OWNER_TOKEN}\n`);
  for (const format of ["ndjson", "csv"]) {
    const { body } = await world.ask(`/api/export/events?sourceId=${source.sourceId}&format=${format}`);
    writeFileSync(place.at(`known.${format}`), body);
  }
  return {
    world,
    source: source as { sourceId: string },
    file: (name: string) => place.at(name),
    text: (name: string) => readFileSync(place.at(name), "utf8"),
    // an export without --out prints while it runs
    run: (...words: string[]) =>
      (words.includes("--out") || words[0] !== "export" ? headwaterHere : headwater)(
        { DATA_DIR: world.dataDir },
        ...words,
      ),
    close: async () => {
      await world[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}
type Shop = Awaited<ReturnType<typeof openShop>>;

describe("headwater export", () => {
  let shop: Shop;
  before(async () => {
    shop = await openShop();
  });
  after(() => shop.close());

  it("exports from the service, and resumes an interrupted export", async () => {
    const { world, source, file, text, run } = shop;
    for (const format of ["ndjson", "csv"]) {
      const out = `whole.${format}`;
      const words = ["export", "--source", source.sourceId, "--format", format, "--out", file(out)];
      const from = ["--api", world.url, "--token-file", file("token")];
      assert.equal((await run(...words, ...from)).code, 0);
      const whole = text(out);
      assert.equal(whole, text(`known.${format}`));
      const { code, stderr } = await run(...words, ...from);
      assert.deepEqual([code, /already exists/.test(stderr)], [1, true], stderr);
      truncateSync(file(out), whole.length - 20);
      const again = await run(...words, ...from, "--resume", "--json");
      assert.equal(again.code, 0, again.stderr);
      assert.equal(text(out), whole);
    }
  });

  it("resumes after the last whole line, or starts again when there is none", () => {
    const { file, text } = shop;
    for (const format of ["ndjson", "csv"] as const) {
      const whole = text(`known.${format}`);
      const events = whole.split(/^(?=\{"|evt_)/m);
      const head = format === "csv" ? events.shift()! : "";
      const [first, second] = events as [string, string];
      const cut = (left: number) => {
        writeFileSync(file("cut"), whole.slice(0, left));
        return [truncateToWholeLines(file("cut"), format), text("cut")];
      };
      const idOf = (line: string) => /evt_[0-9a-f]{32}/.exec(line)![0];
      const one = head + first;
      assert.deepEqual(cut(one.length), [idOf(first), one]);
      assert.deepEqual(cut(one.length + 50), [idOf(first), one]);
      assert.deepEqual(cut(one.length + second.length), [idOf(second), one + second]);
      for (const left of [0, 3, head.length, one.length - 1]) assert.deepEqual(cut(left), [null, ""]);
    }
  });

  it("does not change a file that is not an export", () => {
    const { file, text } = shop;
    const strange = [
      "my notes",
      "my notes\nand more\n",
      '{"a":1,"analyticsEventId":"evt_0"}\n',
      "a,b\n1,2\n",
    ];
    for (const content of strange) {
      writeFileSync(file("notes"), content);
      for (const format of ["ndjson", "csv"] as const)
        assert.throws(() => truncateToWholeLines(file("notes"), format), /is not an export/);
      assert.equal(text("notes"), content);
    }
    const known = text("known.ndjson");
    assert.throws(() => truncateToWholeLines(file("known.ndjson"), "csv"), /is not an export in csv/);
    assert.equal(text("known.ndjson"), known);
  });

  it("exports directly from the ledger to standard output while the service runs", async () => {
    const { source, text, run } = shop;
    const { stdout, code } = await run("export", "--source", source.sourceId);
    assert.deepEqual([code, stdout], [0, text("known.ndjson")]);
  });

  it("takes the name or the slug of a source in place of its id", async () => {
    const { world, source, file, text, run } = shop;
    await world.createSource({ name: "src_shop" });
    for (const words of [[], ["--api", world.url, "--token-file", file("token")]]) {
      for (const given of ["Data shop", "DATA-SHOP"]) {
        const { stdout, stderr } = await run("export", "--source", given, ...words);
        assert.equal(stdout, text("known.ndjson"), stderr);
      }
      const { code, stderr } = await run("export", "--source", "Elsewhere", ...words);
      assert.equal(code, 1);
      assert.match(stderr, /^There is no source "Elsewhere"\. Run `npx headwater source list`/);
      const { code: named, stdout } = await run("export", "--source", "src_shop", ...words);
      assert.deepEqual([named, stdout], [0, ""], "a name that begins like an id");
      const wrong = await run("export", "--source", source.sourceId, "--organization", "Nowhere", ...words);
      assert.match(wrong.stderr, /^There is no workspace "Nowhere"\. Run `npx headwater workspace list`/);
    }
  });

  it("reports invalid options and failed requests", async () => {
    const { world, source, file, run } = shop;
    const words = ["export", "--source", source.sourceId];
    writeFileSync(file("wrong"), "hw_wrong\n");
    const refusals: [string[], number, RegExp][] = [
      [
        ["export", "--source", "src_none"],
        1,
        /There is no source "src_none"\. Run `npx headwater source list`/,
      ],
      [[...words, "--from", "soon"], 64, /--from must be a valid day or time/],
      [[...words, "--resume"], 64, /--resume needs --out/],
      [
        [...words, "--resume", "--format", "parquet", "--out", file("p")],
        64,
        /--resume does not work with Parquet/,
      ],
      [[...words, "--api", world.url, "--token-file", file("none")], 64, /cannot be read \(ENOENT\)/],
      [[...words, "--api", "http://127.0.0.1:9", "--token-file", file("token")], 1, /does not answer/],
      [
        [...words, "--api", world.url, "--token-file", file("wrong")],
        1,
        /^The service refused the request \(401 invalid_token\): .*\. /,
      ],
      [["import", file("known.ndjson"), "--source", source.sourceId], 78, /Another Headwater process serves/],
    ];
    for (const [line, wanted, sentence] of refusals) {
      const { code, stderr } = await run(...line);
      assert.deepEqual([code, sentence.test(stderr)], [wanted, true], `${line.join(" ")}: ${stderr}`);
    }
  });
});

describe("headwater import", () => {
  let shop: Shop;
  let copies: { sourceId: string }[];
  before(async () => {
    shop = await openShop();
    copies = [await shop.world.createSource(), await shop.world.createSource()];
    await shop.world.close();
  });
  after(() => shop.close());

  it("imports an export into the same and into another source, each event once and unchanged", async () => {
    const { source, file, text, run } = shop;
    const counts = async (name: string, sourceId: string) => {
      const { code, stderr, json } = await run("import", file(name), "--source", sourceId, "--json");
      assert.equal(code, 0, stderr);
      const { accepted, duplicates, rejected } = json();
      return [accepted, duplicates, rejected];
    };
    assert.deepEqual(await counts("known.ndjson", source.sourceId), [0, 5, 0]);
    assert.deepEqual(await counts("known.ndjson", "data shop"), [0, 5, 0]);
    const known = linesOf(text("known.ndjson"));
    for (const [index, { sourceId }] of copies.entries()) {
      const name = index === 0 ? "known.ndjson" : "known.csv";
      assert.deepEqual(await counts(name, sourceId), [5, 0, 0]);
      assert.deepEqual(await counts("known.csv", sourceId), [0, 5, 0]);
      const rows = linesOf((await run("export", "--source", sourceId)).stdout);
      const own = (row: object) => ({ ...row, analyticsEventId: null, sourceId: null });
      assert.deepEqual(rows.map(own), known.map(own), name);
    }
  });

  it("applies the rules for events, and reports each rejected event with its line", async () => {
    const { source, file, run } = shop;
    const good = {
      eventId: "good",
      type: "track",
      name: "a",
      timestamp: new Date(now).toISOString(),
      sessionId: "s",
      anonymousId: "v",
    };
    const lines = [
      JSON.stringify(good),
      "{",
      "",
      JSON.stringify({ ...good, eventId: "" }),
      JSON.stringify({ ...good, eventId: "x", sessionId: null }),
      JSON.stringify({ ...good, eventId: "x", type: "identify" }),
      JSON.stringify({ ...good, eventId: "x", occurredAt: "yesterday" }),
      JSON.stringify({ ...good, eventId: "x", timestamp: new Date(now + 3 * DAY).toISOString() }),
      JSON.stringify({ ...good, eventId: "x", timestamp: "2020-01-01T00:00:00Z" }),
      JSON.stringify(good),
      "[]",
    ];
    writeFileSync(file("mixed"), lines.join("\r\n"));
    const { code, json } = await run("import", file("mixed"), "--source", source.sourceId, "--json");
    const { accepted, duplicates, rejected, rejectedLines } = json();
    assert.deepEqual([code, accepted, duplicates, rejected], [1, 1, 1, 8]);
    const named = rejectedLines.map((one: { line: number; code: string }) => `${one.line} ${one.code}`);
    assert.deepEqual(named.sort(), [
      "11 invalid_event",
      "2 invalid_event",
      "4 invalid_event",
      "5 invalid_event",
      "6 unsupported_event_type",
      "7 invalid_event",
      "8 timestamp_in_future",
      "9 timestamp_too_old",
    ]);
    const csv =
      'id,type,name,timestamp,sessionId,anonymousId,note\n1,track,"two\nlines",TIME,s,v,x\n2,track,a,TIME,s,v\n';
    writeFileSync(file("own.csv"), csv.replaceAll("TIME", good.timestamp));
    const own = (await run("import", file("own.csv"), "--source", source.sourceId, "--json")).json();
    assert.deepEqual([own.accepted, own.rejected, own.rejectedLines[0].line], [1, 1, 4]);
    writeFileSync(file("open.csv"), 'id,type\n"1,track\n');
    const open = await run("import", file("open.csv"), "--source", source.sourceId);
    assert.match(open.stderr, /quote of the record in line 2 is not closed/);
  });
});

describe("a file of events that begins with a byte order mark", () => {
  for (const [what, records, text] of [
    ["NDJSON", ndjsonRecords, '\ufeff{"id":"1"}\r\n{"id":"2"}\r\n'],
    ["CSV", csvRecords, "\ufeffid\r\n1\r\n2\r\n"],
  ] as const)
    it(`is read from its first record: ${what}`, async () => {
      async function* chunks() {
        yield* text;
      }
      const found = await Array.fromAsync(records(chunks()), ({ row }) => row);
      assert.deepEqual(found, [{ id: "1" }, { id: "2" }]);
    });
});

describe("a CSV file of events", () => {
  const rows = async (text: string) => {
    async function* chunks() {
      yield text;
    }
    const records = [];
    for await (const { row, problem } of csvRecords(chunks())) records.push(row ?? problem);
    return records;
  };

  it("may have empty fields, even the first and the last", async () => {
    assert.deepEqual(await rows('eventId,name,userId\n,a,b\n1,,\n,"",x\n'), [
      { eventId: null, name: "a", userId: "b" },
      { eventId: "1", name: null, userId: null },
      { eventId: null, name: null, userId: "x" },
    ]);
  });

  it("is rejected in a row with text after a closing quote", async () => {
    assert.deepEqual(await rows('eventId,name\n1,"a"bc\n2,"a""b"\n3,"a" \n'), [
      "There is text after the closing quote of a field.",
      { eventId: "2", name: 'a"b' },
      "There is text after the closing quote of a field.",
    ]);
    await assert.rejects(rows('"eventId"x,name\n1,a\n'), /The header of the file cannot be read/);
  });

  it("may have a column with the name of a group of columns, which is ignored", async () => {
    assert.deepEqual(await rows("page,url,title\nx,https://a.example/,T\n").then((all) => all.length), 1);
  });
});
