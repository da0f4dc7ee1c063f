/** Unit tests of the stats page's search parameters and formatting. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatChange, formatMetric, formatValue } from "../src/pages/stats/format.ts";
import { readSteps, readWindow, stepParams, toStatsGoals } from "../src/pages/stats/funnel-steps.ts";
import { roundUpToScale, toLinePaths } from "../src/pages/stats/line-path.ts";
import {
  filterParams,
  readFilters,
  readRange,
  readTimeZone,
  toDayRange,
  type ViewParams,
} from "../src/pages/stats/view-params.ts";

/** Applies changes as the router does: undefined removes a parameter. */
const with_ = (search: ViewParams, changes: ViewParams): ViewParams =>
  Object.fromEntries(Object.entries({ ...search, ...changes }).filter(([, value]) => value !== undefined));

test("Filters survive the round trip through the URL, missing values included, and can be removed.", () => {
  const chosen = [
    { dimension: "page", value: "/a?b=c,d&e" },
    { dimension: "country", value: "null" },
    { dimension: "property:plan", value: "1" },
    { dimension: "property:seats", value: 1 },
    { dimension: "property:isNew", value: false },
    { dimension: "property:gone", value: null },
    { dimension: "referrer", value: null },
    { dimension: "utmCampaign", value: null },
  ] as const;
  let search: ViewParams = { sourceId: "s" };
  for (const { dimension, value } of chosen) search = with_(search, filterParams(search, dimension, value));
  assert.deepEqual(readFilters(search), chosen);
  search = with_(search, filterParams(search, "referrer", "shop.example"));
  assert.equal(search.missing, "utmCampaign");
  for (const { dimension } of chosen) search = with_(search, filterParams(search, dimension, undefined));
  assert.deepEqual(search, { sourceId: "s" });
});

test("Search parameters that are not dimensions are ignored.", () => {
  const search = { sourceId: "s", "property:": "x", missing: "x,,page", constructor: "y", "property:a": "{" };
  assert.deepEqual(readFilters(search), [
    { dimension: "property:a", value: "{" },
    { dimension: "page", value: null },
  ]);
});

test("A custom range includes both of its days, and an invalid range is the last 30 days.", () => {
  const { dateRange, interval } = readRange({ range: "2026-02-27..2026-03-01" });
  assert.deepEqual([dateRange, interval], [["2026-02-27", "2026-03-02"], "day"]);
  for (const range of [undefined, "x", "2026-02-30..2026-03-01", "2026-03-02..2026-03-01", "2026-03-01.."])
    assert.equal(readRange(range === undefined ? {} : { range }).dateRange, "30d", range);
  const intervals = ["today", "7d", "90d", "365d", "2020-01-01..2026-01-01"].map(
    (range) => readRange({ range }).interval,
  );
  assert.deepEqual(intervals, ["hour", "day", "day", "week", "month"]);
});

test("The days of a named range depend on the time zone.", () => {
  const now = Date.UTC(2026, 10, 21, 23, 30);
  assert.equal(toDayRange(readRange({ range: "7d" }), "UTC", now), "2026-11-15..2026-11-21");
  assert.equal(toDayRange(readRange({ range: "today" }), "Europe/Berlin", now), "2026-11-22..2026-11-22");
  assert.equal(toDayRange(readRange({ range: "yesterday" }), "UTC", now), "2026-11-20..2026-11-20");
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
      formatMetric("visitors", null),
    ],
    ["33.3%", "1h\u00a02m", "—"],
  );
  assert.deepEqual(formatChange(3, 2), { ratio: 0.5, text: "+50%" });
  assert.deepEqual(formatChange(1_001, 1_000), { ratio: 0, text: "0%" }, "shown as no change");
  assert.equal(formatChange(0, 0), null);
  assert.equal(formatValue("country", "DE"), "Germany (DE)");
  for (const code of ["<b>", "", "x".repeat(40)])
    assert.equal(formatValue("country", code), code || "(empty)");
});

test("A missing value is a gap in the line, and an isolated point is a dot.", () => {
  const { line, dots } = toLinePaths([0, 2, null, 1, null, 4], 4);
  assert.equal(line, "M0.00 100.00L20.00 50.00");
  assert.equal(dots, "M60.00 75.00h0M100.00 0.00h0");
});

test("The scale's upper end is at or above the highest value.", () => {
  for (const most of [0.03, 0.5, 1, 3, 7, 10, 99, 1_234, 5_000_001])
    assert.ok(
      roundUpToScale(most) >= most && roundUpToScale(most) <= most * 2.1,
      `${most}: ${roundUpToScale(most)}`,
    );
});
