/** Dates, times, numbers and weeks as a person reads them: as in the language of the browser, or as chosen in the profile. */
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import type { FormatPreferences } from "@headwater/contract/preferences";
import { firstWeekday, setOwnFormat } from "../../src/own-format.ts";
import { dayForKey, weeksOf } from "../../src/pages/stats/calendar/calendar-days.ts";
import { formatCell } from "../../src/pages/stats/explore/cells.ts";
import {
  formatChange,
  formatDays,
  formatMetric,
  formatShort,
  shortTimeFormatter,
  timeFormatter,
} from "../../src/pages/stats/format.ts";
import { formatMinute } from "../../src/pages/workspace/audit-text.ts";
import { formatPeriod } from "../../src/pages/workspace/usage-rows.ts";
import { formatCount, formatMoney, formatWholePercent } from "../../src/ui/format-count.ts";
import { consoleTest } from "../console-world.ts";

const AUTO: FormatPreferences = { locale: "auto", numberFormat: "auto", clock: "auto", weekStart: "auto" };
const choose = (chosen: Partial<FormatPreferences>) => setOwnFormat({ ...AUTO, ...chosen });
afterEach(() => choose({}));

/** Spaces that do not break read like others. */
const plain = (text: string) => text.replace(/\s/g, " ");

test("A chosen language writes days, times, ranges, weekdays and numbers.", () => {
  const hour = () => plain(timeFormatter("UTC", "hour")("2026-09-29T20:00:00.000Z"));
  const texts = () => [
    formatPeriod("2020-09-30"),
    formatPeriod(`${new Date().getUTCFullYear()}-09-30`),
    formatPeriod("2026-09"),
    hour(),
    plain(formatDays(["2026-09-07", "2026-09-13"])),
    formatCell("dayOfWeek", 1, "UTC"),
    formatCount(1_234_567),
    plain(formatMetric("bounceRate", 0.5)),
    plain(formatWholePercent(0.24)),
    plain(formatShort("visitors", 2_500_000)),
  ];
  choose({ locale: "en-US" });
  const us = ["Sep 30, 2020", "Sep 30", "September 2026", "Sep 29, 8:00 PM", "Sep 7 – 13, 2026", "Monday"];
  assert.deepEqual(texts(), [...us, "1,234,567", "50.0%", "24%", "2.5M"]);
  choose({ locale: "de" });
  const german = [
    "30.09.2020",
    "30. Sept.",
    "September 2026",
    "29. Sept., 20:00",
    "7.–13. Sept. 2026",
    "Montag",
  ];
  assert.deepEqual(texts(), [...german, "1.234.567", "50,0 %", "24 %", "2,5 Mio."]);
});

test("All numbers follow the chosen number format.", () => {
  const written = () =>
    [
      formatMetric("visitors", 1_234.5),
      formatMetric("bounceRate", 0.333),
      formatChange(1.055, 1)?.text ?? "",
      formatMoney(1_234.5, "EUR"),
    ].map(plain);
  choose({ locale: "en-US" });
  assert.deepEqual(written(), ["1,234.5", "33.3%", "+5.5%", "€1,234.50"]);
  choose({ numberFormat: "1.234,5" });
  assert.deepEqual(written(), ["1.234,5", "33,3 %", "+5,5 %", "1.234,50 €"]);
  choose({ numberFormat: "1234.5" });
  assert.deepEqual(written(), ["1234.5", "33.3%", "+5.5%", "€1234.50"]);
});

test("The number format and the clock can be chosen against the language.", () => {
  choose({ locale: "de", numberFormat: "1,234.5", clock: "12h" });
  assert.equal(formatCount(1234), "1,234");
  assert.match(formatMinute(new Date(2020, 8, 29, 20).getTime()), /8:00\sPM$/);
  assert.match(formatCell("hourOfDay", 0, "UTC"), /^12:00\sAM$/);
  choose({ locale: "en-US", clock: "24h" });
  assert.equal(formatCell("hourOfDay", 20, "UTC"), "20:00");
});

test("On the axis of a chart midnight is its day, in every language and with 12 and 24 hours.", () => {
  const instants = ["2026-09-29T22:00:00.000Z", "2026-09-29T23:00:00.000Z"];
  const ticks = () => instants.map(shortTimeFormatter("Europe/Berlin", "hour")).map(plain);
  choose({ locale: "en-US" });
  assert.deepEqual(ticks(), ["Sep 30", "1:00 AM"]);
  choose({ locale: "en-US", clock: "24h" });
  assert.deepEqual(ticks(), ["Sep 30", "01:00"]);
});

test("The weeks of a calendar, and the keys Home and End in it, follow the first day of the week.", () => {
  const weekOf = (day: string) =>
    weeksOf("2026-09-01").find((week) => week.includes(day)) ?? assert.fail("the month has the day");
  const ends = (day: string) =>
    ["Home", "End"].map((key) => dayForKey({ key, shiftKey: false }, day, "2026-01-01", "2026-12-31"));
  const expected = [
    [{ weekStart: "monday" }, "2026-09-07", "2026-09-13"],
    [{ weekStart: "sunday" }, "2026-09-06", "2026-09-12"],
    [{ weekStart: "saturday" }, "2026-09-05", "2026-09-11"],
    [{ locale: "en-US" }, "2026-09-06", "2026-09-12"],
    [{ locale: "en-GB" }, "2026-09-07", "2026-09-13"],
    [{ locale: "en-US", weekStart: "monday" }, "2026-09-07", "2026-09-13"],
  ] as const;
  for (const [chosen, first, last] of expected) {
    choose(chosen);
    const week = weekOf("2026-09-09");
    assert.deepEqual([week[0], week[6]], [first, last], `${firstWeekday()}`);
    assert.deepEqual(ends("2026-09-09"), [first, last]);
  }
});

consoleTest(
  "The profile chooses the language, the clock and the week of the console; another browser of the person has them too.",
  async ({ world, page, open, shoot }) => {
    await world.createSource();
    await open("/profile");
    const field = (label: string) => page.getByLabel(label);
    await field("Time format").waitFor();
    assert.match((await field("Time format").locator("option").first().textContent()) ?? "", /8:30\sPM$/);
    await field("Language for dates and numbers").selectOption("German");
    assert.equal(
      await field("Time format").locator("option").first().textContent(),
      "Language default: 20:30",
    );
    assert.equal(
      await field("First day of the week").locator("option").first().textContent(),
      "Language default: Monday",
    );
    await field("First day of the week").selectOption("Sunday");
    await shoot("profile-format");
    await page.getByRole("button", { name: "Save preferences" }).click();
    await page.getByText("Saved").waitFor();
    const ends = page.getByRole("region", { name: "Sessions" }).locator("time").last();
    assert.match((await ends.textContent()) ?? "", /^\d\d\.\d\d\.\d{4}$/);
    assert.match((await ends.getAttribute("title")) ?? "", /^\d\d\.\d\d\.\d{4}, \d\d:\d\d:\d\d$/);
    const { body } = await world.ask("/api/profile", { token: await world.ownerSession() });
    assert.deepEqual([body.locale, body.clock, body.weekStart], ["de", "auto", "sunday"]);

    await page.evaluate(() => localStorage.clear());
    await open("/audit");
    const time = page.getByRole("article", { name: "source.created" }).locator("time");
    await page.waitForFunction(() => localStorage.getItem("headwater.format")?.includes('"de"'));
    await page.getByRole("link", { name: "Usage" }).click();
    await page.getByRole("link", { name: "Audit log" }).click();
    assert.match((await time.textContent()) ?? "", /^\d+:\d\d$/);
    const day = page.getByRole("main").getByRole("heading", { level: 2 }).first();
    assert.match((await day.textContent()) ?? "", /^\S+tag, \d+\. \S+$|^Mittwoch, /);
  },
);
