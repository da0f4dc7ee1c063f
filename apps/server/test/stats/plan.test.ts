/** How a question is read, by its accuracy, what its figures are, and how much there is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Demand,
  firstPlan,
  nextPlan,
  type Plan,
  type ReadFrom,
  type ReadSizes,
} from "../../src/stats/plan.ts";

const MILLION = 1_000_000;
const MEMORY = 536_870_912;

/** Visitors and sessions, such as those of the headline. */
const EXACT: Demand = {
  accuracy: "exact",
  canEstimate: true,
  addsUpSessions: false,
  countsVisitors: true,
  eventsKind: "ofEvents",
};
const AUTO: Demand = { ...EXACT, accuracy: "auto" };
const FAST: Demand = { ...EXACT, accuracy: "fast" };
/** Sessions by page. */
const SESSIONS: Demand = { ...EXACT, addsUpSessions: true, countsVisitors: false };
/** Users, whose visitors may be in several parts. */
const USERS: Demand = { ...EXACT, canEstimate: false, countsVisitors: false };
/** Sessions by page. */
const WITH_SESSIONS: Demand = { ...AUTO, eventsKind: "withSessions" };
/** Goals by channel. */
const JOINED: Demand = { ...AUTO, eventsKind: "joined" };
/** Percentiles of a property. */
const PERCENTILES: Demand = { ...AUTO, countsVisitors: false };
const REVENUE: Demand = { ...SESSIONS, accuracy: "auto", canEstimate: false };

const sizes = (from: ReadFrom, millions: number, memoryBytes = MEMORY): ReadSizes => ({
  from,
  events: millions * MILLION,
  memoryBytes,
});
const at = (sample: number, parts: number, fitsArrays = true): Plan => ({ sample, parts, fitsArrays });

const FIRST: readonly (readonly [name: string, Demand, ReadSizes, Plan])[] = [
  ["a small range", AUTO, sizes("sessionRollups", 1), at(1, 1)],
  ["auto within its second", AUTO, sizes("sessionRollups", 50), at(1, 4)],
  ["auto beyond it, of visitors that fit in memory", AUTO, sizes("sessionRollups", 51), at(4, 1)],
  ["auto of pages", AUTO, sizes("eventRollups", 41), at(4, 1)],
  ["auto of both tables", AUTO, sizes("bothRollups", 13), at(2, 1)],
  ["auto of events", AUTO, sizes("events", 4), at(2, 1)],
  ["auto of events within its second", WITH_SESSIONS, sizes("events", 1.5), at(1, 1)],
  ["auto of events with their sessions", WITH_SESSIONS, sizes("events", 1.6), at(2, 1)],
  ["auto of ten million of them", WITH_SESSIONS, sizes("events", 10), at(8, 1)],
  ["auto of joined events within its second", JOINED, sizes("events", 1), at(1, 1)],
  ["auto of ten million joined events", JOINED, sizes("events", 10), at(16, 1)],
  ["auto of ten million events joined with rollups", JOINED, sizes("eventsAndSessions", 10), at(4, 1)],
  ["exact sessions of events joined with rollups", SESSIONS, sizes("eventsAndSessions", 10), at(1, 3)],
  ["auto of rollups instead of them", WITH_SESSIONS, sizes("bothRollups", 12), at(1, 1)],
  [
    "exact events with their sessions",
    { ...WITH_SESSIONS, accuracy: "exact" },
    sizes("events", 1.6),
    at(1, 1),
  ],
  [
    "fast, of events with their sessions",
    { ...WITH_SESSIONS, accuracy: "fast" },
    sizes("events", 1.6),
    at(32, 1),
  ],
  ["fast", FAST, sizes("sessionRollups", 10), at(4, 1)],
  ["the smallest sample", FAST, sizes("events", 100_000), at(1_024, 1, false)],
  ["exact beyond one statement", EXACT, sizes("sessionRollups", 16), at(1, 2)],
  ["exact with half of the memory", EXACT, sizes("sessionRollups", 16, MEMORY / 2), at(1, 4)],
  ["exact with more memory: time is limited, too", EXACT, sizes("sessionRollups", 16, 8 * MEMORY), at(1, 2)],
  ["exact in most parts", EXACT, sizes("sessionRollups", 2_000), at(1, 64, false)],
  ["exact sessions from rollups", SESSIONS, sizes("sessionRollups", 100), at(1, 1, false)],
  ["exact sessions from events", SESSIONS, sizes("events", 10), at(1, 3)],
  ["exact visitors from events", EXACT, sizes("events", 100), at(1, 1, false)],
  ["users are read at once", USERS, sizes("sessionRollups", 100), at(1, 1, false)],
  ["auto of percentiles", PERCENTILES, sizes("events", 100), at(64, 1)],
  ["exact percentiles at once", { ...PERCENTILES, accuracy: "exact" }, sizes("events", 14), at(1, 1)],
  ["revenue is never estimated", REVENUE, sizes("events", 10), at(1, 3)],
  [
    "parts with too many rows",
    { ...EXACT, hasTooManyRows: true },
    sizes("eventRollups", 100),
    at(1, 1, false),
  ],
];

for (const [name, demand, size, plan] of FIRST)
  test(`Plans ${name}.`, () => assert.deepEqual(firstPlan(demand, size), plan));

const NEXT: readonly (readonly [name: string, Demand, ReadSizes, Plan, Plan | null])[] = [
  ["a smaller sample", AUTO, sizes("events", 4), at(2, 1), at(16, 1)],
  ["a sample after parts", AUTO, sizes("sessionRollups", 50), at(1, 4), at(8, 1)],
  ["no sample below the smallest", FAST, sizes("events", 4), at(1_024, 1), null],
  ["more parts", EXACT, sizes("sessionRollups", 16), at(1, 2), at(1, 16)],
  ["at most 64 parts", SESSIONS, sizes("events", 10), at(1, 24), at(1, 64)],
  ["no more than that", SESSIONS, sizes("events", 10), at(1, 64), null],
  ["nothing for what cannot be divided", USERS, sizes("sessionRollups", 1), at(1, 1), null],
  ["a smaller sample of percentiles", PERCENTILES, sizes("events", 3), at(1, 1), at(8, 1)],
  ["nothing for exact visitors of events", EXACT, sizes("events", 1), at(1, 1), null],
  ["more parts of revenue", REVENUE, sizes("events", 1), at(1, 1), at(1, 8)],
  [
    "nothing for parts with too many rows",
    { ...EXACT, hasTooManyRows: true },
    sizes("eventRollups", 1),
    at(1, 1),
    null,
  ],
];

for (const [name, demand, size, failed, plan] of NEXT)
  test(`Plans ${name} for what was too heavy.`, () => assert.deepEqual(nextPlan(demand, size, failed), plan));
