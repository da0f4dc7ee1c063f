import { newId } from "./event.ts";
import type { Store } from "./storage.ts";

/**
 * One page of the site sends at a time: one bootstrap for all of them, and nothing twice. The server knows a second
 * sending for what it is, so a turn that two pages take at once costs a request and no event.
 */
export interface Turns {
  take(run: () => Promise<void>): Promise<void>;
  /** The page may be gone in a moment, and with it who would give the turn back. */
  leave(): void;
}

const leaseMs = 10_000;
/** Other processes see a write to the storage a little later. */
const settleMs = 50;

export function createTurns(store: Store, publicKey: string): Turns {
  const name = `headwater.turn.${publicKey}`;
  const self = newId();
  const holder = () => store.read(name) ?? "";
  const hasTurn = () => holder().startsWith(self);
  const leave = () => hasTurn() && store.remove(name);

  return {
    async take(run) {
      // Pages on plain http do not have the locks, and in a sandboxed frame they throw.
      if (navigator.locks && origin !== "null") return navigator.locks.request(name, run);
      // Whoever wrote its name last, and still finds it a moment later, has the turn, until it is over.
      while (!hasTurn()) {
        if (!(Number(holder().slice(self.length)) > Date.now()))
          store.write(name, self + (Date.now() + leaseMs));
        await new Promise((resolve) => setTimeout(resolve, settleMs * (1 + Math.random())));
      }
      await run().finally(leave);
    },
    leave,
  };
}
