/** The overview of a range without events, and of one that is not over. */
import assert from "node:assert/strict";
import { seriousFindings } from "../accessibility.ts";
import { consoleStatsTest } from "../console-world.ts";
import { noon, shopVisits, visits } from "../visits.ts";

consoleStatsTest(
  "A range without events names its days and leads to other ranges, and zeros are neither compared nor drawn.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await visits(world, source, shopVisits());
    await open(`/analytics/stats?sourceId=${source.sourceId}&tz=UTC&range=2026-01-01..2026-01-07`);
    await page.getByText("No events from Jan 1, 2026 to Jan 7, 2026.", { exact: true }).waitFor();
    const metrics = page.getByRole("region", { name: "Key metrics" });
    await metrics.getByText("0", { exact: true }).first().waitFor();
    await metrics.locator(".metric-loading").first().waitFor({ state: "detached" });
    assert.equal(await metrics.getByText("no change").count(), 0);
    assert.equal(await metrics.locator(".sparkline").count(), 0);
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("range-without-events");
    await page.getByRole("button", { name: "All time" }).waitFor();
    await page.getByRole("button", { name: "Last 28 days" }).click();
    await page.getByRole("region", { name: "Visitors by day" }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get("range"), "28d");

    await open(`/analytics/stats?sourceId=${source.sourceId}&tz=UTC&range=today`);
    await page.getByText("New events appear here within seconds.").waitFor();
  },
);

consoleStatsTest("The compared line ends at the last finished day.", async ({ world, page, open }) => {
  const source = await world.createSource();
  await visits(world, source, [
    { visitor: "ann", at: noon(1), paths: ["/"] },
    { visitor: "bob", at: noon(8), paths: ["/"] },
  ]);
  await open(`/analytics/stats?sourceId=${source.sourceId}&tz=UTC&range=7d`);
  const line = page.getByRole("region", { name: "Visitors by day" }).locator(".chart-previous");
  await line.waitFor({ state: "attached" });
  // the sixth of seven points
  assert.match((await line.getAttribute("d")) ?? "", /L83\.33 [\d.]+$/);
});
