/** Varied questions about the events of `scale-fill.ts`, the same ones each time: estimates are compared with exact answers. */
import type { StatsAccuracy, StatsAccuracyChoice, StatsFilter, StatsQueryBody } from "@headwater/contract";
import { answerFunnel } from "../../apps/server/src/stats/funnel.ts";
import { answerGoalReport } from "../../apps/server/src/stats/goal-report.ts";
import type { GoalRule } from "../../apps/server/src/stats/goals.ts";
import { answerPaths } from "../../apps/server/src/stats/paths.ts";
import { answerProperties } from "../../apps/server/src/stats/properties.ts";
import { answerQuery } from "../../apps/server/src/stats/query.ts";
import { answerRetention } from "../../apps/server/src/stats/retention.ts";
import type { RunQuery } from "../../apps/server/src/stats/run-query.ts";
import {
  createRandom,
  integerBelow,
  type RandomSource,
  weighted,
} from "../../apps/server/tools/seed/random.ts";
import { UNTIL } from "./month.ts";

const DAY_MS = 86_400_000;
const DAYS = 30;
/** Exact answers that read events take long. */
const DAYS_OF_EVENTS = 7;

/** The figures of an answer by their names, such as the dimensions and the metric. */
export interface AnswerFigures {
  readonly accuracy: StatsAccuracy;
  readonly figures: ReadonlyMap<string, number | null>;
}
export interface Question {
  readonly kind: string;
  /** @param isWhole with more rows than the question has, to find each row of an estimate */
  readonly ask: (run: RunQuery, accuracy: StatsAccuracyChoice, isWhole?: boolean) => Promise<AnswerFigures>;
}

const pick = <Value>(random: RandomSource, of: readonly Value[]): Value =>
  of[integerBelow(random, of.length)]!;
/** A number below `count`. The greater `skew` is, the more often it is small. */
const upTo = (random: RandomSource, count: number, skew = 1) => Math.floor(random() ** skew * count);
const PAGE = (random: RandomSource) => `/page/${upTo(random, 500, 3)}`;
const REFERRER = (random: RandomSource) => `site-${upTo(random, 300, 3)}.example`;
const VALUES = {
  page: PAGE,
  event: (random) => (random() < 0.3 ? "page_view" : `event_${upTo(random, 20, 2)}`),
  host: () => "shop.example",
  sentBy: () => "browser",
  entryPage: PAGE,
  exitPage: PAGE,
  referrer: REFERRER,
  source: REFERRER,
  channel: (random) => pick(random, ["Direct", "Referral"]),
  utmCampaign: (random) => `campaign-${upTo(random, 40)}`,
  device: (random) => pick(random, ["desktop", "mobile", "tablet"]),
  browser: (random) => pick(random, ["Chrome", "Safari", "Firefox", "Edge"]),
  browserVersion: (random) => String(120 + upTo(random, 20)),
  os: (random) => pick(random, ["Windows", "macOS", "Android", "iOS", "Linux"]),
  country: (random) => `C${upTo(random, 60, 2)}`,
  region: (random) => `R${upTo(random, 200)}`,
  city: (random) => `City ${upTo(random, 2_000, 2)}`,
  locale: (random) => pick(random, ["en-US", "de-DE", "fr-FR"]),
} as const satisfies Partial<Record<string, (random: RandomSource) => string>>;
type Filterable = keyof typeof VALUES;
const FILTERABLE = Object.keys(VALUES) as Filterable[];

function filterFrom(random: RandomSource): StatsFilter {
  const dimension = pick(random, FILTERABLE);
  const value = () => VALUES[dimension](random);
  const operator = pick(random, ["is", "is", "is", "is_not", "in", "contains"] as const);
  return { dimension, operator, value: operator === "in" ? [value(), value(), value()] : value() };
}
const FILTER_COUNTS = [0, 1, 1, 1, 2] as const;

/** The members that all queries have: a range of some days, often of the most, and up to two filters. */
function scopeFrom(random: RandomSource, sourceId: string, maxDays: number) {
  const days = random() < 0.4 ? maxDays : 1 + upTo(random, maxDays);
  const to = UNTIL - upTo(random, DAYS - days + 1) * DAY_MS;
  const dateRange = [to - days * DAY_MS, to].map((at) => new Date(at).toISOString()) as [string, string];
  const filters = Array.from({ length: pick(random, FILTER_COUNTS) }, () => filterFrom(random));
  return { sourceId, dateRange, timezone: "UTC", filters };
}

const METRICS: readonly StatsQueryBody["metrics"][] = [
  ["visitors"],
  ["visitors", "pageviews", "events"],
  ["visitors", "sessions"],
  ["visitors", "sessions", "pageviews", "bounceRate", "sessionDuration"],
  ["sessions", "bounceRate"],
  ["pageviews", "viewsPerSession"],
  ["engagedSessions", "sessions"],
  ["visitors", "timeOnPage", "scrollDepth"],
  ["events"],
];
type Dimensions = NonNullable<StatsQueryBody["dimensions"]>;
const DIMENSIONS: readonly Dimensions[] = [
  [],
  [],
  ["time:day"],
  ["time:hour"],
  ["device", "country"],
  ["time:day", "device"],
  ["property:plan"],
  ...FILTERABLE.map((dimension): Dimensions => [dimension]),
];
const LIMITS = [8, 8, 20, 100] as const;
/** More rows than any answer has. */
const ALL_ROWS = 5_000;

const rule = (random: RandomSource): GoalRule =>
  random() < 0.5
    ? { event: null, path: `/page/${1 + upTo(random, 9)}*`, conditions: [], value: null }
    : { event: VALUES.event(random), path: null, conditions: [], value: null };

type Named = readonly [name: unknown, value: number | null];
type Rows = { readonly accuracy?: StatsAccuracy; readonly rows: readonly (readonly Named[])[] };
const toFigures = ({ accuracy = { exact: true }, rows }: Rows): AnswerFigures => ({
  accuracy,
  figures: new Map(rows.flat().map(([name, value]) => [JSON.stringify(name), value])),
});
type QueryAnswer = Awaited<ReturnType<typeof answerQuery>>;
const ofQuery = ({ accuracy, results }: QueryAnswer): AnswerFigures =>
  toFigures({
    ...(accuracy && { accuracy }),
    rows: results.map((row) => row.metrics.map((value, at) => [[...row.dimensions, at], value] as const)),
  });

type Write = (random: RandomSource, sourceId: string) => Question["ask"];

function metricsQuestion(random: RandomSource, sourceId: string): Question["ask"] {
  const scope = scopeFrom(random, sourceId, DAYS);
  const goal = random() < 0.1 ? rule(random) : null;
  const metrics: StatsQueryBody["metrics"] = goal
    ? ["conversions", "conversionRate", "visitors"]
    : pick(random, METRICS);
  const dimensions = pick(random, DIMENSIONS);
  const limit = dimensions.some((one) => one.startsWith("time:")) ? ALL_ROWS : pick(random, LIMITS);
  return async (run, accuracy, isWhole = false) => {
    const pagination = { limit: isWhole ? ALL_ROWS : limit };
    return ofQuery(
      await answerQuery(
        run,
        { ...scope, metrics, dimensions, pagination, accuracy, ...(goal && { goal: {} }) },
        goal,
        UNTIL,
      ),
    );
  };
}

function pageQuestion(random: RandomSource, sourceId: string): Question["ask"] {
  const scope = scopeFrom(random, sourceId, DAYS_OF_EVENTS);
  return async (run, accuracy, isWhole = false) => {
    const pagination = { limit: isWhole ? ALL_ROWS : 8 };
    const body = { ...scope, accuracy, pagination, metrics: ["sessions" as const, "bounceRate" as const] };
    return ofQuery(await answerQuery(run, { ...body, dimensions: ["page"] }, null, UNTIL));
  };
}

function goalsQuestion(random: RandomSource, sourceId: string): Question["ask"] {
  const scope = scopeFrom(random, sourceId, DAYS_OF_EVENTS);
  const goals = ["A", "B", "C"].map((name) => ({ name, ...rule(random) }));
  const metrics: StatsQueryBody["metrics"] = ["conversions", "conversionRate", "visitors"];
  return async (run, accuracy) =>
    ofQuery(await answerGoalReport(run, { ...scope, metrics, dimensions: ["goal"], accuracy }, goals, UNTIL));
}

function funnelQuestion(random: RandomSource, sourceId: string): Question["ask"] {
  const scope = scopeFrom(random, sourceId, DAYS_OF_EVENTS);
  const steps = Array.from({ length: 2 + upTo(random, 3) }, () => rule(random));
  return async (run, accuracy) => {
    const answer = await answerFunnel(run, { ...scope, accuracy, steps: [] }, steps, UNTIL);
    const rows = answer.steps.map((step, at) =>
      Object.entries(step).map(([name, value]) => [[at, name], value] as const),
    );
    return toFigures({ ...answer, rows });
  };
}

function retentionQuestion(random: RandomSource, sourceId: string): Question["ask"] {
  const scope = scopeFrom(random, sourceId, DAYS_OF_EVENTS);
  const period = pick(random, ["day", "week"] as const);
  return async (run, accuracy) => {
    const answer = await answerRetention(run, { ...scope, accuracy, period }, UNTIL);
    const rows = answer.cohorts.map(({ start, returned }) =>
      returned.map((value, at) => [[start, at], value] as const),
    );
    return toFigures({ ...answer, rows });
  };
}

function propertiesQuestion(random: RandomSource, sourceId: string): Question["ask"] {
  const scope = scopeFrom(random, sourceId, DAYS_OF_EVENTS);
  return async (run, accuracy) => {
    const answer = await answerProperties(run, { ...scope, accuracy }, UNTIL);
    return toFigures({ ...answer, rows: [answer.properties.map(({ name, events }) => [name, events])] });
  };
}

function pathsQuestion(random: RandomSource, sourceId: string): Question["ask"] {
  const scope = scopeFrom(random, sourceId, DAYS_OF_EVENTS);
  const start = random() < 0.5 ? {} : { startPage: PAGE(random) };
  const limit = pick(random, [5, 20]);
  return async (run, accuracy, isWhole = false) => {
    const body = { ...scope, ...start, accuracy, limit: isWhole ? 3_000 : limit };
    const answer = await answerPaths(run, body, UNTIL);
    const rows = [answer.paths.map(({ step, from, to, sessions }) => [[step, from, to], sessions] as const)];
    return toFigures({ ...answer, rows });
  };
}

/** How many of a hundred generated questions are of each kind. */
const chooseKind = weighted<{ readonly kind: string; readonly write: Write }>([
  [82, { kind: "metrics", write: metricsQuestion }],
  [3, { kind: "page × bounce", write: pageQuestion }],
  [3, { kind: "goals", write: goalsQuestion }],
  [3, { kind: "funnel", write: funnelQuestion }],
  [3, { kind: "retention", write: retentionQuestion }],
  [3, { kind: "properties", write: propertiesQuestion }],
  [3, { kind: "paths", write: pathsQuestion }],
]);
const SEED = 1;

/** @returns questions that depend on their number only */
export const generateQuestions = (sourceId: string, count: number): Question[] =>
  Array.from({ length: count }, (_, number) => {
    const random = createRandom(SEED, 0, number);
    const { kind, write } = chooseKind(random);
    return { kind, ask: write(random, sourceId) };
  });
