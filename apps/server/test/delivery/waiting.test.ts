/** What the ledger has counted while events leave its outbox. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { type CountingLedger, countInLedger } from "../../src/delivery/waiting.ts";

const DAY = 20_786;
const span = { sourceId: "src_1", from: DAY, to: DAY };
const NOTHING = { day: DAY, shipped: 0, removed: 0, expired: 0, erasedWaiting: 0 };
const NONE = { days: [], unread: [], rows: 0, last: null };
const ROW = { days: [{ day: DAY, events: 2 }], unread: [], rows: 1, last: 1 };
const readOutbox = async () => assert.fail("no row has to be read");

it("An event that is shipped while the outbox is counted is counted once.", async () => {
  let isShipped = false;
  const ledger: CountingLedger = {
    countedDays: async () => [{ ...NOTHING, shipped: isShipped ? 2 : 0 }],
    waitingDays: async ({ after }) => {
      if (isShipped || after >= ROW.last) return NONE;
      isShipped = true;
      return ROW;
    },
    readOutbox,
  };
  const { waiting, counted } = await countInLedger(ledger, span);
  assert.deepEqual([waiting.get(DAY), counted[0]?.shipped], [undefined, 2]);
});

it("Events that are shipped all the time do not keep the reader busy.", async () => {
  let shipped = 0;
  const ledger: CountingLedger = {
    countedDays: async () => [{ ...NOTHING, shipped: ++shipped }],
    waitingDays: async ({ after }) => (after < ROW.last ? ROW : NONE),
    readOutbox,
  };
  const { waiting } = await countInLedger(ledger, span);
  assert.equal(waiting.get(DAY), 2);
});
