/** Random events and queries from a seed: few different values, and times at the edges of days and of clock changes. */
import {
  LIMITS,
  STATS_BY_GOAL_METRICS,
  STATS_CLOCK_DIMENSIONS,
  STATS_EVENT_DIMENSIONS,
  STATS_GRAINS,
  STATS_METRICS,
  STATS_PROPERTY_METRICS,
  STATS_SESSION_DIMENSIONS,
  STATS_SITE_DIMENSION,
  STATS_TEXT_DIMENSIONS,
  type StatsMetric,
} from "@headwater/contract";
import { Refusal } from "../../src/core/refusal.ts";
import { metricsQuestion } from "../../src/stats/metrics-question.ts";
import { readQuery } from "../../src/stats/query.ts";
import type { ExampleEvent } from "./examples.ts";
import type { OracleComparison, OracleFilter, OracleFunnel, OracleGoal, OracleQuery } from "./oracle.ts";

export type Random = () => number;

/** The generator mulberry32: the same seed gives the same sequence. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const pick = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
const upTo = (random: Random, most: number) => Math.floor(random() * (most + 1));
const maybe = <T>(random: Random, share: number, value: () => T): T | undefined =>
  random() < share ? value() : undefined;
const some = <T>(random: Random, of: readonly T[], count: number): T[] =>
  [...of].sort(() => random() - 0.5).slice(0, count);

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A zone and a day around which the events are, mostly a day on which the zone's clocks change. */
export const PLACES = [
  { zone: "Europe/Berlin", day: "2026-03-29" },
  { zone: "Europe/Berlin", day: "2026-10-25" },
  { zone: "America/New_York", day: "2026-11-01" },
  { zone: "Australia/Lord_Howe", day: "2026-04-05" },
  { zone: "Australia/Lord_Howe", day: "2026-10-04" },
  { zone: "Africa/Cairo", day: "2026-04-24" },
  { zone: "Africa/Cairo", day: "2026-10-29" },
  { zone: "America/Havana", day: "2026-11-01" },
  { zone: "America/Santiago", day: "2026-09-06" },
  { zone: "Asia/Kathmandu", day: "2026-03-01" },
  { zone: "UTC", day: "2026-01-01" },
] as const;
type Place = (typeof PLACES)[number];

/** Names that would mean something else in SQL if they were not bound. */
export const PROPERTIES = [
  "plan",
  "nested.deep",
  "price",
  "we`ird",
  "q'u\"o\\te",
  "`plan`",
  "plan[]",
  "plan.null",
  "plan.:Int64",
  "^plan",
  "ключ 🙂",
  "{p0:String}",
] as const;
const VALUES: readonly unknown[] = [
  "pro",
  "free",
  "1",
  "",
  "ü%_*",
  1,
  2.5,
  -3,
  0,
  true,
  false,
  null,
  ["pro"],
  { deep: 7 },
];
/** As they are stored. */
const PATHS = ["/", "/a", "/a/b", "/b", "/%C3%BC", "/a%_", "/a\\b", "/a/b/c/d", "/item/1"];
const NAMES = ["signup", "buy", "o'clock", "page_view", "web_vitals"];
const VITALS = ["lcp", "inp", "cls", "fcp", "ttfb"];
/** Quarters of seconds, which have no rounding errors. */
const SECONDS = [0.25, 2.5, 4, 9.75, 60];
const CURRENCIES = ["EUR", "USD", "JPY"];
/** The goals of the sources. */
export const GOALS: OracleGoal[] = [
  { name: "Bought", event: "buy", value: { amount: 12.5, currency: "EUR" } },
  { name: "Read a", path: "/a*", value: { amount: 0.0001, currency: "USD" } },
  { name: "Went pro", event: "signup", conditions: [{ property: "plan", operator: "is", value: "pro" }] },
  {
    name: "Bought dear",
    event: "buy",
    conditions: [{ property: "price", operator: "gt", value: 0 }],
    value: { amount: 3, currency: "JPY" },
  },
];
const ATTRIBUTED = ["source", "channel", "utmSource", "utmMedium", "utmCampaign", "utmTerm", "utmContent"];
const GOAL_METRICS = ["conversions", "conversionRate", "visitors", "revenue"];
const WORDS: Readonly<Record<string, readonly (string | undefined)[]>> = {
  host: ["shop.example", "docs.example"],
  source: ["Google", "a'b.example", undefined],
  channel: ["Organic Search", "Direct", undefined],
  referrer: ["news.example", "a'b.example", undefined],
  utmSource: ["ads", "mail", undefined],
  utmMedium: ["cpc", undefined],
  utmCampaign: ["x", "y{p1:String}", undefined],
  utmTerm: ["shoes", undefined],
  utmContent: ["top", undefined],
  device: ["desktop", "mobile", undefined],
  browser: ["Chrome", "Firefox"],
  browserVersion: ["141", "18.6", undefined],
  os: ["macOS", "Android"],
  osVersion: ["15", undefined],
  screen: ["1440x900", undefined],
  locale: ["en-GB", "de", undefined],
  country: ["DE", "GB", undefined],
  region: ["England", "'s-Gravenhage", undefined],
  city: ["London", "Köln", undefined],
  sentBy: ["server", undefined],
};

/** A time at a clock change, at the edge of a day, or anywhere near. */
function timeNear(random: Random, { day }: Place): number {
  const middle = Date.parse(`${day}T00:00:00Z`);
  const edge = middle + (upTo(random, 8) - 4) * DAY + pick(random, [0, -1, 1, 2, 4, 5, 22, 23, -5.75]) * HOUR;
  return random() < 0.4
    ? edge + pick(random, [-1, 0, 1, -MINUTE, 30 * MINUTE])
    : edge + upTo(random, 86_400) * 1_000;
}

const textsOf = (random: Random) =>
  Object.fromEntries(
    Object.entries(WORDS)
      .map(([name, of]) => [name, pick(random, of)] as const)
      .filter(([, value]) => value !== undefined),
  );

function propertiesOf(random: Random): Record<string, unknown> {
  const names = some(
    random,
    PROPERTIES.filter((name) => name !== "nested.deep"),
    upTo(random, 4),
  );
  const entries = names.map((name) => [name, pick(random, VALUES)]);
  const vitals = VITALS.map((name) => [name, pick(random, [100, 250.5, 0.1, 4_000, "slow", null])]);
  return {
    ...Object.fromEntries(entries),
    ...maybe(random, 0.3, () => Object.fromEntries(vitals)),
    ...maybe(random, 0.3, () => ({
      nested: {
        deep: pick(
          random,
          VALUES.filter((one) => typeof one !== "object"),
        ),
      },
    })),
  };
}

/** A passive event, often an engagement report. */
const measuredOf = (random: Random): Partial<ExampleEvent> => ({
  passive: true,
  ...maybe(random, 0.7, () => ({ engagedSeconds: pick(random, SECONDS) })),
  ...maybe(random, 0.5, () => ({ scrollDepth: pick(random, [0, 25, 80, 100]) })),
});

export function eventsOf(random: Random, place: Place, count: number): ExampleEvent[] {
  const events: ExampleEvent[] = [];
  while (events.length < count) {
    const session = `s${events.length}`;
    const visitor = `v${upTo(random, Math.ceil(count / 8))}`;
    const user = maybe(random, 0.3, () => `u${upTo(random, 10)}`);
    const isBot = random() < 0.1;
    let at = timeNear(random, place);
    for (let left = 1 + upTo(random, 5); left > 0; left--) {
      const isTrack = random() < 0.35;
      const page = isTrack && random() < 0.4 ? undefined : pick(random, PATHS);
      events.push({
        // ids that do not rise with time, so that ties are broken against the order of arrival
        id: `e${Math.floor(random() * 1e9)}-${events.length}`,
        at: new Date(at).toISOString(),
        session,
        visitor: random() < 0.03 ? `v${upTo(random, 5)}` : visitor,
        ...(user !== undefined && random() < 0.8 ? { user } : {}),
        ...(isTrack ? { name: pick(random, NAMES) } : {}),
        ...(isTrack && random() < 0.4 ? measuredOf(random) : {}),
        ...maybe(random, 0.2, () => ({ planViolation: true as const })),
        ...maybe(random, 0.2, () => ({
          revenue: pick(random, [9.99, 20, -5.5, 0.0001]),
          currency: pick(random, CURRENCIES),
        })),
        ...(page === undefined ? {} : { page }),
        ...textsOf(random),
        ...maybe(random, 0.3, () => ({
          clickIds: Object.fromEntries(
            some(random, ["gclid", "fbclid"], 1 + upTo(random, 1)).map((one) => [one, "1"]),
          ),
        })),
        ...maybe(random, 0.7, () => ({ properties: propertiesOf(random) })),
        ...(isBot ? { isBot } : {}),
      });
      // at once, soon, within the session's time, and now and then beyond a day
      at += pick(random, [0, 0, 1, 5_000, 10 * MINUTE, 29 * MINUTE, 5 * HOUR, 26 * HOUR]);
    }
  }
  return events.sort(() => random() - 0.5);
}

export const METRICS = [
  ...STATS_METRICS,
  ...STATS_PROPERTY_METRICS.map((kind) => `${kind}:price`),
  ...["p75:lcp", "avg:cls", "sum:plan"],
];
const PAGE_METRICS = ["entrances", "exits", "exitRate"];
const REVENUE_METRICS = ["revenue", "averageOrderValue", "revenuePerVisitor", "revenuePerSession"];
const OF_ALL = ["revenuePerVisitor", "revenuePerSession"];
export const DIMENSIONS = [
  ...STATS_TEXT_DIMENSIONS.filter((one) => one !== STATS_SITE_DIMENSION),
  ...STATS_CLOCK_DIMENSIONS,
  ...STATS_GRAINS.map((grain) => `time:${grain}`),
  ...PROPERTIES.map((name) => `property:${name}`),
];
const isTime = (dimension: string) => dimension.startsWith("time:");
const isClock = (dimension: string) => STATS_CLOCK_DIMENSIONS.some((one) => one === dimension);
const STICKINESS = ["dauPerWau", "dauPerMau", "wauPerMau"];
const ROLLING = ["visitors7Days", "visitors28Days", ...STICKINESS];
/** Whether a metric can be asked for by the dimensions: rolling metrics are of whole days, and stickiness of one. */
const isAnswered = (metric: string, dimensions: readonly string[]) =>
  !ROLLING.includes(metric) ||
  (!dimensions.some((one) => isClock(one) || /^time:(?:minute|hour)$/.test(one)) &&
    (!STICKINESS.includes(metric) || dimensions.includes("time:day")));
const isProperty = (dimension: string) => dimension.startsWith("property:");

/** Every dimension with every operator that it takes. */
export const LEAVES = DIMENSIONS.filter((one) => !isTime(one)).flatMap((dimension) =>
  [
    ...["is", "is_not", "in"],
    ...(isClock(dimension) ? [] : ["contains", "matches"]),
    ...(isProperty(dimension) ? ["gt", "lt"] : []),
  ].map((operator) => ({ dimension, operator })),
);

/** The dimensions of the first visit that have the values of another one. */
const FIRST_VISIT_WORDS: Readonly<Record<string, string>> = {
  firstSource: "source",
  firstChannel: "channel",
  firstUtmCampaign: "utmCampaign",
};

function wordOf(random: Random, dimension: string): string | null {
  if (dimension === "clickId") return pick(random, ["gclid", "fbclid", null]);
  if (dimension === "visitorType") return pick(random, ["new", "returning", null]);
  if (dimension === "currency") return pick(random, [...CURRENCIES, null]);
  if (dimension === "event") return pick(random, [...NAMES, null]);
  if (dimension === "contentGroup") return pick(random, ["A's", "Deep", null]);
  if (dimension.startsWith("folder")) return pick(random, ["/", "/a/", "/a/b/", "/%61/", "/ü/", null]);
  // as people read them, and in other forms of the same path
  if (/page/i.test(dimension)) return pick(random, [...PATHS, "/ü", "/%c3%bc", "/%61", null]);
  return pick(random, WORDS[FIRST_VISIT_WORDS[dimension] ?? dimension] ?? ["x"]) ?? null;
}

function scalarOf(random: Random, dimension: string): string | number | boolean | null {
  if (dimension === "hourOfDay") return pick(random, [0, 1, 2, 22, 23]);
  if (dimension === "dayOfWeek") return 1 + upTo(random, 6);
  if (!isProperty(dimension)) return wordOf(random, dimension);
  return pick(
    random,
    VALUES.filter((one) => typeof one !== "object" || one === null),
  ) as string;
}

function leafOf(
  random: Random,
  { dimension, operator }: { dimension: string; operator: string },
): OracleFilter {
  switch (operator) {
    case "in":
      return { dimension, operator, value: [0, 1, 2].map(() => scalarOf(random, dimension)) };
    case "contains":
      return { dimension, operator, value: pick(random, ["a", "e", "/", "ü", "%", "'", "."]) };
    case "matches":
      return {
        dimension,
        operator,
        value: pick(random, ["^/", "a$", "[ab]/?", "^(pro|1)$", "o.*e", "\\.example$", "ü"]),
      };
    case "gt":
    case "lt":
      return { dimension, operator, value: pick(random, [-3, 0, 1, 2.4]) };
    default:
      return { dimension, operator, value: scalarOf(random, dimension) };
  }
}

function joined(random: Random, leaf: OracleFilter): OracleFilter {
  const other = leafOf(random, pick(random, LEAVES));
  return pick<() => OracleFilter>(random, [
    () => leaf,
    () => leaf,
    () => leaf,
    () => ({ not: leaf }),
    () => ({ or: [leaf, other] }),
    () => ({ and: [leaf, { not: other }] }),
    () => ({ sessionHas: leaf }),
    () => ({ not: { sessionHas: leaf } }),
    () => ({ or: [{ and: [leaf, other] }, { sessionHas: { or: [other, { not: leaf }] } }] }),
  ])();
}

function rangeOf(random: Random, { day }: Place, dimensions: readonly string[]): [string, string] {
  const middle = Date.parse(`${day}T00:00:00Z`);
  const first = middle - upTo(random, 3) * DAY;
  // a day has 1,440 minutes, and no more than 1,500 are asked for
  if (dimensions.includes("time:minute") || random() < 0.15) {
    const from = timeNear(random, { zone: "UTC", day } as Place);
    return [new Date(from).toISOString(), new Date(from + (1 + upTo(random, 20)) * HOUR).toISOString()];
  }
  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
  return [dayOf(first), dayOf(first + (1 + upTo(random, 6)) * DAY)];
}

const comparisonOf = (random: Random, place: Place): OracleComparison =>
  pick<() => OracleComparison>(random, [
    () => true,
    () => ({ mode: "previous" }),
    () => ({ mode: "year" }),
    () => ({ mode: pick(random, ["previous", "year"]), sameWeekdays: true }),
    () => ({ mode: "custom", dateRange: rangeOf(random, place, []) }),
  ])();

/** The query of a number: in turn every dimension with every metric, and every dimension with every operator. */
export function queryOf(random: Random, place: Place, number: number): OracleQuery {
  const dimension = DIMENSIONS[number % DIMENSIONS.length]!;
  const metric = METRICS[Math.floor(number / DIMENSIONS.length) % METRICS.length]!;
  const others = DIMENSIONS.filter((one) => one !== dimension && !(isTime(one) && isTime(dimension)));
  const further = some(random, others, pick(random, [0, 0, 0, 1, 1, 2]));
  const isDoubled = further.filter(isTime).length > 1;
  const asked = random() < 0.05 ? [] : [dimension, ...(isDoubled ? [] : further)];
  const wanted = [...new Set([metric, ...some(random, METRICS, upTo(random, 7))])];
  const answered = wanted.filter((one) => isAnswered(one, asked));
  const metrics = answered.length > 0 ? answered : ["visitors"];
  const needsPage = metrics.some((one) => PAGE_METRICS.includes(one));
  const dimensions = needsPage && !asked.includes("page") ? [...asked, "page"] : asked;
  const leaf = leafOf(random, LEAVES[number % LEAVES.length]!);
  const isOfMoney = metrics.some((one) => REVENUE_METRICS.includes(one));
  const namesCurrency = metrics.some((one) => OF_ALL.includes(one)) || random() < 0.3;
  const inOneCurrency =
    isOfMoney && !namesCurrency && !dimensions.includes("currency")
      ? [{ dimension: "currency", operator: "is", value: pick(random, CURRENCIES) }]
      : [];
  const filters = [
    ...(random() < 0.2 ? [] : [joined(random, leaf), ...(random() < 0.1 ? [joined(random, leaf)] : [])]),
    ...inOneCurrency,
  ];
  const fields = [...metrics, ...dimensions];
  return {
    dateRange: rangeOf(random, place, dimensions),
    timezone: random() < 0.8 ? place.zone : pick(random, PLACES).zone,
    metrics,
    dimensions,
    filters,
    ...(isOfMoney && namesCurrency ? { currency: pick(random, CURRENCIES) } : {}),
    goal: pick(random, [
      { event: "buy" },
      { page: "/a*" },
      { page: "/a%_" },
      { page: "/ü*" },
      { page: "*b" },
      ...GOALS.map(({ name }) => ({ name })),
    ]),
    ...maybe(random, 0.4, () => ({
      orderBy: some(random, fields, 1 + upTo(random, 1)).map((field) => ({
        field,
        direction: pick(random, ["asc", "desc"]),
      })),
    })),
    include: {
      bots: random() < 0.2,
      comparison: random() < 0.15 && comparisonOf(random, place),
      total: random() < 0.2 && !needsPage && (!isOfMoney || namesCurrency || inOneCurrency.length > 0),
    },
    ...maybe(random, 0.3, () => ({ pagination: { limit: 1 + upTo(random, 5), offset: upTo(random, 3) } })),
  };
}

/** A query of conversions by the first touch of their visitors. */
export function touchQueryOf(random: Random, place: Place, number: number): OracleQuery {
  const { orderBy: _order, currency: _currency, ...query } = queryOf(random, place, number);
  const others = DIMENSIONS.filter((one) => !ATTRIBUTED.includes(one));
  const dimensions = [
    ...some(random, ATTRIBUTED, 1 + upTo(random, 1)),
    ...some(random, others, pick(random, [0, 0, 1])),
  ];
  const metrics = some(random, GOAL_METRICS, 1 + upTo(random, 3));
  const isOfMany = metrics.includes("revenue") && !dimensions.includes("currency");
  const inOneCurrency = { dimension: "currency", operator: "is", value: pick(random, CURRENCIES) };
  const filters = random() < 0.5 ? [] : query.filters;
  return {
    ...query,
    dateRange: rangeOf(random, place, dimensions),
    metrics,
    dimensions,
    filters: [...filters, ...(isOfMany ? [inOneCurrency] : [])],
    include: { ...query.include, total: random() < 0.3 && !metrics.includes("revenue") },
    attribution: {
      model: pick(random, ["firstTouch", "lastNonDirect"] as const),
      ...maybe(random, 0.8, () => ({ windowDays: 1 + upTo(random, 3) })),
    },
  };
}

/** A query by goal, alone or beside other dimensions. */
export function goalQueryOf(random: Random, place: Place, number: number): OracleQuery {
  const { orderBy: _order, currency: _currency, goal: _goal, ...query } = queryOf(random, place, number);
  const others = query.dimensions.filter((one) => one !== "currency").slice(0, 2);
  const dimensions = pick(random, [
    ["goal"],
    ["goal", ...others],
    [...others, "goal"],
    ["goal", "currency"],
    ["currency", ...others, "goal"],
  ]);
  const attribution = dimensions.some((one) => ATTRIBUTED.includes(one))
    ? maybe(random, 0.3, () => ({ model: pick(random, ["firstTouch", "lastNonDirect"] as const) }))
    : undefined;
  const isByCurrency = dimensions.includes("currency");
  const hasCurrency = isByCurrency || JSON.stringify(query.filters).includes("currency");
  const ofMetrics = STATS_BY_GOAL_METRICS.filter((one) => !hasCurrency || !/session/i.test(one));
  const metrics = some<string>(random, attribution ? GOAL_METRICS : ofMetrics, 1 + upTo(random, 3));
  const isOfMoney = metrics.some((one) => REVENUE_METRICS.includes(one));
  const isOfAll = metrics.some((one) => OF_ALL.includes(one));
  const namesCurrency = isOfMoney && (isOfAll || (!isByCurrency && !hasCurrency) || random() < 0.5);
  const isOfMany = isOfMoney && !namesCurrency && !isByCurrency;
  const inOneCurrency = { dimension: "currency", operator: "is", value: pick(random, CURRENCIES) };
  const fields = [...metrics, ...dimensions];
  return {
    ...query,
    dateRange: rangeOf(random, place, dimensions),
    metrics,
    dimensions,
    filters: [...query.filters, ...(isOfMany ? [inOneCurrency] : [])],
    include: { ...query.include, total: false },
    ...(attribution ? { attribution } : {}),
    ...(namesCurrency ? { currency: pick(random, CURRENCIES) } : {}),
    ...maybe(random, 0.4, () => ({
      orderBy: [{ field: pick(random, fields), direction: pick(random, ["asc", "desc"]) }],
    })),
  };
}

/** Ranges end before the service's time: the rest of a range that is not over is compared with nothing. */
const LATEST = Date.UTC(2026, 10, 20);

/** A metric that needs a goal, a page, a day or a currency is refused. */
function isOfSessionRollups(metric: StatsMetric): boolean {
  const sources = { sourceId: "src", sourceIds: ["src"], contentGroups: [] };
  try {
    const { query } = readQuery(
      { ...sources, dateRange: ["2026-05-01", "2026-05-02"], metrics: [metric] },
      null,
      LATEST,
    );
    return metricsQuestion(query).from === "sessionRollups";
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
const OF_SESSION_ROLLUPS = STATS_METRICS.filter(isOfSessionRollups);
const GRAINS = ["time:hour", "time:day", "time:week", "time:month"];

/** A query like those of a dashboard: about sessions or events, by days, with filters of both kinds. */
export function dashboardQueryOf(random: Random, place: Place, number: number): OracleQuery {
  const isAboutEvents = random() < 0.4;
  const words = isAboutEvents ? STATS_EVENT_DIMENSIONS : STATS_SESSION_DIMENSIONS;
  const own = isAboutEvents
    ? [...STATS_EVENT_DIMENSIONS, ...STATS_SESSION_DIMENSIONS]
    : STATS_SESSION_DIMENSIONS;
  const leaf = () =>
    leafOf(random, {
      dimension: pick(random, own),
      operator: pick(random, ["is", "is_not", "contains", "in"]),
    });
  const filters = pick<() => OracleFilter[]>(random, [
    () => [],
    () => [],
    () => [leaf()],
    () => [leaf(), { not: leaf() }],
    () => [{ or: [leaf(), leaf()] }],
  ])();
  const metrics = isAboutEvents
    ? ["visitors", "visitors7Days", "pageviews", "events", "passiveEvents", "timeOnPage", "scrollDepth"]
    : OF_SESSION_ROLLUPS;
  const dimensions = some(random, [...words, pick(random, GRAINS)], upTo(random, 2));
  const query = queryOf(random, place, number);
  const { orderBy: _order, currency: _currency, goal: _goal, ...others } = query;
  return {
    ...others,
    dateRange: rangeOf(random, place, ["time:day"]),
    metrics: some(
      random,
      metrics.filter((one) => isAnswered(one, dimensions)),
      1 + upTo(random, Math.min(metrics.length, LIMITS.maxStatsMetrics) - 1),
    ),
    dimensions,
    filters,
    include: {
      bots: false,
      comparison: random() < 0.3 && comparisonOf(random, place),
      total: random() < 0.2,
    },
  };
}

/** A query of rolling metrics, mostly by time, up to a month after the events. */
export function rollingQueryOf(random: Random, place: Place, number: number): OracleQuery {
  const make = pick(random, [queryOf, dashboardQueryOf]);
  const { orderBy: _order, currency: _currency, goal: _goal, ...query } = make(random, place, number);
  const grain = pick(random, ["time:day", "time:day", "time:week", "time:month", null]);
  const others = query.dimensions.filter((one) => !isTime(one) && !isClock(one)).slice(0, upTo(random, 2));
  const dimensions = some(random, [...others, ...(grain === null ? [] : [grain])], 3);
  const metrics = ["visitors", "sessions", ...ROLLING].filter((one) => isAnswered(one, dimensions));
  const asked = some(random, metrics, 2 + upTo(random, metrics.length - 2));
  const first = Math.min(Date.parse(`${place.day}T00:00:00Z`) + (upTo(random, 34) - 6) * DAY, LATEST - DAY);
  const end = Math.min(first + (1 + upTo(random, pick(random, [0, 6, 40]))) * DAY, LATEST);
  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
  return {
    ...query,
    dateRange: random() < 0.2 ? rangeOf(random, place, dimensions) : [dayOf(first), dayOf(end)],
    metrics: asked,
    dimensions,
    include: { ...query.include, total: random() < 0.4 },
    ...maybe(random, 0.4, () => ({
      orderBy: [{ field: pick(random, [...asked, ...dimensions]), direction: pick(random, ["asc", "desc"]) }],
    })),
    ...maybe(random, 0.3, () => ({ pagination: { limit: 1 + upTo(random, 5), offset: upTo(random, 3) } })),
  };
}

const STEPS = [
  ...NAMES.map((event) => ({ event })),
  ...["/a*", "/", "*", "/ü*", "*b"].map((page) => ({ page })),
  ...GOALS.map(({ name }) => ({ name })),
];
const SEGMENT_DIMENSIONS = DIMENSIONS.filter((one) => !isTime(one) && !isClock(one));

export function funnelQueryOf(random: Random, place: Place, number: number): OracleFunnel {
  const leaf = leafOf(random, pick(random, LEAVES));
  return {
    dateRange: rangeOf(random, place, []),
    timezone: place.zone,
    filters: random() < 0.6 ? [] : [joined(random, leaf)],
    steps: Array.from({ length: 2 + upTo(random, 3) }, () => pick(random, STEPS)),
    ...maybe(random, 0.8, () => ({ windowSeconds: pick(random, [1, 5, 600, 1_805, 18_000, 200_000]) })),
    ...maybe(random, 0.6, () => ({ within: pick(random, ["visitor", "session"] as const) })),
    ...maybe(random, 0.6, () => ({ dimension: SEGMENT_DIMENSIONS[number % SEGMENT_DIMENSIONS.length]! })),
    ...maybe(random, 0.4, () => ({ limit: 1 + upTo(random, 19) })),
    include: { bots: random() < 0.2, times: random() < 0.7 },
  };
}
