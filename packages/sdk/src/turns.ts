/** Pages on plain http do not have the locks, and in a sandboxed frame they throw. */
export const hasTurns = (): boolean => "locks" in navigator && origin !== "null";

/**
 * One page of the site sends at a time: one bootstrap for all of them, and nothing twice. Where that cannot be had a
 * second sending is possible; the server knows it for what it is.
 */
export const inTurn = (publicKey: string, run: () => Promise<void>): Promise<void> =>
  hasTurns() ? navigator.locks.request(`headwater.${publicKey}`, run) : run();
