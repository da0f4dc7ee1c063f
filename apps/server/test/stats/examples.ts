/**
 * Worked examples of docs/contract.md section 9: a few events, a query, and the answer, computed by hand. They were written
 * before the code, so if the two disagree, the code is wrong.
 */

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
  isBot?: true;
  sentBy?: "server";
  properties?: Record<string, unknown>;
}

/** `[dimensions, metrics]`, and with a comparison `[dimensions, metrics, before]`. */
type ExampleRow = [unknown[], (number | null)[], ((number | null)[] | null)?];

export interface Example {
  sentence: string;
  /** How the answer was computed. */
  because: string;
  /** In the order of their arrival in the warehouse. */
  events: ExampleEvent[];
  ask: "query" | "funnel" | "retention" | "paths" | "live";
  body: Record<string, unknown>;
  /** The time at which it is asked. */
  now?: string;
  /** Of `query`. */
  rows?: ExampleRow[];
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
        { visitors: 4, shareOfFirst: 1, shareOfPrevious: 1 },
        { visitors: 3, shareOfFirst: 0.75, shareOfPrevious: 0.75 },
        { visitors: 2, shareOfFirst: 0.5, shareOfPrevious: 2 / 3 },
      ],
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
];
