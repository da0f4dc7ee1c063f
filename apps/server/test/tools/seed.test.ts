/** `headwater seed`: generated traffic is realistic and reproducible. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { describe, it } from "node:test";
import { comingVisits } from "../../tools/seed/demo-shop.ts";
import { toShopVisit } from "../../tools/seed/shop-visits.ts";
import { type GeneratedVisit, generateVisits, type TrafficPlan } from "../../tools/seed/traffic.ts";
import { BIN, folder, headwater } from "../cli/command-line.ts";
import { storedEvents } from "../ledger/reader.ts";
import { until } from "../support/until.ts";
import { DAY, ORIGIN, openWorld } from "../support/world.ts";

/** Of a purchase. */
const STEPS = ["add_to_cart", "checkout", "purchase"];
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

describe("the demo's visits", () => {
  const visits = made({ events: 6_000 }).map((visit, number) => toShopVisit(visit, number, ORIGIN));
  const named = Map.groupBy(
    eventsOf(visits).map(({ event }) => event),
    ({ name, type }) => name ?? type,
  );
  const count = (name: string) => named.get(name)?.length ?? 0;

  it("are the same in every run, in order, and each event has its own id", () => {
    assert.deepEqual(
      made({ events: 6_000 }).map((visit, number) => toShopVisit(visit, number, ORIGIN)),
      visits,
    );
    const ids = idsOf(visits);
    assert.equal(new Set(ids).size, ids.length);
    for (const { events } of visits)
      assert.ok(events.every(({ at }, index) => index === 0 || at >= events[index - 1]!.at));
  });

  it("go from the cart to the checkout to the purchase, and fewer each time", () => {
    assert.ok(count("purchase") > 50);
    assert.ok(count("add_to_cart") > count("checkout") && count("checkout") > count("purchase"));
    for (const { events } of visits) {
      const steps = events.map(({ event }) => event.name).filter((name) => STEPS.includes(`${name}`));
      assert.deepEqual(steps, STEPS.slice(0, steps.length));
    }
  });

  it("have web vitals, engagement, revenue in one currency, and a few violations of the plan", () => {
    const passive = [...(named.get("web_vitals") ?? []), ...(named.get("engagement") ?? [])];
    assert.ok(count("web_vitals") > 500 && count("engagement") > 1_000);
    assert.ok(passive.every((event) => event.passive === true));
    const revenues = named.get("purchase")!.map(({ properties }) => properties!.revenue);
    const currencies = new Set(revenues.map((revenue) => (revenue as { currency: string }).currency));
    assert.deepEqual([...currencies], ["EUR"], "amounts of several are not added");
    const violations = named
      .get("add_to_cart")!
      .filter(({ properties }) => typeof properties!.price === "string").length;
    assert.ok(violations > 0 && violations < count("add_to_cart") / 5, `${violations}`);
  });
});

describe("the visits that come while the demo runs", () => {
  it("are each of another visitor", () => {
    const coming = comingVisits(UNTIL);
    const visitors = Array.from({ length: 200 }, () => coming.next().value.visitor.anonymousId);
    assert.equal(new Set(visitors).size, 200);
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
      [target, 1, /refused the request \(403 origin_not_allowed\): The origin .* is not allowed/],
      [[...target, "--days", "0"], 64, /--days must be a whole number from 1/],
      [[...target, "--until", "2099-01-01"], 64, /--until must not be in the future/],
      [
        [...target, "--to-warehouse"],
        64,
        /^Give --source, or --url and --key, or --to-warehouse and --source\./,
      ],
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

describe("headwater seed --source", () => {
  it("sends events of a named source to the running service, from an origin that the source allows", async () => {
    await using world = await openWorld();
    await world.createSource({ name: "Corner shop", allowedOrigins: ["https://*.corner.example"] });
    const settings = { DATA_DIR: world.dataDir, PORT: new URL(world.url).port };
    const words = ["--source", "corner shop", "--events", "40", "--days", "20", "--json"];
    const { code, stderr, json } = await headwater(settings, "seed", ...words);
    assert.equal(code, 0, stderr);
    assert.equal(json().accepted, 40);
    assert.equal(storedEvents(world.dataDir).length, 40);
  });
});

function startDemo(temporaryFolder: string, ...words: string[]) {
  const env = { PATH: process.env.PATH ?? "", TMPDIR: temporaryFolder, WAREHOUSE: "off" };
  const child = spawn(process.execPath, [BIN, "demo", ...words], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  return { child, said: () => said };
}

const leftIn = (temporaryFolder: string) =>
  readdirSync(temporaryFolder).filter((name) => name.startsWith("headwater-demo"));

describe("headwater demo", () => {
  it("starts a service with a seeded source, prints a sign-in link, and leaves nothing behind", async () => {
    using own = folder();
    const { child, said } = startDemo(own.path, "--json", "--events", "60", "--days", "3");
    await until("the demo is ready", () => said().includes('"signInUrl"') || child.exitCode !== null);
    const { url, signInUrl, accepted } = JSON.parse(said().slice(said().indexOf("{")));
    assert.ok(accepted > 30 && accepted < 120, `${accepted}`);
    const [, code] = signInUrl.split("#code=");
    const headers = { "content-type": "application/json" };
    const signIn = await fetch(`${url}/api/sign-in`, {
      method: "POST",
      headers,
      body: JSON.stringify({ code }),
    });
    const { token } = (await signIn.json()) as { token: string };
    const listed = await fetch(`${url}/api/tracking-sources?organizationId=org_default`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const text = await listed.text();
    assert.match(text, /"name":"Demo shop"/);
    const [, sourceId] = /"sourceId":"([^"]+)"/.exec(text) ?? [];
    const debug = await fetch(`${url}/api/tracking-sources/${sourceId}/debug`, {
      headers: { authorization: `Bearer ${token}` },
    });
    assert.match(await debug.text(), /"origin_not_allowed"/, "it has refused requests");
    const usage = await fetch(`${url}/api/usage?organizationId=org_default`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { days } = (await usage.json()) as { days: { accepted: number }[] };
    assert.ok(days.length >= 3, `events arrive on each day of the history: ${JSON.stringify(days)}`);
    assert.ok(days.every((day) => day.accepted < 0.7 * accepted));
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null], said());
    assert.deepEqual(leftIn(own.path), []);
  });

  it("ends during the seed too, and leaves nothing behind when the signal is repeated or the terminal is closed", async () => {
    for (const signal of ["SIGINT", "SIGHUP"] as const) {
      using own = folder();
      const { child, said } = startDemo(own.path, "--events", "1000000");
      const isSeeding = () => said().includes("of about 1000000 events") || child.exitCode !== null;
      await until("the demo sends events", isSeeding);
      const ended = once(child, "exit");
      child.kill(signal);
      child.kill(signal);
      assert.deepEqual(await ended, [0, null], said());
      assert.deepEqual(leftIn(own.path), [], signal);
    }
  });
});
