/** The daily check of deliveries when the warehouse cannot answer for a source. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { type CheckDeps, createChecks } from "../../src/alerts/checks.ts";
import { computeStatement } from "../../src/delivery/statement.ts";
import type { SourceRecord, WatchedSource } from "../../src/ledger/records.ts";
import { DAY, HOUR, MINUTE } from "../support/world.ts";

const NOON = 20_786 * DAY + 12 * HOUR;

it("A delivery that could not be checked is checked again after an hour, and no other source's", async () => {
  const failing = new Set(["src_2"]);
  let read: string[] = [];
  const sources: WatchedSource[] = ["src_1", "src_2", "src_3"].map((sourceId) => ({
    sourceId,
    lastBootstrapAt: NOON,
    lastEventAt: NOON,
    alerts: {},
  }));
  const ledger: CheckDeps["ledger"] = {
    recentAttemptCounts: async () => [],
    watchedSources: async () => sources,
    // the checks read no other members
    source: async ({ sourceId }) => ({ sourceId }) as SourceRecord,
    recordAlertStatus: async () => true,
    eventCatalog: async () => [],
  };
  const check = createChecks({
    ledger,
    delivery: {
      isHere: () => true,
      countLosing: async () => 0,
      readStatement: async ({ source: { sourceId }, day, now }) => {
        read.push(sourceId);
        if (failing.has(sourceId)) throw new Error("the warehouse is down");
        const text = new Date(day * DAY).toISOString().slice(0, 10);
        const waiting = { days: [], unread: [], rows: 0, last: null };
        const empty = {
          countedDays: async () => [],
          readOutbox: async () => [],
          waitingDays: async () => waiting,
        };
        const deps = { ledger: empty, run: async () => [], now, secret: null };
        return computeStatement(deps, { sourceId, from: text, to: text, by: undefined });
      },
    },
    quietHours: 0,
    deliveryPercent: 95,
    sendsAlerts: false,
    sendsStatements: false,
    newId: () => "alr_1",
    log: { warn: () => undefined },
  });
  const readAt = async (now: number) => {
    read = [];
    await check({ now, signal: new AbortController().signal });
    return read;
  };
  assert.deepEqual(await readAt(NOON), ["src_1", "src_2", "src_3"]);
  assert.deepEqual(await readAt(NOON + MINUTE), [], "the hour has not passed");
  assert.deepEqual(await readAt(NOON + HOUR), ["src_2"]);
  failing.clear();
  assert.deepEqual(await readAt(NOON + 2 * HOUR), ["src_2"]);
  assert.deepEqual(await readAt(NOON + 3 * HOUR), []);
  assert.deepEqual(await readAt(NOON + DAY), ["src_1", "src_2", "src_3"], "the next day");
});
