/** Segments, annotations and funnels that are saved on the stats page. */
import assert from "node:assert/strict";
import { SCHEMES, seriousFindings } from "../accessibility.ts";
import { consoleStatsTest } from "../console-world.ts";
import { memberToken } from "../seed.ts";
import { dayOf, lastDays, noon, shopVisits, visits } from "../visits.ts";

consoleStatsTest(
  "Filters are saved as a segment that members choose from the filter menu, and that is deleted there.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await visits(world, source, shopVisits());
    await open(`${lastDays(source)}&page=%2Fpricing&lacks.source=goo`);
    await page.getByRole("button", { name: "Save as segment" }).click();
    const dialog = page.getByRole("dialog", { name: "Save these filters as a segment" });
    await dialog.getByLabel("Name").fill("Interested");
    await shoot("segment-save");
    assert.deepEqual(await seriousFindings(page), []);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Save as segment" }).waitFor({ state: "detached" });

    await open(lastDays(source), await memberToken(world, "viewer"));
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByRole("button", { name: "Interested", exact: true }).waitFor();
    await shoot("segment-menu");
    assert.equal(await page.getByRole("button", { name: "Delete Interested" }).count(), 0);
    await page.getByRole("button", { name: "Interested", exact: true }).click();
    await page.getByRole("button", { name: "Remove filter Page is /pricing" }).waitFor();
    await page.getByRole("button", { name: "Remove filter Source does not contain goo" }).waitFor();
    const { searchParams } = new URL(page.url());
    assert.deepEqual([searchParams.get("page"), searchParams.get("lacks.source")], ["/pricing", "goo"]);

    await open(lastDays(source));
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByRole("button", { name: "Delete Interested" }).click();
    const confirmation = page.getByRole("dialog", { name: "Delete “Interested”?" });
    await confirmation.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Interested", exact: true }).waitFor({ state: "detached" });
  },
);

consoleStatsTest(
  "An annotation is added from the menu, shown on the chart and in its tooltip, and deleted below it.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await visits(world, source, shopVisits());
    await open(lastDays(source));
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Add annotation" }).click();
    const dialog = page.getByRole("dialog", { name: "Add annotation" });
    await dialog.getByLabel("What happened").fill("Newsletter sent");
    await dialog.getByLabel("Day").fill(dayOf(noon(2)));
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });
    const notes = page.getByRole("list", { name: "Annotations" });
    await notes.getByText("Newsletter sent").waitFor();
    const chart = page.getByRole("slider", { name: "Visitors by day" });
    await chart.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    assert.match((await chart.getAttribute("aria-valuetext")) ?? "", /Newsletter sent$/);
    for (const { colorScheme, rules } of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      assert.deepEqual(await seriousFindings(page, rules), []);
      await shoot(`annotation-${colorScheme}`);
    }
    await page.getByRole("button", { name: "Delete annotation Newsletter sent" }).click();
    await notes.waitFor({ state: "detached" });
  },
);

consoleStatsTest(
  "A funnel is saved, opened by its name, and broken down by a dimension.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await visits(world, source, shopVisits());
    await open(`${lastDays(source)}&view=funnel&step1=page:/&step2=page:/pricing`);
    await page.getByRole("button", { name: "Save funnel" }).click();
    const dialog = page.getByRole("dialog", { name: "Save this funnel" });
    await dialog.getByLabel("Name").fill("To the prices");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });
    await open(`${lastDays(source)}&view=funnel`);
    await page.getByRole("button", { name: "Saved funnels" }).click();
    await page.getByRole("button", { name: "To the prices", exact: true }).click();
    await page.getByText("50% of visitors who started completed all steps").waitFor();
    await page.getByLabel("Break down by").selectOption({ label: "Source" });
    const row = (name: string) =>
      page.getByRole("region", { name: "Funnel by Source" }).getByRole("row").filter({ hasText: name });
    await row("letter").filter({ hasText: "100%" }).waitFor();
    await row("Direct / unknown").filter({ hasText: "0%" }).waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("funnel-breakdown");
  },
);
