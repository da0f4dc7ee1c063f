/** What filters of events leave of the figures of visits and of the goals. */
import assert from "node:assert/strict";
import { consoleStatsTest } from "../console-world.ts";
import { lastDays, shopVisits, visits } from "../visits.ts";

consoleStatsTest(
  "With a track event selected, page views and bounce rate have no value, and a filter of events says so in the goals.",
  async ({ world, page, open }) => {
    const source = await world.createSource({ goals: [{ name: "Saw home", path: "/" }] });
    await visits(world, source, shopVisits());
    await open(`${lastDays(source)}&event=signup&compare=no`);
    const figure = (name: string) =>
      page.getByRole("region", { name: "Key metrics" }).getByRole("button").filter({ hasText: name });
    await figure("Bounce rate").filter({ hasText: "—" }).waitFor();
    assert.deepEqual(
      await Promise.all(["Page views", "Bounce rate", "Events"].map((name) => figure(name).textContent())),
      ["Page views—", "Bounce rate—", "Events1"],
    );

    await open(`${lastDays(source)}&page=/pricing`);
    const goals = page.getByRole("region", { name: "Goals" });
    await goals.getByText("Only events that match “Page is /pricing” count toward goals.").waitFor();
    const cells = goals.getByRole("row").filter({ hasText: "Saw home" }).getByRole("cell");
    await cells.first().waitFor();
    assert.equal((await cells.allTextContents())[1], "0");
    await goals.getByRole("button", { name: "Count whole sessions" }).click();
    await page.getByRole("button", { name: "Remove filter Session with the page /pricing" }).waitFor();
    await goals.getByRole("cell", { name: "1", exact: true }).first().waitFor();
    assert.equal(await goals.getByText("count toward goals").count(), 0);
  },
);
