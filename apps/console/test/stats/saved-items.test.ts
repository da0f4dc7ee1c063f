/** Segments, annotations and funnels that are saved on the stats page. */
import assert from "node:assert/strict";
import { ORGANIZATION_ID } from "../../../server/test/support/world.ts";
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
    const saved = page.getByRole("status").filter({ hasText: "Saved as segment “Interested”" });
    await saved.and(page.locator(":focus")).waitFor();
    await shoot("segment-saved");

    await open(lastDays(source), await memberToken(world, "viewer"));
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByRole("button", { name: "Interested", exact: true }).waitFor();
    await shoot("segment-menu");
    assert.equal(await page.getByRole("button", { name: "Delete Interested" }).count(), 0);
    await page.getByRole("button", { name: "Interested", exact: true }).click();
    await page.getByRole("button", { name: "Remove filter Page is /pricing" }).waitFor();
    await page.getByRole("button", { name: "Remove filter Traffic source does not contain goo" }).waitFor();
    const { searchParams } = new URL(page.url());
    assert.deepEqual([searchParams.get("page"), searchParams.get("lacks.source")], ["/pricing", "goo"]);

    await open(lastDays(source));
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByRole("button", { name: "Delete Interested" }).click();
    const confirmation = page.getByRole("dialog", { name: "Delete “Interested”?" });
    await confirmation.getByRole("button", { name: "Delete segment" }).click();
    await page.getByRole("button", { name: "Interested", exact: true }).waitFor({ state: "detached" });
  },
);

consoleStatsTest(
  "A segment with filters that the filter menu cannot build is applied, and each of them is a chip that removes it.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await visits(world, source, shopVisits());
    const isPage = (value: string) => ({ dimension: "page", operator: "is", value });
    const filters = [
      { dimension: "page", operator: "in", value: ["/pricing", "/about"] },
      { or: [isPage("/pricing"), isPage("/")] },
      { dimension: "source", operator: "is", value: "letter" },
      { dimension: "property:seats", operator: "gt", value: 5 },
    ];
    const saved = await world.ask(`/api/tracking-sources/${source.sourceId}/saved`, {
      method: "POST",
      body: {
        organizationId: ORGANIZATION_ID,
        kind: "segment",
        name: "Made by the API",
        shared: true,
        filters,
      },
    });
    assert.equal(saved.status, 201, JSON.stringify(saved.body));
    await open(lastDays(source));
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByRole("button", { name: "Made by the API", exact: true }).click();
    const chip = (text: string) => page.getByRole("button", { name: `Remove filter ${text}`, exact: true });
    await chip("Page is /pricing or /about").waitFor();
    await chip("(Page is /pricing or Page is /)").waitFor();
    await chip("Traffic source is letter").waitFor();
    await page.getByText("No events match the filters in this range.").waitFor();
    await shoot("segment-other-filters");
    await chip("seats is more than 5").click();
    const visitors = page.getByRole("button", { name: /^Visitors/ });
    await visitors.filter({ hasText: "1" }).waitFor();
    await page.getByRole("button", { name: "Clear all" }).click();
    await visitors.filter({ hasText: "2" }).waitFor();
    assert.equal(await page.getByRole("group", { name: "Filters" }).count(), 0);
  },
);

consoleStatsTest(
  "An annotation is added from the menu, shown on the chart and in its tooltip, and deleted below it.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await visits(world, source, shopVisits());
    await open(lastDays(source));
    await page.getByRole("button", { name: "More actions" }).click();
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
    await page.getByRole("button", { name: "Saved funnels: To the prices" }).waitFor();
    await page.getByRole("heading", { name: "2 steps within 1 day" }).waitFor();
    await page.getByText("50%completed all steps").waitFor();
    await page.getByLabel("Break down by").selectOption({ label: "Traffic source" });
    const row = (name: string) =>
      page
        .getByRole("region", { name: "Funnel by Traffic source" })
        .getByRole("row")
        .filter({ hasText: name });
    await row("letter")
      .filter({ hasText: /1 100\.0%100\.0%1m\s0s/ })
      .waitFor();
    await row("Direct / unknown").filter({ hasText: "0.0%" }).waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("funnel-breakdown");
  },
);
