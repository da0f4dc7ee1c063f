/** What a statement makes of counts that are not complete. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { computeStatement } from "../../src/delivery/statement.ts";

const DAY_MS = 86_400_000;
const DAY = 20_786;
const text = new Date(DAY * DAY_MS).toISOString().slice(0, 10);

it("Events that are counted as erased before they are counted as shipped leave no negative number.", async () => {
  const counted = { day: DAY, shipped: 1, removed: 3, expired: 1, erasedWaiting: 0 };
  const waiting = { days: [], unread: [], rows: 0, last: null };
  const ledger = {
    countedDays: async () => [counted],
    readOutbox: async () => [],
    waitingDays: async () => waiting,
  };
  const deps = { ledger, run: async () => [], now: (DAY + 2) * DAY_MS, secret: null };
  const question = { sourceId: "src_1", from: text, to: text, by: undefined };
  const { days } = await computeStatement(deps, question);
  const { erased, expired, inWarehouse, accepted } = days[0]!;
  assert.deepEqual(
    { erased, expired, inWarehouse, accepted },
    { erased: 3, expired: 0, inWarehouse: 0, accepted: 3 },
  );
});
