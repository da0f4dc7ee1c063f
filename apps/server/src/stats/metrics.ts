/** The closed table of metrics: what each is added up from, and how it is made of the sums. */
import type { StatsMetric } from "@headwater/contract";

const SUM = "sum:";
/** The property that a metric adds up; null: it adds up none. */
export const summedBy = (metric: StatsMetric): string | null =>
  metric.startsWith(SUM) ? metric.slice(SUM.length) : null;

/** Sums over events, of the columns that `query-sql.ts` gives them. Ids are counted by their hashes, which are shorter. */
export const OF_EVENTS = {
  visitors: "uniqExact(visitor)",
  users: "uniqExact(user)",
  pageviews: "countIf(isPage)",
  events: "count()",
  converted: "uniqExactIf(visitor, isGoal)",
} as const;
/** Sums over sessions. */
export const OF_SESSIONS = {
  sessions: "count()",
  bounces: "countIf(pageViews = 1 AND trackEvents = 0)",
  durationMs: "sum(dateDiff('millisecond', startedAt, endedAt))",
} as const;

/** Sums over sessions again, of those of their events that count, and of the sessions that count themselves. */
export const OF_VISITS = {
  visitors: "uniqExactArray(visitorsOf)",
  users: "uniqExactArray(usersOf)",
  pageviews: "sum(pageviewsOf)",
  events: "sum(eventsOf)",
  converted: "uniqExactArray(convertedOf)",
  sessions: "countIf(isCounted)",
  bounces: "countIf(isCounted AND pageViews = 1 AND trackEvents = 0)",
  durationMs: "sumIf(dateDiff('millisecond', startedAt, endedAt), isCounted)",
} as const;

export type Part = keyof typeof OF_EVENTS | keyof typeof OF_SESSIONS | `sum${number}`;

const ratio = (of: Part, over: Part) => `if(${over} = 0, NULL, ${of} / ${over})`;
interface Metric {
  readonly parts: readonly Part[];
  readonly sql: string;
}
const count = (part: Part): Metric => ({ parts: [part], sql: part });

const METRICS: Readonly<Record<Exclude<StatsMetric, `sum:${string}`>, Metric>> = {
  visitors: count("visitors"),
  users: count("users"),
  sessions: count("sessions"),
  pageviews: count("pageviews"),
  events: count("events"),
  viewsPerSession: { parts: ["pageviews", "sessions"], sql: ratio("pageviews", "sessions") },
  bounceRate: { parts: ["bounces", "sessions"], sql: ratio("bounces", "sessions") },
  sessionDuration: {
    parts: ["durationMs", "sessions"],
    sql: `${ratio("durationMs", "sessions")} / 1000`,
  },
  conversionRate: { parts: ["converted", "visitors"], sql: ratio("converted", "visitors") },
};

/** @param at its place in the question, by which the sums over properties are told apart */
export const metricOf = (metric: StatsMetric, at: number): Metric =>
  summedBy(metric) === null ? METRICS[metric as keyof typeof METRICS] : count(`sum${at}`);

/** What a group without a row is: nothing was counted, and a ratio over nothing is null. */
export const emptyOf = (metric: StatsMetric): number | null =>
  ["viewsPerSession", "bounceRate", "sessionDuration", "conversionRate"].includes(metric) ? null : 0;
