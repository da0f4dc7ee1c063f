import { abortedAfter } from "./transport.ts";

/** A browser may suspend the page that holds the lock. Other pages stop waiting after this time. */
const maxWaitMs = 60_000;

/**
 * Runs a function while this page holds a Web Lock, so that one page of the site sends at a time. Without the lock, as in
 * a sandboxed frame, an event may be sent twice, which the server recognizes by its id.
 */
export async function withPageLock(name: string, run: () => unknown): Promise<unknown> {
  // runs once, also when the lock fails after it has begun
  let begun: unknown;
  const begin = () => (begun ??= run());
  // Web Locks are missing on plain http and in old browsers.
  return navigator.locks?.request(name, { signal: abortedAfter(maxWaitMs) }, begin).catch(begin) ?? begin();
}
