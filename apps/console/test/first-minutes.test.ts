/** The first five minutes of a new user. */
import assert from "node:assert/strict";
import { newVisitor } from "../../../packages/sdk/test/chromium.ts";
import { startSite } from "../../../packages/sdk/test/server.ts";
import { BROWSER } from "../../server/test/support/world.ts";
import { consoleStatsTest } from "./console-world.ts";

consoleStatsTest(
  "From the sign-in link to the first page view, a refusal with its one-click fix, and the stats.",
  async ({ world, page, shoot }) => {
    const [shop, other] = await Promise.all([startSite(), startSite()]);
    // a headless user agent would be counted as a bot
    const visitor = await newVisitor({ userAgent: BROWSER });
    try {
      await page.goto(world.server.firstStart!.signInUrl);
      await page.getByText("Owner of My workspace").waitFor();
      await page.getByRole("button", { name: "Continue as this account" }).click();
      await page.getByRole("heading", { name: "See who visits your site" }).waitFor();
      assert.ok(!page.url().includes("#"), "the code is removed from the URL");
      await shoot("1-signed-in");

      await page.getByRole("link", { name: "Create source" }).click();
      await page.getByLabel("Name").fill("Shop");
      await page.getByLabel("Website address").fill(`${shop.url}/checkout?step=1`);
      await page.getByText(`Saved as ${shop.url}`).waitFor();
      await shoot("2-create");
      await page.getByRole("button", { name: "Create source" }).click();

      await page.getByText("Waiting for the first event").waitFor();
      await page.getByText("Add the snippet below, then open your site.").waitFor();
      await page.getByRole("button", { name: "Copy snippet" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      await shoot("3-install");
      const snippet = await page.evaluate(() => navigator.clipboard.readText());
      shop.showHead(snippet);
      other.showHead(snippet);

      const visit = await visitor.newPage();
      await visit.goto(shop.url);
      await page.getByText("Receiving events").waitFor();
      await shoot("4-green");

      await page.getByRole("link", { name: "Open in Debug" }).click();
      await page.getByRole("heading", { name: "Received" }).waitFor();
      await page.getByText('"page_view"').first().waitFor();
      await shoot("5-debug");

      await page.getByRole("button", { name: "Close" }).click();
      await visit.goto(other.url);
      const refused = page.getByRole("option").filter({ hasText: "Origin not allowed" });
      await refused.first().click();
      const details = page.getByRole("region", { name: "Request", exact: true });
      const allow = details.getByRole("button", { name: `Allow ${other.url}` });
      await allow.waitFor();
      await shoot("6-red");
      await allow.click();
      await page.getByText("The next request like this will be accepted.").waitFor();
      await shoot("7-mended");

      await visit.goto("about:blank");
      await visit.goto(other.url);
      const taken = page.getByRole("option").filter({ hasText: other.url }).filter({ hasText: "200 OK" });
      await taken.first().click();
      await page.getByText('"page_view"').first().waitFor();
      await shoot("8-green-again");

      await page.getByRole("link", { name: "Sources", exact: true }).click();
      await page.getByText("Receiving").or(page.getByText("Failing")).waitFor();
      await shoot("9-sources");

      await page.getByRole("link", { name: "Shop" }).click();
      const figures = page.getByRole("region", { name: "Key metrics" });
      await figures
        .getByRole("button")
        .filter({ hasText: /^Page views[1-9]/ })
        .waitFor();
      await page.getByText(/current visitors?/).waitFor();
      await page.getByRole("slider", { name: "Visitors by day" }).waitFor();
      await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
      await shoot("10-stats");

      await page.getByRole("link", { name: "Sources", exact: true }).click();
      await page.reload();
      await page.getByRole("img", { name: "Visitors by day" }).waitFor();
      await shoot("11-sources");

      const token = await page.evaluate(() => sessionStorage.getItem("headwater.refreshed")?.split(" ")[2]);
      assert.match(token ?? "", /^hwt_/);
      const signedOut = page.waitForResponse("**/api/sign-in/remember/forget");
      await page.getByRole("button", { name: "Sign out" }).click();
      assert.equal((await signedOut).status(), 200);
      const headers = { Authorization: `Bearer ${token}` };
      const after = await fetch(`${world.url}/api/organizations`, { headers });
      assert.equal(after.status, 401, "signing out ends the token of the tab");
    } finally {
      await visitor.close();
      shop.close();
      other.close();
    }
  },
  { isApart: true },
);
