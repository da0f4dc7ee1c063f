import type { Client } from "../client.ts";
import { documentMember } from "../document.ts";

interface Shift extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
}
interface Interaction extends PerformanceEntry {
  readonly interactionId?: number;
}

const sessionGapMs = 1000;
const sessionMaxMs = 5000;
/** INP ignores the slowest interaction of every 50 as an outlier. */
const outlierEvery = 50;

/**
 * Counts the Core Web Vitals of a page load once, when the page is first hidden, as `web_vitals`: ttfb, fcp, lcp and inp in
 * milliseconds, and cls. Metrics that the browser does not measure are left out.
 */
export function webVitals(client: Client): void {
  const found: Record<string, number> = {};
  const slowest = new Map<number, number>();
  let cls = 0;
  let windowShift = 0;
  let windowStart = 0;
  let latestShift = 0;

  function observe(type: string, take: (entry: PerformanceEntry) => void): void {
    try {
      const observer = new PerformanceObserver((list) => list.getEntries().forEach(take));
      observer.observe({ type, buffered: true, durationThreshold: 40 } as PerformanceObserverInit);
    } catch {
      // this browser does not support the metric
    }
  }

  observe("navigation", (entry) => {
    const { responseStart } = entry as PerformanceNavigationTiming;
    // 0: the browser hides it, or the response came within the first tick of its clock
    if (responseStart > 0) found.ttfb = responseStart;
  });
  observe("paint", ({ name, startTime }) => {
    if (name === "first-contentful-paint") found.fcp = startTime;
  });
  observe("largest-contentful-paint", ({ startTime }) => {
    found.lcp = startTime;
  });
  observe("layout-shift", (entry) => {
    const { value, hadRecentInput, startTime } = entry as Shift;
    if (hadRecentInput) return;
    const isNew = startTime - latestShift > sessionGapMs || startTime - windowStart > sessionMaxMs;
    if (isNew) windowStart = startTime;
    windowShift = isNew ? value : windowShift + value;
    latestShift = startTime;
    cls = Math.max(cls, windowShift);
  });
  const measureInteraction = ({ duration, interactionId = 0 }: Interaction) => {
    if (interactionId) slowest.set(interactionId, Math.max(slowest.get(interactionId) ?? 0, duration));
  };
  observe("event", measureInteraction);
  // The first interaction is reported even if it is fast.
  observe("first-input", measureInteraction);

  // Later views of a single-page application have no load of their own.
  const page = client.currentPage();
  let isReported = false;
  function report(): void {
    if (isReported || documentMember("visibilityState") !== "hidden") return;
    isReported = true;
    const durations = [...slowest.values()].sort((a, b) => b - a);
    const inp = durations[Math.floor(durations.length / outlierEvery)];
    if (inp !== undefined) found.inp = inp;
    for (const name of Object.keys(found)) found[name] = Math.round(found[name]!);
    // A painted page without a layout shift has the score 0, in browsers that measure it.
    if (found.fcp && "LayoutShift" in window) found.cls = Math.round(cls * 1000) / 1000;
    client.track("web_vitals", found, { passive: true, page });
  }
  addEventListener("visibilitychange", report, true);
  addEventListener("pagehide", report, true);
}
