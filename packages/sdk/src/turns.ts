import { abortedAfter } from "./transport.ts";

/** A browser may suspend a page in its turn: the others then go on without it. */
const maxWaitMs = 60_000;

/**
 * One page of the site sends at a time: one bootstrap for all of them, and nothing twice. Where that cannot be had, or
 * is refused as in a sandboxed frame, a second sending is possible; the server knows it for what it is.
 */
export function inTurn(name: string, run: () => Promise<void>): Promise<void> {
  let begun: Promise<void> | undefined;
  const begin = () => (begun ??= run());
  // Pages on plain http and old browsers do not have the locks.
  return navigator.locks
    ? navigator.locks.request(name, { signal: abortedAfter(maxWaitMs) }, begin).catch(begin)
    : begin();
}
