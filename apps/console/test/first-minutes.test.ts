/** The first five minutes of somebody who has just started the service. */
import assert from "node:assert/strict";
import { startSite } from "../../../packages/sdk/test/server.ts";
import { BROWSER } from "../../server/test/support/world.ts";
import { consoleStatsTest } from "./console-world.ts";

consoleStatsTest(
  "From the printed link to a page view on another origin, a refusal, its mending at a press, and the numbers.",
  async ({ world, context, page, shoot }) => {
    const [shop, other] = await Promise.all([startSite(), startSite()]);
    // a browser that says that nobody looks at it is a bot, which is not counted
    const visitor = await context.browser()!.newContext({ userAgent: BROWSER });
    try {
      await page.goto(world.server.firstStart!.signInUrl);
      await page.getByRole("heading", { name: "No source yet" }).waitFor();
      assert.ok(!page.url().includes("#"), "the code has left the address");
      await shoot("1-signed-in");

      await page.getByRole("link", { name: "Create a source" }).click();
      await page.getByLabel("Name").fill("Shop");
      await page.getByLabel("Origin 1").fill(`${shop.url}/checkout?step=1`);
      await page.getByRole("button", { name: `Did you mean ${shop.url}?` }).waitFor();
      await shoot("2-create");
      await page.getByRole("button", { name: `Did you mean ${shop.url}?` }).click();
      await page.getByRole("button", { name: "Create" }).click();

      await page.getByText("Waiting for the first event").waitFor();
      await page.getByText("Open a page that has the snippet.").waitFor();
      await page.getByRole("button", { name: "Copy the snippet" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      await shoot("3-install");
      const snippet = await page.evaluate(() => navigator.clipboard.readText());
      shop.showHead(snippet);
      other.showHead(snippet);

      const visit = await visitor.newPage();
      await visit.goto(shop.url);
      await page.getByText("It works: events arrive").waitFor();
      await shoot("4-green");

      await page.getByRole("link", { name: "See it in the debug view" }).click();
      await page.getByRole("heading", { name: "As it came" }).waitFor();
      await page.getByText('"page_view"').first().waitFor();
      await shoot("5-debug");

      await page.getByRole("button", { name: "Close" }).click();
      await visit.goto(other.url);
      const refused = page.getByRole("option").filter({ hasText: "origin_not_allowed" });
      await refused.first().click();
      const allow = page.getByRole("button", { name: `Allow ${other.url}` });
      await allow.waitFor();
      await shoot("6-red");
      await allow.click();
      await page.getByText("the next request that is like this one is let in").waitFor();
      await shoot("7-mended");

      await visit.goto("about:blank");
      await visit.goto(other.url);
      const taken = page.getByRole("option").filter({ hasText: other.url }).filter({ hasText: "succeeded" });
      await taken.first().click();
      await page.getByText('"page_view"').first().waitFor();
      await shoot("8-green-again");

      await page.getByRole("link", { name: "Sources", exact: true }).click();
      await page.getByText("Receiving").or(page.getByText("Failing")).waitFor();
      await shoot("9-sources");

      await page.getByRole("link", { name: "Stats" }).click();
      const figures = page.getByRole("region", { name: "Headline numbers" });
      await figures
        .getByRole("button")
        .filter({ hasText: /^Page views[1-9]/ })
        .waitFor();
      await page.getByText(/visitors? in the last 5 minutes/).waitFor();
      await page.getByRole("slider", { name: "Visitors by day" }).waitFor();
      await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
      await shoot("10-stats");

      await page.getByRole("link", { name: "Sources", exact: true }).click();
      await page.reload();
      await page.getByRole("img", { name: "events by hour" }).waitFor();
      await shoot("11-sources");
    } finally {
      await visitor.close();
      shop.close();
      other.close();
    }
  },
);
