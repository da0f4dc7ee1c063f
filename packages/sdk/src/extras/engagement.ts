import type { Client } from "../client.ts";
import { documentMember } from "../document.ts";

const minMs = 1000;
/** A page that is hidden again and again is reported at most once in this time. */
const pauseMs = 60_000;
/** A new view needs some time until its content is there. */
const settleMs = 1000;

/**
 * Measures for how long each view was visible and focused, and how far it was scrolled, and sends both as a passive
 * `engagement` event when the view ends or is hidden.
 */
export function engagement(client: Client): void {
  const { page } = client;
  let shown = client.currentPage();
  let engagedMs = 0;
  let scrollDepth = 0;
  let reportedAt = -pauseMs;
  let since = now();

  /** Undefined while the page is hidden or another window has the focus. */
  function now(): number | undefined {
    const isVisible = documentMember("visibilityState") === "visible";
    return isVisible && documentMember("hasFocus").call(document) ? performance.now() : undefined;
  }

  function measure(): void {
    if (since !== undefined) engagedMs += performance.now() - since;
    since = now();
  }

  function measureDepth(): void {
    const percent = ((scrollY + innerHeight) / documentMember("documentElement").scrollHeight) * 100;
    scrollDepth = Math.min(100, Math.max(scrollDepth, Math.round(percent)));
  }

  function report(): void {
    measure();
    if (engagedMs < minMs) return;
    const properties = { seconds: Math.round(engagedMs / 100) / 10, scrollDepth };
    client.track("engagement", properties, { passive: true, page: shown });
    engagedMs = 0;
    reportedAt = performance.now();
  }

  function begin(): void {
    shown = client.currentPage();
    engagedMs = scrollDepth = 0;
    reportedAt = -pauseMs;
    setTimeout(measureDepth, settleMs);
  }

  // In the capture phase, before the client's own listeners send the waiting events.
  addEventListener(
    "visibilitychange",
    () => {
      measure();
      // A hidden page may never become visible again.
      if (!since && performance.now() - reportedAt >= pauseMs) report();
    },
    true,
  );
  addEventListener("pagehide", report, true);
  // Sent before the next page has been requested, the last events are answered while this page can still remove them.
  window.navigation?.addEventListener?.("navigate", ({ destination, downloadRequest }) => {
    if (destination.sameDocument || downloadRequest !== null) return;
    report();
    void client.flush();
  });
  addEventListener("focus", measure);
  addEventListener("blur", measure);
  addEventListener("scroll", measureDepth, { passive: true });
  begin();
  client.page = (...view) => {
    report();
    page(...view);
    begin();
  };
}
