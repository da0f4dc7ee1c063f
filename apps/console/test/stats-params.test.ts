/** Unit tests of the stats page's search parameters and formatting. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizePath } from "@headwater/contract/path-pattern";
import { toCsv } from "../src/csv.ts";
import { EMPTY_GOAL, toGoal } from "../src/pages/sources/goal-input.ts";
import { labelIndexes, scaleTicks, toAreaPath, toLinePaths } from "../src/pages/stats/chart/line-path.ts";
import { comparedNames, withOffsets } from "../src/pages/stats/chart/point-names.ts";
import { formatCell } from "../src/pages/stats/explore/cells.ts";
import { metricLabel } from "../src/pages/stats/explore/fields.ts";
import { missingNotes, sumHint, tableNotes } from "../src/pages/stats/explore/notes.ts";
import { ordersOf, readTable, tableParams } from "../src/pages/stats/explore/table.ts";
import { formatChange, formatMetric, timeFormatter } from "../src/pages/stats/format.ts";
import { readSteps, readWindow, stepParams, toStatsGoals } from "../src/pages/stats/funnel/funnel-steps.ts";
import { ATTRIBUTIONS } from "../src/pages/stats/goals/attributions.ts";
import { countriesNamed, valueNamed } from "../src/pages/stats/lists/named-values.ts";
import { searchFilters } from "../src/pages/stats/lists/search-filters.ts";
import { formatValue } from "../src/pages/stats/lists/value-names.ts";
import { formatPeriod } from "../src/pages/stats/retention/retention-period.ts";
import {
  filterParams,
  readFilters,
  readTimeZone,
  toStatsFilters,
  type ViewParams,
  withoutFilters,
} from "../src/pages/stats/view-params.ts";
import {
  comparedDays,
  PRESETS,
  readComparison,
  readRange,
  startOfQuarter,
  type ViewInterval,
} from "../src/pages/stats/view-range.ts";
import { formatAmount, formatMoney } from "../src/ui/format-count.ts";

/** Applies changes as the router does: undefined removes a parameter. */
const with_ = (search: ViewParams, changes: ViewParams): ViewParams =>
  Object.fromEntries(Object.entries({ ...search, ...changes }).filter(([, value]) => value !== undefined));

test("Filters survive the round trip through the URL, missing values included, and can be removed.", () => {
  const chosen = [
    { dimension: "page", operator: "is", value: "/a?b=c,d&e" },
    { dimension: "country", operator: "is", value: "null" },
    { dimension: "property:plan", operator: "is", value: "1" },
    { dimension: "property:seats", operator: "is", value: 1 },
    { dimension: "property:isNew", operator: "is", value: false },
    { dimension: "property:gone", operator: "is", value: null },
    { dimension: "page", operator: "isNot", value: "/admin" },
    { dimension: "property:plan", operator: "contains", value: "1" },
    { dimension: "host", operator: "lacks", value: "staging" },
    { dimension: "browser", operator: "matches", value: "^Chrom" },
    { dimension: "referrer", operator: "is", value: null },
    { dimension: "utmCampaign", operator: "is", value: null },
    { dimension: "source", operator: "isNot", value: null },
  ] as const;
  let search: ViewParams = { sourceId: "s" };
  for (const { dimension, operator, value } of chosen)
    search = with_(search, filterParams(search, dimension, value, operator));
  assert.deepEqual(readFilters(search), chosen);
  assert.deepEqual(with_(search, withoutFilters(chosen)), { sourceId: "s" });
  search = with_(search, filterParams(search, "referrer", "shop.example"));
  assert.equal(search.missing, "utmCampaign");
  for (const { dimension, operator } of chosen)
    search = with_(search, filterParams(search, dimension, undefined, operator));
  assert.deepEqual(search, { sourceId: "s" });
});

test("Each operator becomes the API's; does not contain is a negated filter.", () => {
  const of = (operator: "isNot" | "contains" | "lacks") =>
    toStatsFilters([{ dimension: "page", operator, value: "/a" }])[0];
  assert.deepEqual(of("isNot"), { dimension: "page", operator: "is_not", value: "/a" });
  assert.deepEqual(of("contains"), { dimension: "page", operator: "contains", value: "/a" });
  assert.deepEqual(of("lacks"), { not: { dimension: "page", operator: "contains", value: "/a" } });
});

test("Search parameters that are not dimensions are ignored.", () => {
  const search = {
    sourceId: "s",
    "property:": "x",
    missing: "x,,page",
    constructor: "y",
    "isNot.x": "y",
    "property:a": "{",
  };
  assert.deepEqual(readFilters(search), [
    { dimension: "property:a", operator: "is", value: "{" },
    { dimension: "page", operator: "is", value: null },
  ]);
});

test("A custom range includes both of its days, and an invalid range is the last 28 days.", () => {
  const { dateRange, interval } = readRange({ range: "2026-02-27..2026-03-01" });
  assert.deepEqual([dateRange, interval], [["2026-02-27", "2026-03-02"], "day"]);
  for (const range of [
    undefined,
    "x",
    "2026-02-30..2026-03-01",
    "2026-03-02..2026-03-01",
    "2026-03-01..",
    "9999-12-01..9999-12-31",
  ])
    assert.equal(readRange(range === undefined ? {} : { range }).text, "28d", range);
  const intervals = ["today", "7d", "90d", "365d", "2020-01-01..2026-01-01"].map(
    (range) => readRange({ range }).interval,
  );
  assert.deepEqual(intervals, ["hour", "day", "day", "week", "month"]);
});

test("Presets are days of the time zone, and an interval that does not suit the range is not used.", () => {
  const now = Date.UTC(2026, 10, 21, 23, 30);
  const daysOf = (range: string, timeZone = "UTC") => readRange({ range }, timeZone, now).days.join("..");
  assert.equal(daysOf("7d"), "2026-11-15..2026-11-21");
  assert.equal(daysOf("today", "Europe/Berlin"), "2026-11-22..2026-11-22");
  assert.equal(daysOf("yesterday"), "2026-11-20..2026-11-20");
  assert.equal(daysOf("month"), "2026-11-01..2026-11-21");
  assert.equal(daysOf("lastMonth"), "2026-10-01..2026-10-31");
  assert.equal(daysOf("year"), "2026-01-01..2026-11-21");
  const { dateRange, interval, intervals } = readRange({ range: "24h", interval: "minute" }, "UTC", now);
  assert.deepEqual(dateRange, ["2026-11-21T00:00:00.000Z", "2026-11-22T00:00:00.000Z"]);
  assert.deepEqual([interval, intervals], ["minute", ["minute", "hour"]]);
  const [beforeMidnight, afterMidnight] = ["17:46", "18:47"].map((time) => Date.parse(`2026-11-21T${time}Z`));
  for (const zone of ["Asia/Kolkata", "Asia/Kathmandu"]) {
    const todayAt = (at = 0) => readRange({ range: "today" }, zone, startOfQuarter(at)).days[0];
    assert.deepEqual([todayAt(beforeMidnight), todayAt(afterMidnight)], ["2026-11-21", "2026-11-22"], zone);
  }
  for (const { value } of PRESETS) {
    const range = readRange({ range: value, interval: "x" }, "UTC", now);
    assert.ok(range.intervals.includes(range.interval), value);
  }
  assert.equal(readRange({ range: "90d", interval: "hour" }).interval, "day");
});

test("A range is compared with the period before, the year before, the same weekdays or chosen days.", () => {
  const range = readRange({ range: "2026-03-02..2026-03-31" });
  const requestOf = (compare?: string) =>
    readComparison(compare === undefined ? {} : { compare }, range).request;
  assert.deepEqual(requestOf(), { mode: "previous" });
  assert.deepEqual(requestOf("year"), { mode: "year" });
  assert.equal(requestOf("no"), false);
  assert.equal(readComparison({}, readRange({ range: "all" })).request, false);
  assert.deepEqual(requestOf("2026-01-01..2026-01-31"), {
    mode: "custom",
    dateRange: ["2026-01-01", "2026-02-01"],
  });
  assert.deepEqual(requestOf("weekdays"), { mode: "previous", sameWeekdays: true });
  assert.deepEqual(requestOf("yearWeekdays"), { mode: "year", sameWeekdays: true });
  // 30 days: five weeks before, so that a Monday stands beside a Monday
  assert.deepEqual(comparedDays(range, readComparison({ compare: "weekdays" }, range)), [
    "2026-01-26",
    "2026-02-24",
  ]);
});

test("Whole months are compared with the months before, and a month or year to date with the same days of the one before.", () => {
  const now = Date.parse("2026-03-30T12:00:00Z");
  const compared = (range: string, compare?: string) => {
    const read = readRange({ range }, "UTC", now);
    return comparedDays(read, readComparison({ compare }, read)).join("..");
  };
  assert.equal(compared("lastMonth"), "2026-01-01..2026-01-31");
  assert.equal(compared("2026-03-01..2026-03-31"), "2026-02-01..2026-02-28");
  assert.equal(compared("2025-12-01..2026-02-28"), "2025-09-01..2025-11-30");
  assert.equal(compared("month"), "2026-02-01..2026-02-28");
  assert.equal(compared("year"), "2025-01-01..2025-03-30");
  assert.equal(compared("2026-03-02..2026-03-31"), "2026-01-31..2026-03-01");
  assert.equal(compared("2026-03-01..2026-03-31", "year"), "2025-03-01..2025-03-31");
  assert.equal(compared("2028-02-01..2028-02-29", "year"), "2027-02-01..2027-02-28");
  assert.equal(compared("28d", "year"), "2025-03-03..2025-03-30");
  assert.equal(compared("28d", "yearWeekdays"), "2025-03-04..2025-03-31");
  assert.equal(compared("2028-02-29..2028-02-29", "year"), "2027-02-28..2027-02-28");
});

test("A point of a chart is beside the same day of another month or year, and the same hour of another day.", () => {
  const beside = (from: string, comparedFrom: string, start: string, interval: ViewInterval) => {
    const comparison = { from: comparedFrom, to: comparedFrom };
    return comparedNames({ from, comparison, timezone: "Europe/Berlin" }, interval)(start);
  };
  const [march, february] = ["2026-02-28T23:00:00.000Z", "2026-01-31T23:00:00.000Z"];
  assert.equal(beside(march, february, "2026-03-27T23:00:00.000Z", "day"), "Sat, Feb 28");
  // the year before has no 29 February
  assert.equal(
    beside("2024-02-27T23:00:00.000Z", "2023-02-27T23:00:00.000Z", "2024-02-29T23:00:00.000Z", "day"),
    "Wed, Mar 1",
  );
  const [monday, sunday] = ["2026-10-25T23:00:00.000Z", "2026-10-24T22:00:00.000Z"];
  assert.equal(beside(monday, sunday, "2026-10-26T12:00:00.000Z", "hour"), "Oct 25, 1:00 PM");
  assert.equal(comparedNames({ from: monday, comparison: null, timezone: "UTC" }, "hour")(monday), null);
});

test("An hour that clocks show twice says its distance from UTC.", () => {
  const starts = [0, 1, 2].map((hour) => `2026-10-25T0${hour}:00:00.000Z`);
  const names = starts.map(timeFormatter("Europe/Berlin", "hour"));
  assert.deepEqual(withOffsets(names, starts, "Europe/Berlin"), [
    "Oct 25, 2:00 AM (GMT+2)",
    "Oct 25, 2:00 AM (GMT+1)",
    "Oct 25, 3:00 AM",
  ]);
});

test("A week, and a month that the range cuts off, is named by its days, without the current year.", () => {
  // the spaces beside the dash are thin
  assert.equal(formatPeriod("week", ["2026-09-07", "2026-09-13"], "2026"), "Sep 7\u2009–\u200913");
  assert.equal(formatPeriod("week", ["2026-09-01", "2026-09-06"], "2027"), "Sep 1\u2009–\u20096, 2026");
  assert.match(formatPeriod("week", ["2025-12-29", "2026-01-04"], "2026"), /2025.*2026/);
  assert.equal(formatPeriod("month", ["2026-09-01", "2026-09-30"], "2026"), "Sep 2026");
  assert.equal(formatPeriod("month", ["2026-09-02", "2026-09-30"], "2026"), "Sep 2\u2009–\u200930");
  assert.equal(formatPeriod("day", ["2026-09-07", "2026-09-07"], "2026"), "Mon, Sep 7");
});

test("An unknown time zone falls back to the browser's.", () => {
  assert.equal(readTimeZone({ tz: "Europe/Berlin" }), "Europe/Berlin");
  assert.equal(readTimeZone({ tz: "Nowhere/None" }), readTimeZone({}));
});

test("Funnel steps survive the round trip through the URL.", () => {
  const steps = [
    { kind: "page", text: "/a:b*" },
    { kind: "event", text: "page:x" },
  ] as const;
  const search = stepParams([...steps.slice(0, 1), { kind: "event", text: " " }, ...steps.slice(1)]);
  assert.deepEqual(readSteps(with_({}, search)), steps);
  assert.deepEqual(toStatsGoals(steps), [{ page: "/a:b*" }, { event: "page:x" }]);
  assert.deepEqual(readSteps({ step1: "x", step2: "event:" }), []);
  assert.deepEqual([readWindow({ within: "week" }), readWindow({ within: "constructor" })], ["week", "day"]);
});

test("Metrics, changes and values are formatted; unknown codes are shown as they are.", () => {
  assert.deepEqual(
    [
      formatMetric("bounceRate", 0.333),
      formatMetric("sessionDuration", 3_725),
      formatMetric("sessionDuration", 313_380),
      formatMetric("visitors", null),
    ],
    ["33.3%", "1h\u00a02m", "3d\u00a015h", "—"],
  );
  assert.deepEqual(formatChange(3, 2), { ratio: 0.5, text: "+50%" });
  assert.deepEqual(formatChange(1_000.4, 1_000), { ratio: 0, text: "0%" }, "shown as no change");
  assert.equal(formatChange(996, 1_000)?.text, "-0.4%");
  assert.equal(formatChange(1, 250)?.text, "-99.6%", "one is left");
  assert.equal(formatChange(1, 1_000_000)?.text, "-99.9%");
  assert.equal(formatChange(0, 250)?.text, "-100%");
  assert.equal(formatChange(0.331, 0.263, "bounceRate")?.text, "+6.8 pp", "percentage points");
  assert.equal(formatChange(79.6, 80.1, "sessionDuration")?.text, "no change", "both read 1m 20s");
  assert.equal(formatChange(0, 0), null);
  assert.equal(formatValue("country", "DE"), "Germany");
  for (const code of ["<b>", "", "x".repeat(40)])
    assert.equal(formatValue("country", code), code || "(empty)");
});

test("Numbers from a billion on are short in columns, and paths read as in a browser.", () => {
  assert.equal(formatMetric("visitors", 999_999_999), "999,999,999");
  assert.equal(formatMetric("visitors", 7_354_315_619), "7.35B");
  assert.equal(formatAmount(1_234.5, "EUR"), "€1,234.50");
  assert.equal(formatAmount(-1_975_308_642_024.68, "EUR"), "-€1.98T");
  assert.equal(formatMoney(1_975_308_642_024.68, "EUR"), "€1,975,308,642,024.68", "of one event");
  assert.equal(formatValue("page", "/caf%C3%A9%2Fa"), "/café%2Fa");
  assert.equal(formatValue("entryPage", "/50%"), "/50%", "no encoded path");
  assert.equal(formatValue("page", "/a%20b%20"), "/a b%20", "a space at the end is seen");
  assert.equal(formatValue("page", "/%E2%80%8B"), "/%E2%80%8B", "not like the page /");
  assert.equal(formatValue("page", normalizePath("/👨‍👩‍👧")), "/👨‍👩‍👧");
  assert.equal(formatValue("exitPage", "/%E2%80%AEdcba"), "/%E2%80%AEdcba", "nothing turns the text around");
});

test("A filter takes the name of a value in any case; pages and unknown names stay as they are typed.", () => {
  assert.equal(valueNamed("country", "germany", ["US", "DE"]), "DE");
  assert.equal(valueNamed("country", "Norway", ["US"]), "NO", "a country without visitors");
  assert.equal(valueNamed("browser", "chrome", ["Chrome", null]), "Chrome");
  assert.equal(valueNamed("source", "direct / unknown", ["Google", null]), null);
  assert.equal(valueNamed("page", "/Pricing", ["/pricing"]), "/Pricing");
  assert.equal(valueNamed("page", "/café", ["/caf%C3%A9"]), "/caf%C3%A9", "as the list shows it");
  assert.equal(valueNamed("page", "/café", []), "/caf%C3%A9", "as browsers send it");
  assert.equal(valueNamed("country", "Atlantis", ["US"]), "Atlantis");
  assert.deepEqual(countriesNamed("switz"), ["CH"]);
});

test("A path that is typed as the lists show it finds the path that browsers send.", () => {
  const searched = (text: string) => searchFilters({ dimension: "page", metrics: ["visitors"] }, text);
  const isPattern = (value: string) => [{ or: [{ dimension: "page", operator: "matches", value }] }];
  assert.deepEqual(searched("/café a"), isPattern("(?i)/caf(?:%C3%A9|%C3%89)%20a"), "in either case");
  assert.deepEqual(searched("日本"), isPattern("(?i)%E6%97%A5%E6%9C%AC"));
  assert.deepEqual(searched("ß"), isPattern("(?i)%C3%9F"), "not ss");
  assert.deepEqual(searched("%C3%A9.*"), isPattern("(?i)%C3%A9\\.\\*"));
  assert.equal(normalizePath("/<b>/\ud800"), "/%3Cb%3E/%EF%BF%BD");
  assert.deepEqual(
    toStatsGoals([
      { kind: "page", text: "/日本*" },
      { kind: "event", text: "é" },
    ]),
    [{ page: "/%E6%97%A5%E6%9C%AC*" }, { event: "é" }],
  );
  assert.equal(toGoal({ ...EMPTY_GOAL, kind: "path", text: " /über-uns " }).path, "/%C3%BCber-uns");
});

test("A missing value is a gap in the line, and an isolated point is a dot.", () => {
  const { line, dots } = toLinePaths([0, 2, null, 1, null, 4], 4);
  assert.equal(line, "M0.00 100.00L20.00 50.00");
  assert.equal(dots, "M60.00 75.00h0M100.00 0.00h0");
});

test("The scale begins at 0 and ends at or above the highest value, with at most four round steps.", () => {
  for (const highest of [0, 0.03, 0.5, 1, 3, 7, 10, 99, 1_234, 5_000_001]) {
    const ticks = scaleTicks(highest, 0.01);
    const top = ticks.at(-1) ?? 0;
    assert.ok(ticks[0] === 0 && top >= highest && top <= Math.max(highest * 2, 0.04), `${highest}: ${ticks}`);
    assert.ok(ticks.length >= 2 && ticks.length <= 5, `${highest}: ${ticks}`);
  }
  assert.deepEqual(scaleTicks(3, 1), [0, 1, 2, 3], "counts have whole steps");
  assert.deepEqual(scaleTicks(10, 1), [0, 5, 10]);
});

test("The area ends at the first gap, and labels of the time axis stand at regular steps.", () => {
  assert.equal(toAreaPath([1, 2, null], 2), "M0 100L0.00 50.00L50.00 0.00L50.00 100Z");
  assert.equal(toAreaPath([1], 2), "");
  assert.deepEqual(labelIndexes(30, 10), [0, 3, 6, 9, 12, 15, 18, 21, 24, 27]);
  assert.deepEqual(labelIndexes(1, 10), [0]);
});

test("CSV cells are quoted where they must be, and no cell is a formula.", () => {
  const rows = [
    ["a", 1],
    ['b,"c"', -2],
    ["=1+1", 0],
    ["\u3000＝1\n=2", 0],
  ];
  assert.equal(toCsv(rows), 'a,1\r\n"b,""c""",-2\r\n\'=1+1,0\r\n\'\u3000＝1 =2,0');
});

test("A table of the Explore view survives the round trip through the URL, and unknown names are left out.", () => {
  const rows = ["channel", "property:a,b%2C"] as const;
  const columns = ["visitors", "avg:price"] as const;
  const params = tableParams(rows, columns);
  const order = { field: "visitors", direction: "desc" };
  assert.deepEqual(readTable(params), { rows, chosen: columns, columns, order });
  assert.deepEqual(readTable({ ...params, sort: "avg:price" })?.order, {
    field: "avg:price",
    direction: "asc",
  });
  assert.equal(readTable({}), null);
  const grouped = readTable({ rows: "goal,channel", columns: "conversions,visitors" });
  assert.deepEqual(
    grouped && ordersOf(grouped),
    [
      { field: "goal", direction: "asc" },
      { field: "conversions", direction: "desc" },
    ],
    "the channels of a goal stand together, the best first",
  );
  const timed = readTable({ rows: "time:day,hourOfDay", columns: "visitors" });
  assert.deepEqual(timed && ordersOf(timed), [{ field: "time:day", direction: "asc" }]);
  assert.deepEqual(readTable({ rows: "constructor,time:day", columns: "toString,sum:x" }), {
    rows: ["time:day"],
    chosen: ["sum:x"],
    columns: ["sum:x"],
    order: { field: "time:day", direction: "asc" },
  });
  assert.deepEqual(readTable({ rows: "goal", columns: "bounceRate,conversions" })?.columns, ["conversions"]);
  assert.deepEqual(
    readTable({ rows: "channel", columns: "exits" })?.columns,
    ["visitors"],
    "exits are of pages",
  );
  const rolling = "visitors,visitors7Days,dauPerWau";
  const columnsBy = (rows: string) => readTable({ rows, columns: rolling })?.columns.join();
  assert.equal(columnsBy("time:day,channel"), rolling);
  assert.equal(columnsBy("time:week"), "visitors,visitors7Days", "stickiness is of a day");
  assert.equal(columnsBy("time:day,hourOfDay"), "visitors", "rolling metrics are of whole days");
});

test("Metrics that the rows of an Explore table do not have stay chosen, and a note says what they need.", () => {
  const chosen = ["exits", "visitors", "visitors7Days", "dauPerWau", "bounceRate", "exitRate"] as const;
  const notesBy = (rows: string) => {
    const table = readTable({ ...tableParams([], chosen), rows });
    assert.ok(table);
    assert.deepEqual(table.chosen, chosen);
    return missingNotes(table);
  };
  assert.deepEqual(notesBy("page,time:day"), []);
  assert.deepEqual(notesBy("channel"), [
    "Hidden: Exits, Exit rate. Add the row “Page” to show these columns.",
    "Hidden: DAU / WAU. Add the row “Day” to show this column.",
  ]);
  assert.deepEqual(notesBy("page,dayOfWeek"), [
    "Hidden: 7-day visitors, DAU / WAU. Remove rows by hour or weekday to show these columns.",
  ]);
  assert.deepEqual(notesBy("goal"), [
    "Hidden: Exits, 7-day visitors, DAU / WAU, Bounce rate, Exit rate. Remove the row “Goal” to show these columns.",
  ]);
});

test("Below an Explore table stands what the shares are of and what a folder is, and a sum without a figure says why.", () => {
  const row = { dimensions: [], metrics: [], comparison: null, complete: null };
  const notesOf = (dimensions: string[], metrics: string[], share: (number | null)[] | null) =>
    tableNotes(
      { dimensions, metrics, results: [{ ...row, share }] },
      { order: { field: "channel", direction: "asc" } },
    );
  assert.deepEqual(notesOf(["channel"], ["newVisitors", "bounceRate"], [0.5, null]), [
    "Share is the row’s percentage of the “New visitors” total. A visitor in several rows counts once in the total, so shares may add up to more than 100%.",
  ]);
  assert.deepEqual(notesOf(["channel"], ["pageviews"], [0.5]), [
    "Share is the row’s percentage of the “Page views” total.",
  ]);
  assert.deepEqual(notesOf(["channel"], ["bounceRate"], [null]), [], "rates have no share");
  assert.match(notesOf(["folder:2"], ["pageviews"], null).join(), /^A folder ends with a slash/);
  assert.equal(sumHint("dauPerWau"), "No total, because each ratio belongs to one day");
  assert.equal(sumHint("visitors28Days"), "No total, because the rows cover overlapping days");
  assert.equal(sumHint("bounceRate"), undefined);
});

test("By goal, visitors are called converted visitors.", () => {
  assert.equal(metricLabel("visitors", ["goal", "channel"]), "Converted visitors");
  assert.equal(metricLabel("visitors", ["channel"]), "Visitors");
  assert.equal(metricLabel("conversions", ["goal"]), "Conversions");
});

test("Every attribution says what a conversion counts for.", () => {
  for (const { text } of ATTRIBUTIONS) assert.match(text, /^Credits a conversion to .*session\b.*\.$/);
});

test("Cells of hours, weekdays and times are written in words.", () => {
  assert.deepEqual(
    [formatCell("dayOfWeek", 1, "UTC"), formatCell("dayOfWeek", 7, "UTC"), formatCell("hourOfDay", 9, "UTC")],
    ["Monday", "Sunday", "9:00 AM"],
  );
  const november = ["time:month", "2026-10-31T23:00:00.000Z", "Europe/Berlin"] as const;
  assert.equal(formatCell(...november, true), "Nov 2026");
  assert.equal(formatCell(...november, false), "Nov 2026 (so far)", "as the chart says it");
  assert.equal(formatCell("channel", "Email", "UTC", false), "Email");
});
