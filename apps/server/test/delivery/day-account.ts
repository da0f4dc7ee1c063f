/** A day of a statement of delivery in tests. */
import assert from "node:assert/strict";
import type { DeliveryDay } from "@headwater/contract";

/** What a statement says of a day, without what follows from the rest. */
export type DayAccount = Omit<DeliveryDay, "day" | "produced">;

/** @returns the account of a day without events */
export const newAccount = (): DayAccount => ({
  accepted: 0,
  rejected: {},
  dropped: {},
  missing: 0,
  stillPossible: 0,
  inWarehouse: 0,
  lostInWarehouse: 0,
  erased: 0,
  expired: 0,
  waiting: 0,
});

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((a, b) => a + b, 0);

/** Asserts both equations of a statement. */
export function assertBalanced(account: DeliveryDay): void {
  const { accepted, rejected, dropped, missing, stillPossible } = account;
  assert.equal(account.produced, accepted + sum(rejected) + sum(dropped) + missing + stillPossible);
  const { inWarehouse, lostInWarehouse, erased, expired, waiting } = account;
  assert.equal(accepted, inWarehouse + lostInWarehouse + erased + expired + waiting);
}
