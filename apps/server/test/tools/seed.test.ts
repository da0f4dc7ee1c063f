/** `headwater seed`: generated traffic is realistic and reproducible. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type GeneratedVisit, generateVisits, type TrafficPlan } from "../../tools/seed/traffic.ts";
import { headwater } from "../cli/command-line.ts";
import { storedEvents } from "../ledger/reader.ts";
import { DAY, ORIGIN, openWorld } from "../support/world.ts";

const UNTIL = Date.UTC(2026, 10, 21);
const plan = (over: Partial<TrafficPlan> = {}): TrafficPlan => ({
  seed: 1,
  events: 20_000,
  days: 14,
  until: UNTIL,
  site: ORIGIN,
  ...over,
});
const made = (over: Partial<TrafficPlan> = {}): GeneratedVisit[] => [...generateVisits(plan(over))];
const eventsOf = (visits: GeneratedVisit[]) => visits.flatMap(({ events }) => events);
const idsOf = (visits: GeneratedVisit[]) => eventsOf(visits).map(({ event }) => event.id);

describe("generated traffic", () => {
  const visits = made();

  it("is the same for the same plan, and has other ids for another plan", () => {
    assert.deepEqual(made(), visits);
    const known = new Set(idsOf(visits));
    for (const over of [{ seed: 2 }, { events: 19_999 }, { days: 13 }, { until: UNTIL + 1 }])
      assert.ok(!idsOf(made(over)).some((id) => known.has(id)), JSON.stringify(over));
  });

  it("has the requested number of events, each with its own id and within the days", () => {
    const all = eventsOf(visits);
    assert.equal(all.length, 20_000);
    assert.equal(new Set(idsOf(visits)).size, 20_000);
    assert.ok(all.every(({ at }) => at >= UNTIL - 14 * DAY && at < UNTIL));
    assert.ok(all.every(({ at, event }) => event.timestamp === new Date(at).toISOString()));
    assert.equal(made({ events: 1 }).length, 1);
  });

  it("has a few popular pages, returning visitors, campaigns, bots, users and tracked events", () => {
    const events = eventsOf(visits).map(({ event }) => event);
    const views = Map.groupBy(events, ({ page }) => page!.path!);
    const counts = [...views.values()].map(({ length }) => length).sort((one, other) => other - one);
    assert.ok(
      counts.length > 100 && counts[0]! > 10 * counts[50]!,
      `${counts.length} ${counts[0]} ${counts[50]}`,
    );
    const visitors = new Set(visits.map(({ visitor }) => visitor.anonymousId));
    const share = (count: number) => count / visits.length;
    const between = (value: number, min: number, max: number) =>
      assert.ok(value > min && value < max, `${value}`);
    between(share(visitors.size), 0.5, 0.7);
    between(share(visits.filter(({ visitor }) => visitor.isBot).length), 0.02, 0.07);
    between(share(visits.filter(({ visitor }) => visitor.userId).length), 0.08, 0.22);
    between(
      share(visits.filter(({ events: own }) => own[0]!.event.page!.url!.includes("utm_")).length),
      0.08,
      0.2,
    );
    between(events.filter(({ type }) => type === "track").length / events.length, 0.1, 0.25);
  });

  it("is busier by day than by night, and on a Tuesday than on a Sunday", () => {
    const at = eventsOf(visits).map((one) => new Date(one.at));
    const inHour = (hour: number) => at.filter((time) => time.getUTCHours() === hour).length;
    const onDay = (day: number) => at.filter((time) => time.getUTCDay() === day).length;
    assert.ok(inHour(15) > 3 * inHour(3));
    assert.ok(onDay(2) > onDay(0));
  });
});

describe("headwater seed --url", () => {
  it("sends events to ingest; a second run stores nothing new", async () => {
    await using world = await openWorld();
    const { publicKey } = await world.createSource();
    const words = [
      "seed",
      "--url",
      world.url,
      "--key",
      publicKey,
      "--events",
      "150",
      "--days",
      "2",
      "--json",
    ];
    const { code, stderr, json } = await headwater({}, ...words);
    assert.equal(code, 0, stderr);
    const { accepted, duplicates, rejected, intoWarehouse } = json();
    assert.deepEqual([accepted, duplicates, rejected, intoWarehouse], [150, 0, 0, 0]);
    const again = (await headwater({}, ...words)).json();
    assert.deepEqual([again.accepted, again.duplicates], [0, 150]);
    assert.equal(storedEvents(world.dataDir).length, 150);
  });

  it("reports refused requests and invalid options", async () => {
    await using world = await openWorld();
    const { publicKey } = await world.createSource({ allowedOrigins: [] });
    const target = ["--url", world.url, "--key", publicKey];
    const refusals: [string[], number, RegExp][] = [
      [target, 1, /refused the request \(403\): The origin .* is not allowed/],
      [[...target, "--days", "0"], 64, /--days must be a whole number from 1/],
      [[...target, "--until", "2099-01-01"], 64, /--until must not lie in the future/],
      [[...target, "--to-warehouse"], 64, /^Give either --to-warehouse, or --url and --key\./],
      [["--to-warehouse"], 64, /^Missing option --source/],
      [["--url", world.url], 64, /^Missing option --key/],
      [
        [...target, "--days", "500"],
        64,
        /before .* are written to the warehouse\.\s*Missing option --source/,
      ],
    ];
    for (const [words, wanted, sentence] of refusals) {
      const { code, stderr } = await headwater({}, "seed", ...words);
      assert.deepEqual([code, sentence.test(stderr)], [wanted, true], `${words.join(" ")}: ${stderr}`);
    }
  });
});
