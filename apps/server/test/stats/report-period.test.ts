/** The weeks and months of reports, and when reports are sent. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { ReportPeriod } from "@headwater/contract";
import { lastPeriod, nextReportAt, periodName } from "../../src/stats/reports/period.ts";

const at = (time: string) => Date.parse(time);
const iso = (time: number) => new Date(time).toISOString();
const CASES: [
  period: ReportPeriod,
  zone: string,
  now: string,
  days: string,
  compared: string,
  next: string,
][] = [
  // a Saturday
  ["week", "UTC", "2026-11-21T12:00Z", "2026-11-09 2026-11-16", "2026-11-02 2026-11-09", "2026-11-23T06:00"],
  // the last moment of a Sunday, and the first of a Monday
  [
    "week",
    "UTC",
    "2026-11-22T23:59:59.999Z",
    "2026-11-09 2026-11-16",
    "2026-11-02 2026-11-09",
    "2026-11-23T06:00",
  ],
  ["week", "UTC", "2026-11-23T00:00Z", "2026-11-16 2026-11-23", "2026-11-09 2026-11-16", "2026-11-30T06:00"],
  // already Monday in Tokyo, still Sunday in New York
  [
    "week",
    "Asia/Tokyo",
    "2026-11-22T15:00Z",
    "2026-11-16 2026-11-23",
    "2026-11-09 2026-11-16",
    "2026-11-29T21:00",
  ],
  [
    "week",
    "America/New_York",
    "2026-11-23T04:59Z",
    "2026-11-09 2026-11-16",
    "2026-11-02 2026-11-09",
    "2026-11-23T11:00",
  ],
  // the clocks in Berlin go back on Sunday, 25 October 2026, and forward on Sunday, 29 March 2026
  [
    "week",
    "Europe/Berlin",
    "2026-10-21T12:00Z",
    "2026-10-12 2026-10-19",
    "2026-10-05 2026-10-12",
    "2026-10-26T05:00",
  ],
  [
    "week",
    "Europe/Berlin",
    "2026-03-25T12:00Z",
    "2026-03-16 2026-03-23",
    "2026-03-09 2026-03-16",
    "2026-03-30T04:00",
  ],
  // in Beirut, midnight of Sunday, 29 March 2026 does not exist; in Cairo, that of a Friday
  [
    "month",
    "Asia/Beirut",
    "2026-03-31T12:00Z",
    "2026-02-01 2026-03-01",
    "2026-01-01 2026-02-01",
    "2026-04-01T03:00",
  ],
  ["month", "UTC", "2026-03-01T00:00Z", "2026-02-01 2026-03-01", "2026-01-01 2026-02-01", "2026-04-01T06:00"],
  ["month", "UTC", "2028-02-29T12:00Z", "2028-01-01 2028-02-01", "2027-12-01 2028-01-01", "2028-03-01T06:00"],
  ["month", "UTC", "2026-12-31T23:00Z", "2026-11-01 2026-12-01", "2026-10-01 2026-11-01", "2027-01-01T06:00"],
  [
    "month",
    "Europe/Berlin",
    "2026-12-31T23:00Z",
    "2026-12-01 2027-01-01",
    "2026-11-01 2026-12-01",
    "2027-02-01T05:00",
  ],
  // Brazil skipped midnight of Sunday, 4 November 2018
  [
    "week",
    "America/Sao_Paulo",
    "2018-11-02T12:00Z",
    "2018-10-22 2018-10-29",
    "2018-10-15 2018-10-22",
    "2018-11-05T08:00",
  ],
];

for (const [period, zone, now, days, compared, next] of CASES)
  it(`At ${now} the last ${period} in ${zone} is ${days}`, () => {
    const last = lastPeriod(period, zone, at(now));
    assert.deepEqual([last.days.join(" "), last.compared.join(" ")], [days, compared]);
    assert.equal(iso(nextReportAt(period, zone, at(now))), `${next}:00.000Z`);
  });

it("Every report is about the period that ended six hours before it is sent, and no period is left out", () => {
  for (const zone of [
    "UTC",
    "Europe/Berlin",
    "America/St_Johns",
    "Pacific/Apia",
    "Africa/Cairo",
    "Asia/Beirut",
  ])
    for (const period of ["week", "month"] as const) {
      let now = at("2009-01-07T00:00Z");
      let end = lastPeriod(period, zone, now).days[1];
      for (let reports = 0; reports < 900 && now < at("2031-01-01T00:00Z"); reports += 1) {
        const next = nextReportAt(period, zone, now);
        assert.ok(next > now, `${period} ${zone} ${iso(now)}`);
        const last = lastPeriod(period, zone, next);
        assert.equal(last.days[0], end, `${period} ${zone} ${iso(next)}`);
        assert.equal(last.compared[1], last.days[0]);
        end = last.days[1];
        now = next;
      }
    }
});

it("Periods have names that people read", () => {
  assert.equal(periodName("week", ["2026-11-16", "2026-11-23"]), "16 – 22 November 2026");
  assert.equal(periodName("week", ["2026-12-28", "2027-01-04"]), "28 December 2026 – 3 January 2027");
  assert.equal(periodName("month", ["2026-11-01", "2026-12-01"]), "November 2026");
});
