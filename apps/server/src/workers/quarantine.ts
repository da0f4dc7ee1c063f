/** Deletes the kept events of each source after its `keepRejected` days. */
import { DAY_MS } from "../core/time.ts";
import type { Ledger } from "../ledger/ledger.ts";

/** Slices of one source in a round. */
const MAX_SLICES = 100;

export const createKeptExpiry =
  (ledger: Pick<Ledger, "keptSources" | "expireKept" | "source">) =>
  async ({ now }: { now: number }): Promise<void> => {
    for (const sourceId of await ledger.keptSources()) {
      // a deleted source keeps nothing
      const days = (await ledger.source({ sourceId, now }))?.keepRejected ?? 0;
      const before = days === 0 ? now + DAY_MS : now - days * DAY_MS;
      for (let slice = 0; slice < MAX_SLICES; slice++)
        if (!(await ledger.expireKept({ sourceId, before }))) break;
    }
  };
