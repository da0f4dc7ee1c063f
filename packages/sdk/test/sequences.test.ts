/**
 * For each fault, what the stored events say of the events that the pages produced: which were accepted, which were lost
 * and why, and which are missing.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { storedEvents } from "../../../apps/server/test/ledger/reader.ts";
import { PATIENCE_MS, until } from "../../../apps/server/test/support/until.ts";
import { createQueue } from "../src/queue.ts";
import type { ClientStore } from "../src/storage.ts";
import { fine, type Weather } from "./bad-network.ts";
import { hurryTimers } from "./browser.ts";
import * as chromium from "./chromium.ts";
import * as firefox from "./firefox.ts";
import { openLossySite, storm } from "./loss-trial.ts";

interface VisitedTab {
  open(url: string): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
}
interface FaultTrial {
  setWeather(weather: Weather): void;
  /** A page with the client, which has sent its view. */
  visit(attribute?: string): Promise<VisitedTab>;
  /** A page of the site without it. */
  visitWithout(tab: VisitedTab): Promise<void>;
}
interface Account {
  readonly accepted: number;
  readonly lost?: Readonly<Record<string, number>>;
  readonly missing?: number;
  /** Default: 1. */
  readonly sequences?: number;
}
interface Case {
  readonly fault: string;
  run(trial: FaultTrial): Promise<unknown>;
  readonly account: Account;
}

const track = (count: number, name = "event") =>
  `{ for (let n = 0; n < ${count}; n += 1) headwater("track", "${name} " + n); }`;
const run = (tab: VisitedTab, ...statements: string[]) =>
  tab.evaluate(`(async () => { ${statements.join(";")} })()`);
const WAITING = `Object.keys(localStorage).filter((name) => name.includes("event."))`;
const SENT = `while (${WAITING}.length) await new Promise((done) => setTimeout(done))`;
/** Lets the page's clock say that a day has passed, and looks at the queue. */
const A_DAY_LATER = `{ const now = Date.now(); Date.now = () => now + 86400001; dispatchEvent(new Event("pagehide")) }`;

/** No upload leaves the page. */
const OFFLINE = "sessionStorage.offline = 1";
const ONLINE = "delete sessionStorage.offline";

const CASES: readonly Case[] = [
  {
    fault: "nothing",
    async run({ visit }) {
      await run(await visit(), track(4), `history.pushState(null, "", "/next")`);
    },
    account: { accepted: 6 },
  },
  {
    fault: "every other upload is cut",
    async run({ visit, setWeather }) {
      setWeather(storm(["cut", "pass"], 0));
      const tab = await visit();
      for (let part = 0; part < 3; part += 1) await run(tab, track(20));
    },
    account: { accepted: 61 },
  },
  {
    fault: "every other answer is lost after the commit",
    async run({ visit, setWeather }) {
      setWeather(storm(["swallow", "pass"], 0));
      const tab = await visit();
      for (let part = 0; part < 3; part += 1) await run(tab, track(20));
    },
    account: { accepted: 61 },
  },
  {
    fault: "a tab is closed without network, and another page opens",
    async run({ visit }) {
      const tab = await visit();
      await run(tab, OFFLINE, track(3));
      await tab.open("about:blank");
      await visit();
    },
    account: { accepted: 5, sequences: 2 },
  },
  {
    fault: "the storage is cleared while the page is open",
    async run({ visit }) {
      await run(await visit(), OFFLINE, track(3), "localStorage.clear()", track(2), ONLINE);
    },
    account: { accepted: 6, sequences: 2 },
  },
  {
    fault: "the storage is cleared after the page was closed: nobody knows of its last events",
    async run({ visit, visitWithout }) {
      const tab = await visit();
      await run(tab, OFFLINE, track(2));
      await visitWithout(tab);
      await run(tab, "localStorage.clear()");
      await visit();
    },
    account: { accepted: 2, sequences: 2 },
  },
  {
    fault: "a script of the site removes a waiting event",
    async run({ visit }) {
      const remove = `localStorage.removeItem(${WAITING}.sort()[1])`;
      await run(await visit(), OFFLINE, track(3), remove, track(1), ONLINE);
    },
    account: { accepted: 4, missing: 1 },
  },
  {
    fault: "events wait for more than a day",
    async run({ visit }) {
      await run(await visit(), OFFLINE, track(3), A_DAY_LATER, track(1), ONLINE);
    },
    account: { accepted: 2, lost: { too_old: 3 } },
  },
  {
    fault: "an event that reports losses is lost too",
    async run({ visit }) {
      await run(await visit(), OFFLINE, track(1), A_DAY_LATER, track(1), A_DAY_LATER, track(1), ONLINE);
    },
    account: { accepted: 2, lost: { too_old: 2 } },
  },
  {
    fault: "the server refuses a batch because of one event",
    async run({ visit }) {
      const tab = await visit();
      await run(tab, track(2), `headwater("track", "")`, SENT, track(1));
    },
    account: { accepted: 4, lost: { refused: 1 } },
  },
  {
    fault: "the server rejects two events of a batch",
    async run({ visit }) {
      const tab = await visit();
      await run(tab, `for (const n of [1, 2]) headwater("track", "x".repeat(201))`, track(2), SENT, track(1));
    },
    account: { accepted: 4, lost: { event_name_too_long: 2 } },
  },
  {
    fault: "the queue overflows",
    async run({ visit }) {
      const large = `for (let n = 0; n < 40; n += 1) headwater("track", "large", { data: "x".repeat(29000) })`;
      await run(await visit(), OFFLINE, large, ONLINE, SENT, track(1));
    },
    account: { accepted: 36, lost: { queue_full: 6 } },
  },
  {
    fault: "an opt-out discards waiting events, which is no loss",
    async run({ visit }) {
      const optOut = `headwater("optOut")`;
      await run(await visit(), OFFLINE, track(3), optOut, track(3), `headwater("optIn")`, track(2), ONLINE);
    },
    account: { accepted: 3, sequences: 2 },
  },
  {
    fault: "consent is denied and granted again",
    async run({ visit }) {
      const set = (consent: string) => `headwater("setConsent", "${consent}")`;
      await run(await visit(), OFFLINE, track(3), set("denied"), track(3), set("granted"), track(2), ONLINE);
    },
    account: { accepted: 3, sequences: 2 },
  },
  {
    fault: "one of two tabs resets the visitor",
    async run({ visit }) {
      const [left, right] = [await visit(), await visit()];
      for (const tab of [left, right]) await run(tab, track(2));
      await run(right, `headwater("reset")`);
      for (const tab of [left, right]) await run(tab, track(3));
    },
    account: { accepted: 12, sequences: 4 },
  },
  {
    fault: "two tabs share the queue without network, and one is closed",
    async run({ visit }) {
      const [left, right] = [await visit(), await visit()];
      for (const tab of [left, right]) await run(tab, OFFLINE, track(30));
      await left.open("about:blank");
      await run(right, ONLINE);
    },
    account: { accepted: 62, sequences: 2 },
  },
  {
    fault: "the browser stores nothing",
    async run({ visit }) {
      const tab = await visit('data-persistence="none"');
      await run(tab, OFFLINE, track(2), A_DAY_LATER, track(2), ONLINE);
    },
    account: { accepted: 3, lost: { too_old: 2 } },
  },
  {
    fault: "the page comes back from the back/forward cache",
    async run({ visit }) {
      const back = `dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))`;
      await run(await visit(), `dispatchEvent(new Event("pagehide"))`, back, track(1));
    },
    account: { accepted: 3 },
  },
  {
    fault: "a frame shows the page around it",
    async run({ visit }) {
      const frame = `const frame = document.createElement("iframe"); frame.src = "/frame"; document.body.append(frame)`;
      const framed = "frame.contentWindow.headwater";
      const loaded = `while (!${framed}?.version) await new Promise((done) => setTimeout(done, 10))`;
      await run(await visit(), frame, loaded, `${framed}("track", "in the frame")`, track(1));
    },
    account: { accepted: 3, sequences: 2 },
  },
];

/** Computed from the stored events alone, apart from the service's own computation. */
function accountOf(dataDir: string): Required<Account> {
  const events = storedEvents(dataDir);
  const accepted = new Set<string>(events.map(({ eventId }) => eventId));
  const lost = new Map<string, string>();
  for (const event of events)
    for (const { eventId, cause } of event.lost ?? []) if (!accepted.has(eventId)) lost.set(eventId, cause);
  const produced = new Map<string, number>();
  for (const id of [...accepted, ...lost.keys()]) {
    const [sequence = "", number] = id.split("~");
    produced.set(sequence, Math.max(produced.get(sequence) ?? 0, Number(number) - 999_999));
  }
  const causes = Object.groupBy(lost.values(), (cause) => cause);
  const total = [...produced.values()].reduce((sum, count) => sum + count, 0);
  return {
    accepted: accepted.size,
    lost: Object.fromEntries(Object.entries(causes).map(([cause, all]) => [cause, all!.length])),
    missing: total - accepted.size - lost.size,
    sequences: produced.size,
  };
}

function cutWhileOffline(): void {
  const { fetch } = window;
  Object.assign(window, {
    fetch: (...request: Parameters<typeof fetch>) =>
      sessionStorage.getItem("offline") ? Promise.reject(new Error("offline")) : fetch(...request),
  });
}

async function check(
  t: TestContext,
  { run, account }: Case,
  newTab: () => Promise<VisitedTab>,
): Promise<void> {
  const { world, network, site, source } = await openLossySite(t);
  const script = `<script async src="${network.url}/sdk/v2.js" data-key="${source.publicKey}"`;
  await run({
    setWeather: (weather) => {
      network.weather = weather;
    },
    async visit(attribute = "") {
      site.showHead(
        `<script>(${hurryTimers})(); (${cutWhileOffline})()</script>${script} ${attribute}></script>`,
      );
      const tab = await newTab();
      const seen = accountOf(world.dataDir).accepted;
      await tab.open(site.url);
      await until("the view has arrived", () => accountOf(world.dataDir).accepted > seen);
      return tab;
    },
    async visitWithout(tab) {
      site.showHead("");
      await tab.open(`${site.url}/without`);
    },
  });
  network.weather = fine;
  await until("all events have arrived", () => accountOf(world.dataDir).accepted >= account.accepted);
  assert.deepEqual(accountOf(world.dataDir), { lost: {}, missing: 0, sequences: 1, ...account });
}

const timeout = PATIENCE_MS + 60_000;

for (const one of CASES)
  test(`Chromium accounts for its events: ${one.fault}.`, { skip: chromium.skip, timeout }, async (t) => {
    const context = await chromium.newVisitor();
    t.after(() => context.close());
    await check(t, one, async () => {
      const page = await context.newPage();
      return { open: (url) => page.goto(url), evaluate: (expression) => page.evaluate(expression) };
    });
  });

test("Firefox accounts for its events, whatever is lost.", {
  skip: firefox.skip,
  timeout: 3 * timeout,
}, async (t) => {
  const browser = await firefox.startFirefox();
  t.after(() => browser.close());
  for (const one of CASES)
    await t.test(one.fault, async (t) => {
      await check(t, one, await browser.newVisitor());
    });
});

function openQueue() {
  const values = new Map<string, string>();
  const store: ClientStore = {
    read: (name) => values.get(name) ?? null,
    write: (name, value) => void values.set(name, value),
    remove: (name) => void values.delete(name),
    owner: () => undefined,
    persist: () => {},
    names: (prefix) => [...values.keys()].filter((name) => name.startsWith(prefix)),
  };
  const queue = createQueue(store, "headwater.pk_1.");
  /** Adds an event. @returns its name and what it reports */
  const put = (userId: string | null = null) => {
    const timestamp = new Date().toISOString();
    const known = new Set(queue.own.keys());
    queue.put({ type: "track", name: "order", timestamp, anonymousId: "v".repeat(32), userId } as never);
    const [name, event] = [...queue.own].find(([one]) => !known.has(one))!;
    return { name, id: String(event.id), lost: event.lost };
  };
  return { queue, put };
}

test("An event that a server refuses passes its report on no more: the report may be why it was refused.", () => {
  const { queue, put } = openQueue();
  const [first, second] = [put(), put()];
  queue.remove(first.name, "plan_violation");
  const reporting = put();
  assert.match(reporting.lost!, /plan_violation/);
  queue.remove(reporting.name, "too_old");
  const passedOn = put();
  assert.match(passedOn.lost!, /plan_violation.*too_old/);
  queue.remove(passedOn.name, "refused");
  const next = put();
  assert.match(next.lost!, /refused/);
  assert.doesNotMatch(next.lost!, /plan_violation|too_old/);
  assert.equal(second.lost, undefined);
});

test("Another user of the same visitor begins another sequence.", () => {
  const { put } = openQueue();
  const sequenceOf = ({ id }: { id: string }) => id.split("~")[0];
  const [first, same, other] = [put("ada"), put("ada"), put("bob")].map(sequenceOf);
  assert.equal(same, first);
  assert.notEqual(other, first);
});
