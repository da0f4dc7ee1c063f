/** What a node has learned of events stays small, whatever senders send (docs/api/tracking-plan.md, "The event catalogue"). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { LIMITS } from "@headwater/contract";
import {
  createEventLearner,
  type EventLearner,
  MAX_LEARNED_ENTRIES,
} from "../../src/event-catalog/learner.ts";
import { OTHER_EVENTS } from "../../src/ledger/merge-events.ts";

const NAMES = 100_000;
const PROPERTIES = 1_000;
const SOURCES = 50;
/** As docs/api/tracking-plan.md states them. */
const MAX_MEMORY_MIB = 32;
const MAX_NAME_BYTES = 64 * 1_024;
const AT = Date.UTC(2026, 0, 5);

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");
function heapMiB(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1_048_576;
}

const filled = (text: string, length: number) => text.padEnd(length, "x");

/** Names and values as long as the catalogue takes them. A hundred such objects have 100,000 names of properties. */
const propertiesOf = (set: number) =>
  Object.fromEntries(
    Array.from({ length: PROPERTIES }, (_, at) => [
      filled(`property ${set} ${at} `, LIMITS.maxCatalogPathLength),
      filled(`value ${set} ${at} `, LIMITS.maxCatalogExampleLength - 2),
    ]),
  );
const PROPERTY_SETS = Array.from({ length: 100 }, (_, set) => propertiesOf(set));

/** The path is a part of an address of the greatest length. */
function pathOf(at: number): string {
  const path = filled(`/${at}/`, LIMITS.maxCatalogPathLength);
  return filled(`https://shop.example${path}?`, LIMITS.maxUrlLength).slice(20, 20 + path.length);
}

interface HostileEvent {
  readonly sourceId: string;
  readonly name: string;
  readonly at: number;
  readonly properties?: Record<string, unknown>;
}

function see(learner: EventLearner, { sourceId, name, at, properties = {} }: HostileEvent): void {
  const sender = { sessionId: `session-${at}`, clientVersion: filled(`${at}.`, 4_000), path: pathOf(at) };
  learner.see(sourceId, { name, properties, ...sender }, AT);
  const violation = { event: name, path: "properties.a", expected: "present", foundType: "nothing" };
  learner.seeViolation(sourceId, { ...violation, ...sender, page: sender.path }, AT);
}

const seeNew = (learner: EventLearner, at: number) =>
  see(learner, {
    sourceId: `src_${at % SOURCES}`,
    name: filled(`name ${at} `, LIMITS.maxEventNameLength),
    at,
    properties: PROPERTY_SETS[at % PROPERTY_SETS.length] ?? {},
  });

test("100,000 event names with 1,000 properties each take a bounded number of entries and bytes", (t) => {
  // what a call compiles or caches at first use is in memory by then
  seeNew(createEventLearner(), 0);
  const before = heapMiB();
  const learner = createEventLearner();
  let highest = 0;
  for (let at = 0; at < NAMES; at++) {
    seeNew(learner, at);
    if (at % 20_000 === 0) highest = Math.max(highest, heapMiB());
  }
  highest = Math.max(highest, heapMiB()) - before;
  const taken = [...learner.take()];
  const records = taken.flatMap(([, events]) => events);
  const entries = records.reduce((sum, { properties }) => sum + 1 + properties.length, 0);
  const longest = Math.max(...records.map((record) => Buffer.byteLength(JSON.stringify(record))));
  t.diagnostic(`${entries} entries, ${highest.toFixed(1)} MiB, the longest record has ${longest} bytes`);
  assert.ok(highest < MAX_MEMORY_MIB, `${highest} MiB`);
  assert.ok(entries > 1_000 && entries <= MAX_LEARNED_ENTRIES + SOURCES, String(entries));
  assert.ok(longest < MAX_NAME_BYTES, String(longest));
  for (const [sourceId, events] of taken) {
    assert.ok(events.length <= LIMITS.maxCatalogEvents + 1, sourceId);
    const counted = events.reduce((sum, { count }) => sum + count, 0);
    assert.equal(counted, NAMES / SOURCES, "every event is counted");
    const others = events.find(({ name }) => name === OTHER_EVENTS);
    assert.ok(others && (others.violations?.length ?? 0) <= LIMITS.maxPlanViolations);
  }
  assert.ok(records.every(({ properties }) => properties.length <= LIMITS.maxCatalogProperties));
});

test("Pages take a bounded number of bytes too: of an address of 4 KiB, only the path is kept", (t) => {
  const before = heapMiB();
  const learner = createEventLearner();
  for (let at = 0; at < NAMES; at++)
    see(learner, { sourceId: `src_${at % SOURCES}`, name: `name ${Math.floor(at / SOURCES) % 50}`, at });
  const kept = heapMiB() - before;
  t.diagnostic(`${kept.toFixed(1)} MiB`);
  assert.ok(kept < MAX_MEMORY_MIB, `${kept} MiB`);
  assert.ok(learner.take().size > 0);
});

test("When the learner is full, taking what it learned makes room to learn more", () => {
  const learner = createEventLearner();
  const before = heapMiB();
  for (let round = 0; round < 20; round++) {
    for (let at = 0; at < 1_000; at++) seeNew(learner, round * 1_000 + at);
    const taken = [...learner.take().values()].flat();
    assert.ok(
      taken.some(({ properties }) => properties.length > 0),
      "something is learned in every round",
    );
  }
  const kept = heapMiB() - before;
  assert.ok(kept < MAX_MEMORY_MIB, `${kept} MiB`);
});
