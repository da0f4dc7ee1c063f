import type { Client } from "../client.ts";

const minMs = 1000;

/** Measures how long each view was visible and counts it as `engagement`, with seconds and path. */
export function engagement(client: Client): void {
  let path = location.pathname;
  let seenMs = 0;
  let since = now();

  /** Undefined while the page is hidden. */
  function now(): number | undefined {
    return document.visibilityState === "visible" ? performance.now() : undefined;
  }

  function stopWatch(): void {
    if (since !== undefined) seenMs += performance.now() - since;
    since = now();
  }

  function report(): void {
    stopWatch();
    if (seenMs >= minMs) client.track("engagement", { seconds: Math.round(seenMs / 1000), path });
    seenMs = 0;
  }

  // In the capture phase, before the client's own listeners send the waiting events.
  addEventListener(
    "visibilitychange",
    () => (document.visibilityState === "hidden" ? report() : stopWatch()),
    true,
  );
  addEventListener("pagehide", report, true);
  const { page } = client;
  client.page = (...view) => {
    report();
    path = location.pathname;
    page(...view);
  };
}
