import type { Client } from "../client.ts";

const minMs = 1000;

/** Counts how long each view was really before somebody's eyes, as `engagement` with seconds and path. */
export function engagement(client: Client): void {
  let path = location.pathname;
  let seenMs = 0;
  let since = now();

  /** Undefined while nobody looks. */
  function now(): number | undefined {
    return document.visibilityState === "visible" ? performance.now() : undefined;
  }

  function stopWatch(): void {
    if (since !== undefined) seenMs += performance.now() - since;
    since = now();
  }

  function tell(): void {
    stopWatch();
    if (seenMs >= minMs) client.track("engagement", { seconds: Math.round(seenMs / 1000), path });
    seenMs = 0;
  }

  // Ahead of the client's own listeners, which send what waits.
  addEventListener(
    "visibilitychange",
    () => (document.visibilityState === "hidden" ? tell() : stopWatch()),
    true,
  );
  addEventListener("pagehide", tell, true);
  const { page } = client;
  client.page = (...view) => {
    tell();
    path = location.pathname;
    page(...view);
  };
}
