/** `headwater lists`, and the file that wins over the built-in lists of sources. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { storedEvent } from "../ledger/reader.ts";
import { eventsBody, eventsPath, ORIGIN, openWorld, pageEvent } from "../support/world.ts";
import { headwaterHere } from "./command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "headwater-lists-"));
after(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const SOURCES = JSON.stringify({ "intranet.example": { source: "Intranet", medium: "email" } });

test("The command shows each list with its version, its entries and the setting that replaces it.", async () => {
  const settings = {
    DATA_DIR: join(folder, "none"),
    SOURCES_FILE: file("sources.json", SOURCES),
    DATA_CENTRES_FILE: file("centres.txt", "# clouds\n203.0.113.0/24\n\n2001:db8::/32\n"),
  };
  const { code, stdout, json } = await headwaterHere(settings, "lists", "--json");
  assert.equal(code, 0, stdout);
  const { lists } = json();
  const own = lists.find(({ from }: { from: string }) => from === settings.DATA_CENTRES_FILE);
  assert.match(own.version, /^[0-9a-f]{12}$/);
  assert.match(own.date, /^20\d\d-/);
  assert.deepEqual([own.list, own.entries, own.override], ["data centres", 2, "DATA_CENTRES_FILE"]);
  const names = lists.map(({ list, override }: { list: string; override: string }) => `${list} ${override}`);
  assert.deepEqual(names, [
    ...Array<string>(3).fill("sources SOURCES_FILE"),
    "public suffixes null",
    "bots null",
    "devices null",
    "data centres DATA_CENTRES_FILE",
    "referrer spam REFERRER_SPAM_FILE",
    "places GEOIP_FILE",
  ]);
  const table = (await headwaterHere(settings, "lists")).stdout;
  assert.match(table, /^LIST +FROM +VERSION +DATE +ENTRIES +SETTING$/m);
  assert.match(table, /^referrer spam +none +- +- +0 +REFERRER_SPAM_FILE$/m);
});

test("SOURCES_FILE names sources; a file of another form is refused at the start.", async () => {
  await using world = await openWorld({ SOURCES_FILE: file("named.json", SOURCES) });
  const source = await world.createSource();
  const sessionId = await world.openSession(source);
  const event = pageEvent({ page: { url: ORIGIN, referrer: "https://wiki.intranet.example/" } });
  await world.send(eventsPath(source), eventsBody(sessionId, [event]));
  const { source: name, channel } = storedEvent(world.dataDir, event.id);
  assert.deepEqual([name, channel], ["Intranet", "Email"]);

  const wrong = { DATA_DIR: join(folder, "none"), SOURCES_FILE: file("wrong.json", "[]") };
  const { code, stderr } = await headwaterHere(wrong, "lists");
  assert.equal(code, 78);
  assert.match(stderr, /SOURCES_FILE .*is not a list of referrers such as/);
});
