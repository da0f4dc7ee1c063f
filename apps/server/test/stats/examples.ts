/**
 * Worked examples of docs/stats.md: a few events, a query, and the answer, computed by hand. They were written
 * before the code, so if the two disagree, the code is wrong.
 */
import type { OracleGoal } from "./oracle.ts";

/** A page view, or with `name` a track event. */
export interface ExampleEvent {
  id: string;
  at: string;
  session: string;
  visitor: string;
  user?: string;
  name?: string;
  page?: string;
  host?: string;
  source?: string;
  channel?: string;
  referrer?: string;
  utmSource?: string;
  utmMedium?: string;
  utmCampaign?: string;
  utmTerm?: string;
  utmContent?: string;
  clickIds?: Record<string, string>;
  device?: string;
  browser?: string;
  browserVersion?: string;
  os?: string;
  osVersion?: string;
  screen?: string;
  locale?: string;
  country?: string;
  region?: string;
  city?: string;
  isBot?: true;
  passive?: true;
  revenue?: number;
  currency?: string;
  engagedSeconds?: number;
  scrollDepth?: number;
  planViolation?: true;
  sentBy?: "server";
  properties?: Record<string, unknown>;
}

/** `[dimensions, metrics]`, and with a comparison `[dimensions, metrics, before]`. */
type ExampleRow = [unknown[], (number | null)[], ((number | null)[] | null)?];

export interface Example {
  sentence: string;
  /** How the answer was computed. */
  because: string;
  /** The goals of the source. */
  goals?: OracleGoal[];
  /** In the order of their arrival in the warehouse. */
  events: ExampleEvent[];
  ask: "query" | "funnel" | "retention" | "paths" | "live";
  body: Record<string, unknown>;
  /** The time at which it is asked. */
  now?: string;
  /** Of `query`. */
  rows?: ExampleRow[];
  /** `complete` of each row. */
  complete?: boolean[];
  /** Members of another answer. */
  answer?: Record<string, unknown>;
}

const HOUR_MS = 3_600_000;
/** So many hours from one on, each with what it counts, 0 where nothing is said. */
const hours = (from: string, count: number, counted: Record<string, number>): ExampleRow[] =>
  Array.from({ length: count }, (_, index) => {
    const at = new Date(Date.parse(from) + index * HOUR_MS).toISOString();
    return [[at], [counted[at] ?? 0]];
  });

const visit = (
  session: string,
  visitor: string,
  ...views: [id: string, at: string, page: string, over?: Partial<ExampleEvent>][]
): ExampleEvent[] => views.map(([id, at, page, over]) => ({ id, at, session, visitor, page, ...over }));

/** An engagement report of the page /a. */
const report = (id: string, at: string, session: string, over: Partial<ExampleEvent>): ExampleEvent => ({
  id,
  at,
  session,
  visitor: session.replace("s", "v"),
  name: "engagement",
  page: "/a",
  passive: true,
  ...over,
});
const sale = (id: string, revenue: number, currency: string): ExampleEvent => ({
  id,
  at: "2026-05-10T10:00:00.000Z",
  session: "s1",
  visitor: "v1",
  name: "purchase",
  revenue,
  currency,
});

const VALUED: OracleGoal[] = [
  { name: "Read", path: "/docs" },
  { name: "Called", event: "call" },
  { name: "Bought", event: "purchase", value: { amount: 5, currency: "EUR" } },
];
const bought = (id: string, visitor: string): ExampleEvent => ({
  id,
  at: "2026-05-10T10:00:00.000Z",
  session: visitor.replace("v", "s"),
  visitor,
  name: "purchase",
});
const SALES: ExampleEvent[] = [
  ...visit("s3", "v3", ["a", "2026-05-10T10:00:00.000Z", "/docs"]),
  sale("b", 10, "EUR"),
  bought("c", "v1"),
  bought("d", "v2"),
  sale("e", 7, "USD"),
  { ...sale("f", -3, "EUR"), name: "refund" },
];

const EUR = (id: string, visitor: string, revenue: number, over: Partial<ExampleEvent>): ExampleEvent => ({
  ...bought(id, visitor),
  revenue,
  currency: "EUR",
  ...over,
});
const TOUCHES: ExampleEvent[] = [
  ...visit("t1", "v1", [
    "a",
    "2026-05-01T10:00:00.000Z",
    "/",
    { source: "Google", channel: "Organic Search" },
  ]),
  ...visit("t2", "v1", ["b", "2026-05-09T10:00:00.000Z", "/", { source: "News", channel: "Referral" }]),
  EUR("c", "v1", 10, { session: "t3" }),
  EUR("d", "v1", 10, { session: "t3", at: "2026-05-10T10:00:00.001Z" }),
  ...visit("t3", "v1", ["e", "2026-05-10T10:00:00.002Z", "/"]),
  ...visit("t4", "v2", ["f", "2026-05-10T09:00:00.000Z", "/", { source: "News", channel: "Referral" }]),
  EUR("g", "v2", 5, { session: "t4" }),
  ...visit("t5", "v3", [
    "h",
    "2026-05-10T10:00:00.000Z",
    "/",
    { source: "Google", channel: "Organic Search" },
  ]),
];
const ATTRIBUTED = {
  dateRange: ["2026-05-10", "2026-05-11"],
  metrics: ["conversions", "conversionRate", "visitors"],
  dimensions: ["source"],
  goal: { event: "purchase" },
};

export const EXAMPLES: Example[] = [
  {
    sentence: "A range is half-open local days: a day begins and ends at midnight of the asked time zone.",
    because:
      "Berlin is UTC+1 in January: the 11th is 10T23:00Z to 11T23:00Z. a lies a millisecond before, b at its first instant, c at the first of the next day.",
    events: visit(
      "s1",
      "v1",
      ["a", "2026-01-10T22:59:59.999Z", "/"],
      ["b", "2026-01-10T23:00:00.000Z", "/"],
      ["c", "2026-01-11T23:00:00.000Z", "/"],
    ),
    ask: "query",
    body: { dateRange: ["2026-01-11", "2026-01-12"], timezone: "Europe/Berlin", metrics: ["pageviews"] },
    rows: [[[], [1]]],
  },
  {
    sentence: "The day on which clocks go forward has 23 hours.",
    because:
      "Berlin, 2026-03-29: 02:00 becomes 03:00 at 01:00Z. Midnight is 28T23:00Z (UTC+1), the next 29T22:00Z (UTC+2): 23 hours. 00:59:59Z is 01:59 local, 01:00Z is 03:00 local: the next hour.",
    events: visit(
      "s1",
      "v1",
      ["a", "2026-03-29T00:59:59.000Z", "/"],
      ["b", "2026-03-29T01:00:00.000Z", "/"],
      ["c", "2026-03-29T21:59:59.999Z", "/"],
      ["d", "2026-03-29T22:00:00.000Z", "/"],
    ),
    ask: "query",
    body: {
      dateRange: ["2026-03-29", "2026-03-30"],
      timezone: "Europe/Berlin",
      metrics: ["pageviews"],
      dimensions: ["time:hour"],
    },
    rows: hours("2026-03-28T23:00:00.000Z", 23, {
      "2026-03-29T00:00:00.000Z": 1,
      "2026-03-29T01:00:00.000Z": 1,
      "2026-03-29T21:00:00.000Z": 1,
    }),
  },
  {
    sentence: "The day on which clocks go back has 25 hours, and the hour that comes twice is two.",
    because:
      "Berlin, 2026-10-25: 03:00 becomes 02:00 at 01:00Z. Midnight is 24T22:00Z (UTC+2), the next 25T23:00Z (UTC+1). 00:30Z is the first 02:30, 01:30Z the second.",
    events: visit(
      "s1",
      "v1",
      ["a", "2026-10-25T00:30:00.000Z", "/"],
      ["b", "2026-10-25T01:30:00.000Z", "/"],
      ["c", "2026-10-25T22:59:59.999Z", "/"],
    ),
    ask: "query",
    body: {
      dateRange: ["2026-10-25", "2026-10-26"],
      timezone: "Europe/Berlin",
      metrics: ["events"],
      dimensions: ["time:hour"],
    },
    rows: hours("2026-10-24T22:00:00.000Z", 25, {
      "2026-10-25T00:00:00.000Z": 1,
      "2026-10-25T01:00:00.000Z": 1,
      "2026-10-25T22:00:00.000Z": 1,
    }),
  },
  {
    sentence:
      "A session over midnight belongs to the day of its first event; its page views to their own days.",
    because:
      "23:50 to 00:10 is one session of 20 minutes = 1200 s, on the 10th: 1 view / 1 session. The 11th has a view and no session: its ratios are over nothing.",
    events: visit(
      "s1",
      "v1",
      ["a", "2026-05-10T23:50:00.000Z", "/a"],
      ["b", "2026-05-11T00:10:00.000Z", "/b"],
    ),
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-12"],
      metrics: ["visitors", "sessions", "pageviews", "viewsPerSession", "sessionDuration", "bounceRate"],
      dimensions: ["time:day"],
    },
    rows: [
      [["2026-05-10T00:00:00.000Z"], [1, 1, 1, 1, 1200, 0]],
      [["2026-05-11T00:00:00.000Z"], [1, 0, 1, null, null, null]],
    ],
  },
  {
    sentence: "An event that comes late puts its session right.",
    because:
      "c comes last and happened first: the session begins at 09:59 with /landing from ads, lasts 09:59–10:05 = 360 s, and leaves from /b.",
    events: visit(
      "s1",
      "v1",
      ["b", "2026-05-10T10:05:00.000Z", "/b"],
      ["a", "2026-05-10T10:00:00.000Z", "/a"],
      ["c", "2026-05-10T09:59:00.000Z", "/landing", { utmSource: "ads" }],
    ),
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["sessions", "sessionDuration"],
      dimensions: ["entryPage", "exitPage", "utmSource"],
    },
    rows: [
      [
        ["/landing", "/b", "ads"],
        [1, 360],
      ],
    ],
  },
  {
    sentence: "Of two events at the same instant the one with the smaller id is first, the other last.",
    because: "a1 < a2, whichever came first: the session enters by /one and leaves by /two.",
    events: visit(
      "s1",
      "v1",
      ["a2", "2026-05-10T10:00:00.000Z", "/two"],
      ["a1", "2026-05-10T10:00:00.000Z", "/one"],
    ),
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["sessions"],
      dimensions: ["entryPage", "exitPage"],
    },
    rows: [[["/one", "/two"], [1]]],
  },
  {
    sentence: "A session without a page view has no exit page.",
    because:
      "s1 sends a track event from /a and views nothing. s2 leaves by /b, although it buys at /c after that.",
    events: [
      { id: "a", at: "2026-05-10T10:00:00.000Z", session: "s1", visitor: "v1", name: "ping", page: "/a" },
      ...visit("s2", "v2", ["b", "2026-05-10T10:00:00.000Z", "/b"]),
      { id: "c", at: "2026-05-10T10:00:01.000Z", session: "s2", visitor: "v2", name: "buy", page: "/c" },
    ],
    ask: "query",
    body: { dateRange: ["2026-05-10", "2026-05-11"], metrics: ["sessions"], dimensions: ["exitPage"] },
    rows: [
      [["/b"], [1]],
      [[null], [1]],
    ],
  },
  {
    sentence: "A page that is viewed after the range only has no row.",
    because: "s1 begins before midnight at /a. It views /b after midnight, which is not in the range.",
    events: visit(
      "s1",
      "v1",
      ["a", "2026-05-10T23:59:00.000Z", "/a"],
      ["b", "2026-05-11T00:01:00.000Z", "/b"],
    ),
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["sessions", "visitors", "events"],
      dimensions: ["page"],
    },
    rows: [[["/a"], [1, 1, 1]]],
  },
  {
    sentence: "A bounce is one page view and no track event.",
    because: "s1 is one; s2 has a track event, s3 two views, s4 no view at all: 1 of 4.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-10T10:00:00.000Z", "/"]),
      ...visit("s2", "v2", ["b", "2026-05-10T10:00:00.000Z", "/"]),
      { id: "c", at: "2026-05-10T10:00:01.000Z", session: "s2", visitor: "v2", name: "scroll" },
      ...visit("s3", "v3", ["d", "2026-05-10T10:00:00.000Z", "/"], ["e", "2026-05-10T10:01:00.000Z", "/"]),
      { id: "f", at: "2026-05-10T10:00:00.000Z", session: "s4", visitor: "v4", name: "ping" },
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["bounceRate", "sessions", "pageviews", "events", "viewsPerSession"],
    },
    // 4 views, 6 events; 4 views / 4 sessions
    rows: [[[], [0.25, 4, 4, 6, 1]]],
  },
  {
    sentence: "planViolations counts accepted events that violated the tracking plan, by any dimension.",
    because: "The call b and the view c violated it. The bot's event d is left out.",
    events: [
      ...visit(
        "s1",
        "v1",
        ["a", "2026-05-10T10:00:00.000Z", "/"],
        ["b", "2026-05-10T10:01:00.000Z", "/", { name: "call", planViolation: true }],
        ["c", "2026-05-10T10:02:00.000Z", "/b", { planViolation: true }],
        ["e", "2026-05-10T10:03:00.000Z", "/", { name: "call" }],
      ),
      ...visit("s2", "v2", ["d", "2026-05-10T10:00:00.000Z", "/", { planViolation: true, isBot: true }]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["planViolations", "events"],
      dimensions: ["event"],
    },
    rows: [
      [["call"], [1, 2]],
      [["page_view"], [1, 2]],
    ],
  },
  {
    sentence: "A passive event ends no bounce and opens no session.",
    because:
      "s1: the session begins with the view a at 10:01 with /, although the passive b is older, and ends with it, because c reports no engaged time: 0 s, a bounce. s2 has passive events only, so it is no session: 1 session, 1 bounce. a is the only event, and b, c and d are passive events. Both visitors count.",
    events: [
      {
        id: "b",
        at: "2026-05-10T10:00:00.000Z",
        session: "s1",
        visitor: "v1",
        name: "web_vitals",
        passive: true,
      },
      ...visit("s1", "v1", ["a", "2026-05-10T10:01:00.000Z", "/"]),
      {
        id: "c",
        at: "2026-05-10T10:03:00.000Z",
        session: "s1",
        visitor: "v1",
        name: "engagement",
        passive: true,
      },
      {
        id: "d",
        at: "2026-05-10T12:00:00.000Z",
        session: "s2",
        visitor: "v2",
        name: "engagement",
        passive: true,
      },
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["visitors", "events", "passiveEvents", "sessions", "bounceRate", "sessionDuration"],
    },
    rows: [[[], [2, 1, 3, 1, 1, 0]]],
  },
  {
    sentence: "A session's values are those of the event that opens it, not of an older passive one.",
    because: "The passive b is the first event, but the view a opens the session, with the entry page /a.",
    events: [
      {
        id: "b",
        at: "2026-05-10T10:00:00.000Z",
        session: "s1",
        visitor: "v1",
        name: "engagement",
        page: "/b",
        passive: true,
      },
      ...visit("s1", "v1", ["a", "2026-05-10T10:01:00.000Z", "/a"]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["sessions", "events"],
      dimensions: ["entryPage"],
    },
    rows: [[["/a"], [1, 1]]],
  },
  {
    sentence: "A group with passive events only has 0 events.",
    because: "The report of s1 is the only event with that name, and it is passive.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-10T10:00:00.000Z", "/a"]),
      report("b", "2026-05-10T10:00:30.000Z", "s1", { engagedSeconds: 30 }),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["events", "passiveEvents", "visitors"],
      dimensions: ["event"],
    },
    rows: [
      [["page_view"], [1, 0, 1]],
      [["engagement"], [0, 1, 1]],
    ],
  },
  {
    sentence:
      "Time on page is engaged seconds by page views; scroll depth is the mean of each page's greatest depth in a session.",
    because:
      "/a has 30 + 60 + 6 = 96 s in 2 views: 48 s; its depths are 80 (of 40 and 80) in s1 and 20 in s2: 50. /b has a view without a report.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-10T10:00:00.000Z", "/a"], ["b", "2026-05-10T10:02:00.000Z", "/b"]),
      ...visit("s2", "v2", ["c", "2026-05-10T10:00:00.000Z", "/a"]),
      report("d", "2026-05-10T10:00:30.000Z", "s1", { engagedSeconds: 30, scrollDepth: 40 }),
      report("e", "2026-05-10T10:02:00.000Z", "s1", { engagedSeconds: 60, scrollDepth: 80 }),
      report("f", "2026-05-10T10:00:06.000Z", "s2", { engagedSeconds: 6, scrollDepth: 20 }),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["pageviews", "timeOnPage", "scrollDepth"],
      dimensions: ["page"],
      orderBy: [{ field: "page", direction: "asc" }],
    },
    rows: [
      [["/a"], [2, 48, 50]],
      [["/b"], [1, null, null]],
    ],
  },
  {
    sentence: "A session is engaged with ten engaged seconds, two page views, or the goal of the query.",
    because: "s1 has 4 + 6 = 10 s, s2 two views, s3 the goal; s4 has 9 s and one view: 3 of 4.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-10T10:00:00.000Z", "/a"]),
      report("b", "2026-05-10T10:01:00.000Z", "s1", { engagedSeconds: 4 }),
      report("c", "2026-05-10T10:02:00.000Z", "s1", { engagedSeconds: 6 }),
      ...visit("s2", "v2", ["d", "2026-05-10T10:00:00.000Z", "/a"], ["e", "2026-05-10T10:00:01.000Z", "/b"]),
      ...visit("s3", "v3", ["f", "2026-05-10T10:00:00.000Z", "/a"]),
      { id: "g", at: "2026-05-10T10:00:01.000Z", session: "s3", visitor: "v3", name: "signup" },
      ...visit("s4", "v4", ["h", "2026-05-10T10:00:00.000Z", "/a"]),
      report("i", "2026-05-10T10:01:00.000Z", "s4", { engagedSeconds: 9 }),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["sessions", "engagedSessions"],
      goal: { event: "signup" },
    },
    rows: [[[], [4, 3]]],
  },
  {
    sentence: "Revenue is added up by currency.",
    because: "EUR 10 + 2.5 − 4.25 = 8.25, USD 10. A view has no revenue and no currency.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-10T10:00:00.000Z", "/a"]),
      sale("b", 10, "EUR"),
      sale("c", 2.5, "EUR"),
      sale("d", -4.25, "EUR"),
      sale("e", 10, "USD"),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["revenue", "events"],
      dimensions: ["currency"],
    },
    rows: [
      [["USD"], [10, 1]],
      [["EUR"], [8.25, 3]],
      [[null], [0, 1]],
    ],
  },
  {
    sentence:
      "Revenue of a goal is that of its conversions; a conversion without revenue is worth the goal's value.",
    because:
      "Bought, EUR 5: b has EUR 10 of its own, c and d are worth EUR 5 each, e has USD 7. The refund of EUR 3 reaches no goal. 2 of 3 visitors bought. Read, without a value: one conversion, no revenue. Called: nobody, so there is no row beside a currency.",
    goals: VALUED,
    events: SALES,
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["revenue", "conversions", "visitors", "conversionRate"],
      dimensions: ["goal", "currency"],
    },
    rows: [
      [
        ["Bought", "EUR"],
        [20, 3, 2, 2 / 3],
      ],
      [
        ["Bought", "USD"],
        [7, 1, 1, 1 / 3],
      ],
      [
        ["Read", null],
        [0, 1, 1, 1 / 3],
      ],
    ],
  },
  {
    sentence:
      "In a query with a goal, a filter on a currency selects conversions by the currency of their value, too.",
    because:
      "EUR: b 10, c and d 5 each, and the refund, which is no conversion. In USD there would be e alone.",
    goals: VALUED,
    events: SALES,
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["revenue", "conversions", "events"],
      goal: { name: "Bought" },
      filters: [{ dimension: "currency", operator: "is", value: "EUR" }],
    },
    rows: [[[], [20, 3, 4]]],
  },
  {
    sentence: "With the attribution of the session, a conversion belongs to the source of its own session.",
    because:
      "v1 came from Google on the 1st, from News on the 9th and directly on the 10th, where they bought twice; v2 bought in their first session, from News; v3 of Google did not buy. Direct: v1, 2 conversions, 1 of 1 visitors. News on the 10th: v2, 1 of 1. Google: v3, 0 of 1.",
    events: TOUCHES,
    ask: "query",
    body: { ...ATTRIBUTED, attribution: { model: "session" } },
    rows: [
      [[null], [2, 1, 1]],
      [["News"], [1, 1, 1]],
      [["Google"], [0, 0, 1]],
    ],
  },
  {
    sentence:
      "With first-touch attribution, a conversion belongs to the visitor's first session within 30 days before it.",
    because:
      "v1 came first from Google, on the 1st. v2: News, v3: Google. Google: 2 conversions of v1, who is one of the visitors v1 and v3.",
    events: TOUCHES,
    ask: "query",
    body: { ...ATTRIBUTED, attribution: { model: "firstTouch" } },
    rows: [
      [["Google"], [2, 0.5, 2]],
      [["News"], [1, 1, 1]],
    ],
  },
  {
    sentence:
      "With attribution to the last session that is not direct, a conversion belongs to that of the visitor's sessions within 30 days before it.",
    because:
      "v1 came from Google on the 1st, from News on the 9th, and directly on the 10th. v2: News, v3: Google.",
    events: TOUCHES,
    ask: "query",
    body: { ...ATTRIBUTED, attribution: { model: "lastNonDirect" } },
    rows: [
      [["News"], [3, 1, 2]],
      [["Google"], [0, 0, 1]],
    ],
  },
  {
    sentence:
      "With first-touch attribution, revenue belongs to the first touch of its event, and counts by currency.",
    because: "Google: EUR 10 + 10 of v1. News: EUR 5 of v2. The views have no currency and no revenue.",
    events: TOUCHES,
    ask: "query",
    body: {
      ...ATTRIBUTED,
      metrics: ["revenue", "conversions"],
      dimensions: ["source", "currency"],
      attribution: { model: "firstTouch" },
    },
    rows: [
      [
        ["Google", "EUR"],
        [20, 2],
      ],
      [
        ["News", "EUR"],
        [5, 1],
      ],
      [
        ["Google", null],
        [0, 0],
      ],
      [
        ["News", null],
        [0, 0],
      ],
    ],
  },
  {
    sentence:
      "The window of first-touch attribution ends so many times 24 hours before each event, both ends included.",
    because:
      "One day before the purchase at 10:00 is the session from News at 10:00 on the 9th; a millisecond later it is not: the purchase at 10:00:00.001 belongs to its own session, which is direct, as does the view at 10:00:00.002.",
    events: TOUCHES,
    ask: "query",
    body: { ...ATTRIBUTED, attribution: { model: "firstTouch", windowDays: 1 } },
    rows: [
      [["News"], [2, 1, 2]],
      [[null], [1, 1, 1]],
      [["Google"], [0, 0, 1]],
    ],
  },
  {
    sentence:
      "A visitor without browser storage is another visitor on each day, so their first touch is of the same day.",
    because:
      "The person came from Google on the 9th, as the visitor d1, and as d2 directly on the 10th, where they bought.",
    events: [
      ...visit("s1", "d1", ["a", "2026-05-09T23:50:00.000Z", "/", { source: "Google" }]),
      ...visit("s2", "d2", ["b", "2026-05-10T00:10:00.000Z", "/"]),
      { ...bought("c", "d2"), session: "s2" },
    ],
    ask: "query",
    body: { ...ATTRIBUTED, metrics: ["conversions"], attribution: { model: "firstTouch" } },
    rows: [[[null], [1]]],
  },
  {
    sentence: "The 75th percentile of a web vital is interpolated between the two nearest values.",
    because:
      "LCP 1000, 2000, 3000, 5000: 0.75 · 3 = 2.25, so 3000 + 0.25 · 2000 = 3500. The text is no number. CLS has one value.",
    events: [1_000, 5_000, 3_000, "slow", 2_000].map((lcp, index) => ({
      id: `w${index}`,
      at: "2026-05-10T10:00:00.000Z",
      session: "s1",
      visitor: "v1",
      name: "web_vitals",
      page: "/a",
      passive: true as const,
      properties: index === 0 ? { lcp, cls: 0.25 } : { lcp },
    })),
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["p75:lcp", "p75:cls", "p75:inp"],
      dimensions: ["page"],
    },
    rows: [[["/a"], [3_500, 0.25, null]]],
  },
  {
    sentence: "Nothing happened: counts and sums are 0, ratios are null.",
    because: "The only event lies a day later.",
    events: visit("s1", "v1", ["a", "2026-05-11T10:00:00.000Z", "/"]),
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: [
        "visitors",
        "users",
        "sessions",
        "pageviews",
        "events",
        "viewsPerSession",
        "bounceRate",
        "sessionDuration",
        "conversionRate",
        "sum:price",
      ],
      goal: { event: "buy" },
    },
    rows: [[[], [0, 0, 0, 0, 0, null, null, null, null, 0]]],
  },
  {
    sentence: "Empty buckets are answered as 0.",
    because:
      "Weeks begin on Monday: 2026-05-11 and -18 are Mondays, the range begins on a Sunday and ends with a Monday. Only the week of the 11th has an event (a Wednesday).",
    events: visit("s1", "v1", ["a", "2026-05-13T10:00:00.000Z", "/"]),
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-19"],
      metrics: ["visitors", "bounceRate"],
      dimensions: ["time:week"],
    },
    rows: [
      [["2026-05-10T00:00:00.000Z"], [0, null]],
      [["2026-05-11T00:00:00.000Z"], [1, 1]],
      [["2026-05-18T00:00:00.000Z"], [0, null]],
    ],
  },
  {
    sentence: "Bots are left out, and the answer says how many of their events.",
    because: "v2 is a bot.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-10T10:00:00.000Z", "/"]),
      ...visit("s2", "v2", ["b", "2026-05-10T10:00:00.000Z", "/", { isBot: true }]),
    ],
    ask: "query",
    body: { dateRange: ["2026-05-10", "2026-05-11"], metrics: ["visitors", "sessions", "events"] },
    rows: [[[], [1, 1, 1]]],
    answer: { excluded: { bots: 1 } },
  },
  {
    sentence: "Excluded events satisfy the filters and are in the range.",
    because: "Of the bots' events, a is of Chrome, b of Firefox, and c is a day later.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-10T10:00:00.000Z", "/", { isBot: true, browser: "Chrome" }]),
      ...visit("s2", "v2", ["b", "2026-05-10T10:00:00.000Z", "/", { isBot: true, browser: "Firefox" }]),
      ...visit("s3", "v3", ["c", "2026-05-11T10:00:00.000Z", "/", { isBot: true, browser: "Chrome" }]),
    ],
    ask: "funnel",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      filters: [{ dimension: "browser", operator: "is", value: "Chrome" }],
      steps: [{ page: "/" }, { page: "/b" }],
    },
    answer: { excluded: { bots: 1 } },
  },
  {
    sentence:
      "The source and channel of a session are those of its first event; a session without is direct.",
    because: "s1 came from Google, whatever its second event has; s2 and s3 are direct.",
    events: [
      ...visit(
        "s1",
        "v1",
        ["a", "2026-05-10T10:00:00.000Z", "/", { source: "Google", channel: "Organic Search" }],
        ["b", "2026-05-10T10:01:00.000Z", "/b", { source: "Bing", channel: "Paid Search" }],
      ),
      ...visit("s2", "v2", ["c", "2026-05-10T10:00:00.000Z", "/", { channel: "Direct" }]),
      ...visit("s3", "v3", ["d", "2026-05-10T10:00:00.000Z", "/"]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["events", "sessions"],
      dimensions: ["source", "channel"],
    },
    rows: [
      [
        ["Google", "Organic Search"],
        [2, 1],
      ],
      [
        [null, "Direct"],
        [2, 2],
      ],
    ],
  },
  {
    sentence: "Versions and screens are dimensions: those of the session's first event.",
    because: "Two sessions began with Chrome 141 on Windows 11; s3 has no values.",
    events: [
      ...visit(
        "s1",
        "v1",
        [
          "a",
          "2026-05-10T10:00:00.000Z",
          "/",
          { browserVersion: "141", osVersion: "11", screen: "1440x900" },
        ],
        ["b", "2026-05-10T10:01:00.000Z", "/b", { browserVersion: "142", osVersion: "10" }],
      ),
      ...visit("s2", "v2", [
        "c",
        "2026-05-10T10:00:00.000Z",
        "/",
        { browserVersion: "141", osVersion: "11", screen: "1440x900" },
      ]),
      ...visit("s3", "v3", ["d", "2026-05-10T10:00:00.000Z", "/"]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["sessions", "events"],
      dimensions: ["browserVersion", "osVersion", "screen"],
    },
    rows: [
      [
        ["141", "11", "1440x900"],
        [2, 3],
      ],
      [
        [null, null, null],
        [1, 1],
      ],
    ],
    answer: { excluded: { bots: 0 } },
  },
  {
    sentence: "The events that an answer leaves out are not counted when that is not asked for.",
    because: "v2 is a bot; include.excluded is false.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-10T10:00:00.000Z", "/"]),
      ...visit("s2", "v2", ["b", "2026-05-10T10:00:00.000Z", "/", { isBot: true }]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["visitors"],
      include: { excluded: false },
    },
    rows: [[[], [1]]],
    answer: { excluded: null },
  },
  {
    sentence: "Bots are counted when they are asked for.",
    because: "v2 is a bot, and is asked for.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-10T10:00:00.000Z", "/"]),
      ...visit("s2", "v2", ["b", "2026-05-10T10:00:00.000Z", "/", { isBot: true }]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["visitors", "sessions", "events"],
      include: { bots: true },
    },
    rows: [[[], [2, 2, 2]]],
    answer: { excluded: { bots: 0 } },
  },
  {
    sentence: "Regions and cities of the same name are one group, unless the country is a dimension too.",
    because:
      "London is in England for s1 and in Ontario for s2. s1 stays in London although its visitor then travels to Leeds.",
    events: [
      ...visit(
        "s1",
        "v1",
        ["a", "2026-05-10T10:00:00.000Z", "/", { country: "GB", region: "England", city: "London" }],
        ["b", "2026-05-10T10:05:00.000Z", "/b", { country: "GB", region: "England", city: "Leeds" }],
      ),
      ...visit("s2", "v2", [
        "c",
        "2026-05-10T10:00:00.000Z",
        "/",
        { country: "CA", region: "Ontario", city: "London" },
      ]),
      ...visit("s3", "v3", ["d", "2026-05-10T10:00:00.000Z", "/", { country: "CA" }]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["visitors", "pageviews"],
      dimensions: ["city"],
    },
    rows: [
      [["London"], [2, 3]],
      [[null], [1, 1]],
    ],
  },
  {
    sentence: "A conversion rate is of the visitors that the filters leave.",
    because: "Of Germany's v1 and v2 one signed up, though twice: 1 / 2. v3 signed up in France.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-10T10:00:00.000Z", "/", { country: "DE" }]),
      {
        id: "b",
        at: "2026-05-10T10:01:00.000Z",
        session: "s1",
        visitor: "v1",
        name: "signup",
        country: "DE",
      },
      {
        id: "c",
        at: "2026-05-10T10:02:00.000Z",
        session: "s1",
        visitor: "v1",
        name: "signup",
        country: "DE",
      },
      ...visit("s2", "v2", ["d", "2026-05-10T11:00:00.000Z", "/", { country: "DE" }]),
      {
        id: "e",
        at: "2026-05-10T12:00:00.000Z",
        session: "s3",
        visitor: "v3",
        name: "signup",
        country: "FR",
      },
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["conversionRate", "visitors"],
      goal: { event: "signup" },
      filters: [{ dimension: "country", operator: "is", value: "DE" }],
    },
    rows: [[[], [0.5, 2]]],
  },
  {
    sentence: "A filter is on events: a session counts when one of its events fits, and it counts whole.",
    because:
      "/docs has b of s1 and c of s2: 2 views, 2 sessions. s1 lasts 60 s and is no bounce, s2 0 s and is one: 30 s, 1/2.",
    events: [
      ...visit(
        "s1",
        "v1",
        ["a", "2026-05-10T10:00:00.000Z", "/pricing"],
        ["b", "2026-05-10T10:01:00.000Z", "/docs"],
      ),
      ...visit("s2", "v2", ["c", "2026-05-10T10:00:00.000Z", "/docs"]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["pageviews", "sessions", "sessionDuration", "bounceRate"],
      filters: [{ dimension: "page", operator: "is", value: "/docs" }],
    },
    rows: [[[], [2, 2, 30, 0.5]]],
  },
  {
    sentence: "A filter on what the session did takes every event of such a session.",
    because: "Only s1 was at /pricing: both of its views, 1 session of 60 s.",
    events: [
      ...visit(
        "s1",
        "v1",
        ["a", "2026-05-10T10:00:00.000Z", "/pricing"],
        ["b", "2026-05-10T10:01:00.000Z", "/docs"],
      ),
      ...visit("s2", "v2", ["c", "2026-05-10T10:00:00.000Z", "/docs"]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["pageviews", "sessions", "sessionDuration", "bounceRate"],
      filters: [{ sessionHas: { dimension: "page", operator: "is", value: "/pricing" } }],
    },
    rows: [[[], [2, 1, 60, 0]]],
  },
  {
    sentence:
      "What a session has from its first event, all its events have: visitors and views by entry page.",
    because:
      "s1 of v1 enters at /a (views a, b), s2 of v2 at /a (view c), s3 of v1 at /b (view d). /a: v1 and v2, 3 views, 2 sessions; /b: v1, 1 view.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-10T10:00:00.000Z", "/a"], ["b", "2026-05-10T10:01:00.000Z", "/b"]),
      ...visit("s2", "v2", ["c", "2026-05-10T11:00:00.000Z", "/a"]),
      ...visit("s3", "v1", ["d", "2026-05-10T12:00:00.000Z", "/b"]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["visitors", "pageviews", "sessions"],
      dimensions: ["entryPage"],
    },
    rows: [
      [["/a"], [2, 3, 2]],
      [["/b"], [1, 1, 1]],
    ],
  },
  {
    sentence:
      "An event without a property is in the group of those that miss it; sums are over numbers alone.",
    because:
      "pro: 10 + 2.5 and a text that is no number, 3 events; free: 1 event without a price, so 0; d has no properties, e none of that name.",
    events: [
      {
        id: "a",
        at: "2026-05-10T10:00:00.000Z",
        session: "s1",
        visitor: "v1",
        name: "buy",
        properties: { plan: "pro", price: 10 },
      },
      {
        id: "b",
        at: "2026-05-10T10:00:01.000Z",
        session: "s1",
        visitor: "v1",
        name: "buy",
        properties: { plan: "pro", price: 2.5 },
      },
      {
        id: "c",
        at: "2026-05-10T10:00:02.000Z",
        session: "s1",
        visitor: "v1",
        name: "buy",
        properties: { plan: "pro", price: "99" },
      },
      { id: "d", at: "2026-05-10T10:00:03.000Z", session: "s1", visitor: "v1", name: "buy" },
      {
        id: "e",
        at: "2026-05-10T10:00:04.000Z",
        session: "s1",
        visitor: "v1",
        name: "buy",
        properties: { price: 1 },
      },
      {
        id: "f",
        at: "2026-05-10T10:00:05.000Z",
        session: "s1",
        visitor: "v1",
        name: "buy",
        properties: { plan: "free" },
      },
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["events", "sum:price"],
      dimensions: ["property:plan"],
    },
    rows: [
      [["pro"], [3, 12.5]],
      [[null], [2, 1]],
      [["free"], [1, 0]],
    ],
  },
  {
    sentence: "A property keeps its type: the text 1, the number 1 and true are three values, 1 and 1.0 one.",
    because:
      "Four numbers (1 and 1.0 are the same JSON number), three texts, two trues; what is no scalar is missing: 1.",
    events: [1, 1.0, 1, 1, "1", "1", "1", true, true, [1]].map((plan, index) => ({
      id: `e${index}`,
      at: "2026-05-10T10:00:00.000Z",
      session: "s1",
      visitor: "v1",
      name: "pick",
      properties: { plan },
    })),
    ask: "query",
    body: { dateRange: ["2026-05-10", "2026-05-11"], metrics: ["events"], dimensions: ["property:plan"] },
    rows: [
      [[1], [4]],
      [["1"], [3]],
      [[true], [2]],
      [[null], [1]],
    ],
  },
  {
    sentence: "A comparison is with as many days before, day by day.",
    because:
      "The 10th and 11th are compared with the 8th and 9th. 10th: v1 and v2, 8th: v1. 11th: nobody, 9th: v3.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-08T10:00:00.000Z", "/"]),
      ...visit("s2", "v3", ["b", "2026-05-09T10:00:00.000Z", "/"]),
      ...visit("s3", "v1", ["c", "2026-05-10T10:00:00.000Z", "/"]),
      ...visit("s4", "v2", ["d", "2026-05-10T11:00:00.000Z", "/"]),
      ...visit("s5", "v4", ["e", "2026-05-07T11:00:00.000Z", "/"]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-12"],
      metrics: ["visitors", "bounceRate"],
      dimensions: ["time:day"],
      include: { comparison: true },
    },
    rows: [
      [["2026-05-10T00:00:00.000Z"], [2, 1], [1, 1]],
      [["2026-05-11T00:00:00.000Z"], [0, null], [1, 1]],
    ],
  },
  {
    sentence: "A month is compared with as many days before, not with the month before.",
    because:
      "March has 31 days, so it is compared with 29 January to 28 February: v1 and v2. The 28th of January is out.",
    events: [
      ...visit("s1", "v1", ["a", "2026-01-29T00:00:00.000Z", "/"]),
      ...visit("s2", "v2", ["b", "2026-02-28T23:59:00.000Z", "/"]),
      ...visit("s3", "v3", ["c", "2026-01-28T23:59:00.000Z", "/"]),
      ...visit("s4", "v1", ["d", "2026-03-05T10:00:00.000Z", "/"]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-03-01", "2026-04-01"],
      metrics: ["visitors", "sessions"],
      dimensions: ["time:month"],
      include: { comparison: true },
    },
    rows: [[["2026-03-01T00:00:00.000Z"], [1, 1], [2, 2]]],
  },
  {
    sentence: "Of a range that is not over, only the part until now is compared.",
    because:
      "It is noon on the 21st. Yesterday v1 came at 11:00 and v2 at 13:00: until noon only v1 had come. Hours that have not begun yet have no counterpart.",
    events: [
      ...visit("s1", "v1", ["a", "2026-11-20T11:00:00.000Z", "/"]),
      ...visit("s2", "v2", ["b", "2026-11-20T13:00:00.000Z", "/"]),
      ...visit("s3", "v3", ["c", "2026-11-21T10:00:00.000Z", "/"]),
      ...visit("s4", "v4", ["d", "2026-11-21T11:59:00.000Z", "/"]),
    ],
    now: "2026-11-21T12:00:00.000Z",
    ask: "query",
    body: { dateRange: "today", metrics: ["visitors"], include: { comparison: true } },
    rows: [[[], [2], [1]]],
    answer: { comparison: { from: "2026-11-20T00:00:00.000Z", to: "2026-11-20T12:00:00.000Z" } },
  },
  {
    sentence:
      "Of seven days that end with today, the seven days before are compared until the same time of the same weekday.",
    because:
      "It is 12:05 on Saturday the 21st; the time is rounded up to a quarter of an hour. The 14th is a Saturday too: v1 came before 12:15, v2 after it.",
    events: [
      ...visit("s1", "v1", ["a", "2026-11-14T12:14:59.000Z", "/"]),
      ...visit("s2", "v2", ["b", "2026-11-14T12:15:00.000Z", "/"]),
      ...visit("s3", "v3", ["c", "2026-11-21T10:00:00.000Z", "/"]),
    ],
    now: "2026-11-21T12:05:00.000Z",
    ask: "query",
    body: { dateRange: "7d", metrics: ["visitors"], include: { comparison: { mode: "previous" } } },
    rows: [[[], [1], [1]]],
    answer: { comparison: { from: "2026-11-08T00:00:00.000Z", to: "2026-11-14T12:15:00.000Z" } },
  },
  {
    sentence: "A month is compared with the same month of the year before, day by day.",
    because:
      "May 2026 with May 2025: v1 on the 1st, v2 on the 31st. The 30th of April and the 1st of June are out.",
    events: [
      ...visit("s1", "v1", ["a", "2025-05-01T00:00:00.000Z", "/"]),
      ...visit("s2", "v2", ["b", "2025-05-31T23:59:00.000Z", "/"]),
      ...visit("s3", "v3", ["c", "2025-04-30T23:59:00.000Z", "/"]),
      ...visit("s4", "v4", ["d", "2025-06-01T00:00:00.000Z", "/"]),
      ...visit("s5", "v5", ["e", "2026-05-10T10:00:00.000Z", "/"]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-01", "2026-06-01"],
      metrics: ["visitors"],
      dimensions: ["time:month"],
      include: { comparison: { mode: "year" } },
    },
    rows: [[["2026-05-01T00:00:00.000Z"], [1], [2]]],
  },
  {
    sentence:
      "With the same weekdays, a week is compared with the week of the year before that begins on the same one.",
    because:
      "Monday the 4th of May 2026, 364 days before, is Monday the 5th of May 2025: v1. The 4th, a Sunday, is out.",
    events: [
      ...visit("s1", "v1", ["a", "2025-05-05T10:00:00.000Z", "/"]),
      ...visit("s2", "v2", ["b", "2025-05-04T10:00:00.000Z", "/"]),
      ...visit("s3", "v3", ["c", "2026-05-04T10:00:00.000Z", "/"]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-04", "2026-05-11"],
      metrics: ["visitors"],
      include: { comparison: { mode: "year", sameWeekdays: true } },
    },
    rows: [[[], [1], [1]]],
    answer: { comparison: { from: "2025-05-05T00:00:00.000Z", to: "2025-05-12T00:00:00.000Z" } },
  },
  {
    sentence: "Four whole weeks that are February are compared with the February before.",
    because: "v1 came on the 1st of February 2025 and v2 on the 28th. The 1st of March is out.",
    events: [
      ...visit("s1", "v1", ["a", "2025-02-01T10:00:00.000Z", "/"]),
      ...visit("s2", "v2", ["b", "2025-02-28T10:00:00.000Z", "/"]),
      ...visit("s3", "v3", ["c", "2025-03-01T10:00:00.000Z", "/"]),
      ...visit("s4", "v4", ["d", "2026-02-10T10:00:00.000Z", "/"]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-02-01", "2026-03-01"],
      metrics: ["visitors"],
      include: { comparison: { mode: "year" } },
    },
    rows: [[[], [1], [2]]],
    answer: { comparison: { from: "2025-02-01T00:00:00.000Z", to: "2025-03-01T00:00:00.000Z" } },
  },
  {
    sentence: "29 February alone is not compared with the year before.",
    because: "2025 has no such day, so neither the answer nor its row has a comparison.",
    events: [
      ...visit("s1", "v1", ["a", "2024-02-29T10:00:00.000Z", "/"]),
      ...visit("s2", "v2", ["b", "2023-03-01T10:00:00.000Z", "/"]),
    ],
    ask: "query",
    body: {
      dateRange: ["2024-02-29", "2024-03-01"],
      metrics: ["visitors"],
      include: { comparison: { mode: "year" } },
    },
    rows: [[[], [1], null]],
    answer: { comparison: null },
  },
  {
    sentence: "The last day of a month is compared with one day of a longer month.",
    because:
      "28 February is compared with the 28th of January: v1. The three days after it have no counterpart.",
    events: [
      ...["28", "29", "30", "31"].flatMap((day, index) =>
        visit(`s${index}`, `v${index}`, [`e${index}`, `2026-01-${day}T10:00:00.000Z`, "/"]),
      ),
      ...visit("s9", "v9", ["i", "2026-02-28T10:00:00.000Z", "/"]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-02-01", "2026-03-01"],
      metrics: ["visitors"],
      dimensions: ["time:day"],
      orderBy: [{ field: "time:day", direction: "desc" }],
      include: { comparison: { mode: "custom", dateRange: ["2026-01-01", "2026-02-01"] } },
      pagination: { limit: 2 },
    },
    rows: [
      [["2026-02-28T00:00:00.000Z"], [1], [1]],
      [["2026-02-27T00:00:00.000Z"], [0], [0]],
    ],
  },
  {
    sentence: "An hour is compared with the same hour of a day with 25 hours.",
    because:
      "In Berlin, 23:00 of the 26th is compared with 23:00 of the 25th: v3. Its second 02:00, when v2 came, is no counterpart.",
    events: [
      ...visit("s1", "v1", ["a", "2026-10-25T00:30:00.000Z", "/"]),
      ...visit("s2", "v2", ["b", "2026-10-25T01:30:00.000Z", "/"]),
      ...visit("s3", "v3", ["c", "2026-10-25T22:30:00.000Z", "/"]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-10-26", "2026-10-27"],
      timezone: "Europe/Berlin",
      metrics: ["visitors"],
      dimensions: ["time:hour"],
      include: { comparison: true },
    },
    rows: Array.from({ length: 24 }, (_, hour): ExampleRow => {
      const start = new Date(Date.parse("2026-10-25T23:00:00.000Z") + hour * 3_600_000).toISOString();
      return [[start], [0], [hour === 2 || hour === 23 ? 1 : 0]];
    }),
  },
  {
    sentence: "The 29th of February has no counterpart in the year before.",
    because:
      "28 February 2024 is compared with the 28th of 2023: v1. The 1st of March is compared with the 1st: v2.",
    events: [
      ...visit("s1", "v1", ["a", "2023-02-28T10:00:00.000Z", "/"]),
      ...visit("s2", "v2", ["b", "2023-03-01T10:00:00.000Z", "/"]),
      ...visit("s3", "v3", ["c", "2024-02-29T10:00:00.000Z", "/"]),
    ],
    ask: "query",
    body: {
      dateRange: ["2024-02-28", "2024-03-02"],
      metrics: ["visitors"],
      dimensions: ["time:day"],
      include: { comparison: { mode: "year" } },
    },
    rows: [
      [["2024-02-28T00:00:00.000Z"], [0], [1]],
      [["2024-02-29T00:00:00.000Z"], [1], null],
      [["2024-03-01T00:00:00.000Z"], [0], [1]],
    ],
  },
  {
    sentence:
      "A custom period is compared day by day, from its start; days beyond its end have no counterpart.",
    because:
      "The 10th is compared with the 1st: v1. The 11th would be compared with the 2nd, which is not in the period.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-01T10:00:00.000Z", "/"]),
      ...visit("s2", "v2", ["b", "2026-05-02T10:00:00.000Z", "/"]),
      ...visit("s3", "v3", ["c", "2026-05-10T10:00:00.000Z", "/"]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-12"],
      metrics: ["visitors"],
      dimensions: ["time:day"],
      include: { comparison: { mode: "custom", dateRange: ["2026-05-01", "2026-05-02"] } },
    },
    rows: [
      [["2026-05-10T00:00:00.000Z"], [1], [1]],
      [["2026-05-11T00:00:00.000Z"], [0], null],
    ],
  },
  {
    sentence: "A funnel's steps are taken in order, within its time from the first.",
    because:
      "v1: view, cart 1 min, buy 60 min later: exactly the hour, all three. v2: view, cart, buy after 60 min 1 s: two. v3: cart before view: one. v4 never viewed: none. v5 views twice; its second view is 30 min before cart and buy: three.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-10T10:00:00.000Z", "/item/1"]),
      { id: "b", at: "2026-05-10T10:01:00.000Z", session: "s1", visitor: "v1", name: "cart" },
      { id: "c", at: "2026-05-10T11:00:00.000Z", session: "s1", visitor: "v1", name: "buy" },
      ...visit("s2", "v2", ["d", "2026-05-10T10:00:00.000Z", "/item/2"]),
      { id: "e", at: "2026-05-10T10:01:00.000Z", session: "s2", visitor: "v2", name: "cart" },
      { id: "f", at: "2026-05-10T11:00:01.000Z", session: "s2", visitor: "v2", name: "buy" },
      { id: "g", at: "2026-05-10T10:00:00.000Z", session: "s3", visitor: "v3", name: "cart" },
      ...visit("s3", "v3", ["h", "2026-05-10T10:01:00.000Z", "/item/3"]),
      { id: "i", at: "2026-05-10T10:00:00.000Z", session: "s4", visitor: "v4", name: "buy" },
      ...visit(
        "s5",
        "v5",
        ["j", "2026-05-10T10:00:00.000Z", "/item/1"],
        ["k", "2026-05-10T11:30:00.000Z", "/item/1"],
      ),
      { id: "l", at: "2026-05-10T12:00:00.000Z", session: "s5", visitor: "v5", name: "cart" },
      { id: "m", at: "2026-05-10T12:00:00.000Z", session: "s5", visitor: "v5", name: "buy" },
    ],
    ask: "funnel",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      steps: [{ page: "/item/*" }, { event: "cart" }, { event: "buy" }],
      windowSeconds: 3600,
    },
    // first: v1 v2 v3 v5; second: v1 v2 v5; third: v1 v5
    answer: {
      steps: [
        { visitors: 4, shareOfFirst: 1, shareOfPrevious: 1, seconds: null },
        { visitors: 3, shareOfFirst: 0.75, shareOfPrevious: 0.75, seconds: null },
        { visitors: 2, shareOfFirst: 0.5, shareOfPrevious: 2 / 3, seconds: null },
      ],
    },
  },
  {
    sentence:
      "A funnel's times are those of each visitor's longest run that begins first, and a segment is the value at its first step.",
    because:
      "v1 views at 10:00 on a phone, more than the hour before it buys, and at 11:00 on a desktop; it buys at 11:10 and again at 11:40. v2 buys 30 s after its view, in another session; v3 never does.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-10T10:00:00.000Z", "/item/1", { device: "mobile" }]),
      ...visit("s2", "v1", ["b", "2026-05-10T11:00:00.000Z", "/item/1", { device: "desktop" }]),
      { id: "c", at: "2026-05-10T11:10:00.000Z", session: "s2", visitor: "v1", name: "buy" },
      { id: "d", at: "2026-05-10T11:40:00.000Z", session: "s2", visitor: "v1", name: "buy" },
      ...visit("s3", "v2", ["e", "2026-05-10T10:00:00.000Z", "/item/1", { device: "desktop" }]),
      { id: "f", at: "2026-05-10T10:00:30.000Z", session: "s4", visitor: "v2", name: "buy" },
      ...visit("s5", "v3", ["g", "2026-05-10T10:00:00.000Z", "/item/1"]),
    ],
    ask: "funnel",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      steps: [{ page: "/item/*" }, { event: "buy" }],
      windowSeconds: 3600,
      dimension: "device",
      include: { times: true },
    },
    // 600 s and 30 s: the median is halfway, the 90th percentile 30 + 0.9 * 570
    answer: {
      steps: [
        { visitors: 3, shareOfFirst: 1, shareOfPrevious: 1, seconds: null },
        {
          visitors: 2,
          shareOfFirst: 2 / 3,
          shareOfPrevious: 2 / 3,
          seconds: { sincePrevious: { median: 315, p90: 543 }, sinceFirst: { median: 315, p90: 543 } },
        },
      ],
      segments: [
        {
          value: "desktop",
          steps: [
            { visitors: 2, shareOfFirst: 1, shareOfPrevious: 1, seconds: null },
            {
              visitors: 2,
              shareOfFirst: 1,
              shareOfPrevious: 1,
              seconds: { sincePrevious: { median: 315, p90: 543 }, sinceFirst: { median: 315, p90: 543 } },
            },
          ],
        },
        {
          value: null,
          steps: [
            { visitors: 1, shareOfFirst: 1, shareOfPrevious: 1, seconds: null },
            { visitors: 0, shareOfFirst: 0, shareOfPrevious: 0, seconds: null },
          ],
        },
      ],
    },
  },
  {
    sentence: "Within a session, a funnel counts the longest run of one session.",
    because: "v1 buys in the session of its view, v2 in another one, v3 not at all.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-10T10:00:00.000Z", "/item/1"]),
      { id: "b", at: "2026-05-10T10:01:00.000Z", session: "s1", visitor: "v1", name: "buy" },
      ...visit("s2", "v2", ["c", "2026-05-10T10:00:00.000Z", "/item/1"]),
      { id: "d", at: "2026-05-10T10:01:00.000Z", session: "s3", visitor: "v2", name: "buy" },
      ...visit("s4", "v3", ["e", "2026-05-10T10:00:00.000Z", "/item/1"]),
    ],
    ask: "funnel",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      steps: [{ page: "/item/*" }, { event: "buy" }],
      within: "session",
    },
    answer: {
      steps: [
        { visitors: 3, shareOfFirst: 1, shareOfPrevious: 1, seconds: null },
        { visitors: 1, shareOfFirst: 1 / 3, shareOfPrevious: 1 / 3, seconds: null },
      ],
      segments: null,
    },
  },
  {
    sentence: "Retention by week: who was there first in a week, and how many of them in each week after.",
    because:
      "Weeks of Mondays 4, 11 and 18 May. v1: weeks 1, 2, 3; v2: weeks 1, 3; v3: weeks 2, 3; v4: week 3. First in week 1: v1, v2, of whom v1 in week 2, both in week 3.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-04T10:00:00.000Z", "/"]),
      ...visit("s2", "v1", ["b", "2026-05-11T10:00:00.000Z", "/"]),
      ...visit("s3", "v1", ["c", "2026-05-18T10:00:00.000Z", "/"]),
      ...visit("s4", "v2", ["d", "2026-05-10T10:00:00.000Z", "/"]),
      ...visit("s5", "v2", ["e", "2026-05-24T10:00:00.000Z", "/"]),
      ...visit("s6", "v3", ["f", "2026-05-17T10:00:00.000Z", "/"]),
      ...visit("s7", "v3", ["g", "2026-05-20T10:00:00.000Z", "/"]),
      ...visit("s8", "v4", ["h", "2026-05-19T10:00:00.000Z", "/"]),
    ],
    ask: "retention",
    body: { dateRange: ["2026-05-04", "2026-05-25"], period: "week" },
    answer: {
      cohorts: [
        { start: "2026-05-04T00:00:00.000Z", visitors: 2, returned: [2, 1, 2] },
        { start: "2026-05-11T00:00:00.000Z", visitors: 1, returned: [1, 1] },
        { start: "2026-05-18T00:00:00.000Z", visitors: 1, returned: [1] },
      ],
    },
  },
  {
    sentence: "Visitors whose first visit was before the range are in no cohort; with firstInRange they are.",
    because:
      "v1 came on 3 May, before the range, and again in week 1; v2 came first in week 1 and again in week 2. The report of v3 is passive, so its first visit is that of week 2.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-03T10:00:00.000Z", "/"]),
      ...visit("s2", "v1", ["b", "2026-05-05T10:00:00.000Z", "/"]),
      ...visit("s3", "v2", ["c", "2026-05-05T10:00:00.000Z", "/"]),
      ...visit("s4", "v2", ["d", "2026-05-12T10:00:00.000Z", "/"]),
      report("e", "2026-05-06T10:00:00.000Z", "s5", { visitor: "v3", engagedSeconds: 1 }),
      ...visit("s6", "v3", ["f", "2026-05-13T10:00:00.000Z", "/"]),
    ],
    ask: "retention",
    body: { dateRange: ["2026-05-04", "2026-05-18"], period: "week" },
    answer: {
      cohorts: [
        { start: "2026-05-04T00:00:00.000Z", visitors: 1, returned: [1, 1] },
        { start: "2026-05-11T00:00:00.000Z", visitors: 1, returned: [1] },
      ],
    },
  },
  {
    sentence: "A cohort of firstInRange has all visitors whose first event of the range is in its period.",
    because: "v1 came before the range and in week 1. The report of v3 in week 1 is its first event.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-03T10:00:00.000Z", "/"]),
      ...visit("s2", "v1", ["b", "2026-05-05T10:00:00.000Z", "/"]),
      report("e", "2026-05-06T10:00:00.000Z", "s5", { visitor: "v3", engagedSeconds: 1 }),
      ...visit("s6", "v3", ["f", "2026-05-13T10:00:00.000Z", "/"]),
    ],
    ask: "retention",
    body: { dateRange: ["2026-05-04", "2026-05-18"], period: "week", cohort: "firstInRange" },
    answer: {
      cohorts: [
        { start: "2026-05-04T00:00:00.000Z", visitors: 2, returned: [2, 1] },
        { start: "2026-05-11T00:00:00.000Z", visitors: 0, returned: [0] },
      ],
    },
  },
  {
    sentence:
      "A cohort has the visitors with an event that satisfies the filters, also if that of the first visit does not.",
    because: "v1 came first in week 1 with /, and saw /a in week 2. v2 did not see /a.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-05T10:00:00.000Z", "/"]),
      ...visit("s2", "v1", ["b", "2026-05-12T10:00:00.000Z", "/a"]),
      ...visit("s3", "v2", ["c", "2026-05-05T10:00:00.000Z", "/"]),
    ],
    ask: "retention",
    body: {
      dateRange: ["2026-05-04", "2026-05-18"],
      period: "week",
      filters: [{ dimension: "page", operator: "is", value: "/a" }],
    },
    answer: {
      cohorts: [
        { start: "2026-05-04T00:00:00.000Z", visitors: 1, returned: [0, 1] },
        { start: "2026-05-11T00:00:00.000Z", visitors: 0, returned: [0] },
      ],
    },
  },
  {
    sentence: "A visitor is new in the session of the first visit ever, and returning in all others.",
    because:
      "v1 came on 1 May from an ad, and returns directly. v2 comes first from news and returns on the same day, so it is new and returning. s4 has only the passive report of v2, and is of no type.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-01T10:00:00.000Z", "/ad", { source: "ads" }]),
      ...visit("s2", "v1", ["b", "2026-05-10T10:00:00.000Z", "/"]),
      ...visit("s3", "v2", ["c", "2026-05-10T10:00:00.000Z", "/", { source: "news" }]),
      report("d", "2026-05-10T11:00:00.000Z", "s4", { visitor: "v2", engagedSeconds: 5 }),
      ...visit("s5", "v2", ["e", "2026-05-10T12:00:00.000Z", "/"]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["sessions", "visitors", "newVisitors", "returningVisitors"],
      dimensions: ["visitorType", "firstSource"],
      orderBy: [
        { field: "visitorType", direction: "asc" },
        { field: "firstSource", direction: "asc" },
      ],
    },
    rows: [
      [
        ["new", "news"],
        [1, 1, 1, 0],
      ],
      [
        ["returning", "ads"],
        [1, 1, 0, 1],
      ],
      [
        ["returning", "news"],
        [1, 1, 0, 1],
      ],
      [
        [null, "news"],
        [0, 1, 0, 0],
      ],
    ],
  },
  {
    sentence:
      "New visitors by the source and the entry page of their first visit, which may be before the range.",
    because: "v1 came first on 1 May from ads with /ad, v2 first in the range from news with /n.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-01T10:00:00.000Z", "/ad", { source: "ads", channel: "Display" }]),
      ...visit("s2", "v1", ["b", "2026-05-10T10:00:00.000Z", "/"]),
      ...visit("s3", "v2", ["c", "2026-05-10T10:00:00.000Z", "/n", { source: "news" }]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["visitors", "newVisitors"],
      dimensions: ["firstChannel", "firstEntryPage"],
      filters: [{ dimension: "firstSource", operator: "in", value: ["ads", "news"] }],
    },
    rows: [
      [
        ["Direct", "/n"],
        [1, 1],
      ],
      [
        ["Display", "/ad"],
        [1, 0],
      ],
    ],
  },
  {
    sentence: "Paths follow a session's views from its entry; a page that is seen again at once is one step.",
    because:
      "s1: / / /a /b → / to /a, /a to /b, /b to the end; s2: / /a; s3: / alone. Step 1: / to /a 2, / to the end 1. Step 2: /a to /b 1, /a to the end 1. There is no third: two were asked for.",
    events: [
      ...visit(
        "s1",
        "v1",
        ["a", "2026-05-10T10:00:00.000Z", "/"],
        ["b", "2026-05-10T10:00:10.000Z", "/"],
        ["c", "2026-05-10T10:01:00.000Z", "/a"],
        ["d", "2026-05-10T10:02:00.000Z", "/b"],
      ),
      ...visit("s2", "v2", ["e", "2026-05-10T10:00:00.000Z", "/"], ["f", "2026-05-10T10:01:00.000Z", "/a"]),
      ...visit("s3", "v3", ["g", "2026-05-10T10:00:00.000Z", "/"]),
    ],
    ask: "paths",
    body: { dateRange: ["2026-05-10", "2026-05-11"], steps: 2 },
    answer: {
      paths: [
        { step: 1, from: "/", to: "/a", sessions: 2 },
        { step: 1, from: "/", to: null, sessions: 1 },
        { step: 2, from: "/a", to: "/b", sessions: 1 },
        { step: 2, from: "/a", to: null, sessions: 1 },
      ],
    },
  },
  {
    sentence: "Paths through given pages count a step only for the sessions that took the path up to it.",
    because:
      "s1: / /a /b; s2: / /c /b; s3: /a /b. Through / and /a: step 1 has s1 and s2, which began at /. Step 2 has s1, which went to /a. Step 3 has s1 alone: s2 saw /b after /c, and s3 did not begin at /.",
    events: [
      ...visit(
        "s1",
        "v1",
        ["a", "2026-05-10T10:00:00.000Z", "/"],
        ["b", "2026-05-10T10:01:00.000Z", "/a"],
        ["c", "2026-05-10T10:02:00.000Z", "/b"],
      ),
      ...visit(
        "s2",
        "v2",
        ["d", "2026-05-10T10:00:00.000Z", "/"],
        ["e", "2026-05-10T10:01:00.000Z", "/c"],
        ["f", "2026-05-10T10:02:00.000Z", "/b"],
      ),
      ...visit("s3", "v3", ["g", "2026-05-10T10:00:00.000Z", "/a"], ["h", "2026-05-10T10:01:00.000Z", "/b"]),
    ],
    ask: "paths",
    body: { dateRange: ["2026-05-10", "2026-05-11"], steps: 3, through: ["/", "/a"] },
    answer: {
      paths: [
        { step: 1, from: "/", to: "/a", sessions: 1 },
        { step: 1, from: "/", to: "/c", sessions: 1 },
        { step: 2, from: "/a", to: "/b", sessions: 1 },
        { step: 3, from: "/b", to: null, sessions: 1 },
      ],
    },
  },
  {
    sentence:
      "With events, actions are steps of paths beside the pages, and an event is not a page of the same name.",
    because:
      "s1: / signup /a; s2: / /a. Reports are passive. Through / and signup, step 2 has s1 alone, which went on to /a.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-10T10:00:00.000Z", "/"], ["c", "2026-05-10T10:02:00.000Z", "/a"]),
      { id: "b", at: "2026-05-10T10:01:00.000Z", session: "s1", visitor: "v1", name: "signup" },
      report("d", "2026-05-10T10:01:30.000Z", "s1", { engagedSeconds: 1 }),
      ...visit("s2", "v2", ["e", "2026-05-10T10:00:00.000Z", "/"], ["f", "2026-05-10T10:01:00.000Z", "/a"]),
    ],
    ask: "paths",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      steps: 2,
      through: ["/", { event: "signup" }],
      include: { events: true },
    },
    answer: {
      paths: [
        { step: 1, from: "/", fromEvent: false, to: "/a", toEvent: false, sessions: 1 },
        { step: 1, from: "/", fromEvent: false, to: "signup", toEvent: true, sessions: 1 },
        { step: 2, from: "signup", fromEvent: true, to: "/a", toEvent: false, sessions: 1 },
      ],
    },
  },
  {
    sentence: "Paths from an event begin at its first occurrence in a session.",
    because: "s1: / signup /a signup. From signup: /a. s2 has no signup.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-10T10:00:00.000Z", "/"], ["c", "2026-05-10T10:02:00.000Z", "/a"]),
      { id: "b", at: "2026-05-10T10:01:00.000Z", session: "s1", visitor: "v1", name: "signup" },
      { id: "d", at: "2026-05-10T10:03:00.000Z", session: "s1", visitor: "v1", name: "signup" },
      ...visit("s2", "v2", ["e", "2026-05-10T10:00:00.000Z", "/"]),
    ],
    ask: "paths",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      steps: 1,
      startEvent: "signup",
      include: { events: true },
    },
    answer: {
      paths: [{ step: 1, from: "signup", fromEvent: true, to: "/a", toEvent: false, sessions: 1 }],
    },
  },
  {
    sentence: "Retention by goals groups visitors by their first signup, and counts those who order later.",
    because:
      "v1 signs up in week 1 and orders in week 2; v2 signs up in week 1, comes back in week 2 and orders nothing; v3 orders in week 1 without a signup; v4 signs up in week 2 after a visit in week 1.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-05T10:00:00.000Z", "/"]),
      { id: "b", at: "2026-05-05T10:01:00.000Z", session: "s1", visitor: "v1", name: "signup" },
      { id: "c", at: "2026-05-12T10:00:00.000Z", session: "s2", visitor: "v1", name: "order" },
      { id: "d", at: "2026-05-06T10:00:00.000Z", session: "s3", visitor: "v2", name: "signup" },
      ...visit("s4", "v2", ["e", "2026-05-13T10:00:00.000Z", "/"]),
      { id: "f", at: "2026-05-06T10:00:00.000Z", session: "s5", visitor: "v3", name: "order" },
      ...visit("s6", "v4", ["g", "2026-05-06T10:00:00.000Z", "/"]),
      { id: "h", at: "2026-05-12T10:00:00.000Z", session: "s7", visitor: "v4", name: "signup" },
    ],
    ask: "retention",
    body: {
      dateRange: ["2026-05-04", "2026-05-18"],
      period: "week",
      cohortGoal: { event: "signup" },
      returnGoal: { event: "order" },
    },
    answer: {
      cohorts: [
        { start: "2026-05-04T00:00:00.000Z", visitors: 2, returned: [0, 1] },
        { start: "2026-05-11T00:00:00.000Z", visitors: 1, returned: [0] },
      ],
    },
  },
  {
    sentence: "Live are the visitors of the last five minutes.",
    because:
      "At 12:00: v1 at 11:55:00.000 is in, v2 at 11:54:59.999 is out, v3 came twice, v4 is a bot: v1 and v3.",
    events: [
      ...visit("s1", "v1", ["a", "2026-05-10T11:55:00.000Z", "/"]),
      ...visit("s2", "v2", ["b", "2026-05-10T11:54:59.999Z", "/"]),
      ...visit("s3", "v3", ["c", "2026-05-10T11:58:00.000Z", "/"], ["d", "2026-05-10T11:59:00.000Z", "/"]),
      ...visit("s4", "v4", ["e", "2026-05-10T11:59:00.000Z", "/", { isBot: true }]),
    ],
    ask: "live",
    body: {},
    now: "2026-05-10T12:00:00.000Z",
    answer: { visitors: 2, windowSeconds: 300, excluded: { bots: 1 } },
  },
  {
    sentence: "A query by goal has a row for each goal of the source; its rate divides by all visitors.",
    because:
      "v1 buys for 120 and for 80, v2 for 500 on a trial, v3 reads: 3 purchases by 2 of 3 visitors. More than 100 and no trial is one by v1. Nobody calls.",
    events: [
      ...[120, 80].map((price, index) => ({
        id: `a${index}`,
        at: "2026-05-10T10:00:00.000Z",
        session: "s1",
        visitor: "v1",
        name: "buy",
        properties: { price },
      })),
      {
        id: "b",
        at: "2026-05-10T10:00:00.000Z",
        session: "s2",
        visitor: "v2",
        name: "buy",
        properties: { price: 500, plan: "trial" },
      },
      ...visit("s3", "v3", ["c", "2026-05-10T10:00:00.000Z", "/docs/a"]),
    ],
    goals: [
      { name: "Called", event: "call" },
      { name: "Read", path: "/docs/*" },
      { name: "Bought", event: "buy" },
      {
        name: "Bought much",
        event: "buy",
        conditions: [
          { property: "price", operator: "gt", value: 100 },
          { property: "plan", operator: "is_not", value: "trial" },
        ],
      },
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-10", "2026-05-11"],
      metrics: ["conversions", "conversionRate", "visitors"],
      dimensions: ["goal"],
    },
    rows: [
      [["Bought"], [3, 2 / 3, 2]],
      [["Bought much"], [1, 1 / 3, 1]],
      [["Read"], [1, 1 / 3, 1]],
      [["Called"], [0, 0, 0]],
    ],
  },
  {
    sentence: "Rolling visitors are those of the days until the end of a bucket, also before the range.",
    because:
      "2 to 8 May has Ann and Ben, 3 to 9 May Ann. The first day after the week of Ann's last visit is the 15th. No other day has a visit.",
    events: [
      ...visit("s1", "Ann", ["a", "2026-05-01T10:00:00.000Z", "/"]),
      ...visit("s2", "Ben", ["b", "2026-05-02T10:00:00.000Z", "/"]),
      ...visit("s3", "Ann", ["c", "2026-05-08T23:30:00.000Z", "/"]),
    ],
    ask: "query",
    body: {
      dateRange: ["2026-05-08", "2026-05-10"],
      metrics: ["visitors", "visitors7Days", "visitors28Days", "dauPerWau", "dauPerMau", "wauPerMau"],
      dimensions: ["time:day"],
      include: { comparison: { mode: "custom", dateRange: ["2026-05-14", "2026-05-16"] } },
    },
    rows: [
      [["2026-05-08T00:00:00.000Z"], [1, 2, 2, 0.5, 0.5, 1], [0, 1, 2, 0, 0, 0.5]],
      [["2026-05-09T00:00:00.000Z"], [0, 1, 2, 0, 0, 0.5], [0, 0, 2, null, 0, 0]],
    ],
  },
  {
    sentence: "A bucket is not complete when the range cuts it or when it is not over.",
    because:
      "The range begins on Wednesday the 6th: the range cuts the week of the 4th. It is noon on the 20th: the week of the 18th is not over.",
    events: visit("s1", "v1", ["a", "2026-05-13T10:00:00.000Z", "/"]),
    ask: "query",
    now: "2026-05-20T12:00:00.000Z",
    body: {
      dateRange: ["2026-05-06", "2026-05-25"],
      metrics: ["visitors"],
      dimensions: ["time:week"],
    },
    rows: [
      [["2026-05-06T00:00:00.000Z"], [0]],
      [["2026-05-11T00:00:00.000Z"], [1]],
      [["2026-05-18T00:00:00.000Z"], [0]],
    ],
    complete: [false, true, false],
  },
];
