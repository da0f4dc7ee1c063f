/** The ratings of Core Web Vitals, by the thresholds of https://web.dev/articles/vitals. Pure. */
import type { StatsMetric } from "@headwater/contract";

/** A value up to `good` is good; one over `poor` is poor. */
export const VITALS = [
  { metric: "p75:lcp", label: "Largest Contentful Paint (LCP)", good: 2_500, poor: 4_000 },
  { metric: "p75:inp", label: "Interaction to Next Paint (INP)", good: 200, poor: 500 },
  { metric: "p75:cls", label: "Cumulative Layout Shift (CLS)", good: 0.1, poor: 0.25 },
] as const;

export const VITAL_METRICS = VITALS.map(({ metric }) => metric);

/** Each rating has a mark of a different shape, so that it can be told without its colour. */
export const RATINGS = {
  good: { label: "Good", mark: "●" },
  fair: { label: "Needs improvement", mark: "▲" },
  poor: { label: "Poor", mark: "■" },
} as const;
export type VitalRating = keyof typeof RATINGS;

/** @returns null when the metric is not a web vital, or has no value */
export function rateVital(metric: StatsMetric, value: number | null): VitalRating | null {
  const vital = VITALS.find((one) => one.metric === metric);
  if (vital === undefined || value === null) return null;
  if (value <= vital.good) return "good";
  return value <= vital.poor ? "fair" : "poor";
}
