/** What the ledger has counted while events leave its outbox. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { type CountingLedger, countInLedger } from "../../src/delivery/waiting.ts";
import { buildPayloadSync } from "../../src/ledger/outbox-payload.ts";

const DAY = 20_786;
const span = { sourceId: "src_1", from: DAY, to: DAY };
const NOTHING = { day: DAY, shipped: 0, removed: 0, expired: 0, erasedWaiting: 0 };
const row = {
  seq: 1,
  part: { payload: buildPayloadSync("{}\n{}", [{ sourceId: "src_1", day: DAY, events: 2 }]), skipped: [] },
};

it("An event that is shipped while the outbox is read is counted once.", async () => {
  let isShipped = false;
  const ledger: CountingLedger = {
    countedDays: async () => [{ ...NOTHING, shipped: isShipped ? 2 : 0 }],
    readOutbox: async ({ after }) => {
      if (isShipped || after >= row.seq) return [];
      isShipped = true;
      return [row];
    },
  };
  const { waiting, counted } = await countInLedger(ledger, span);
  assert.deepEqual([waiting.get(DAY), counted[0]?.shipped], [undefined, 2]);
});

it("Events that are shipped all the time do not keep the reader busy.", async () => {
  let shipped = 0;
  const ledger: CountingLedger = {
    countedDays: async () => [{ ...NOTHING, shipped: ++shipped }],
    readOutbox: async ({ after }) => (after < row.seq ? [row] : []),
  };
  const { waiting } = await countInLedger(ledger, span);
  assert.equal(waiting.get(DAY), 2);
});
