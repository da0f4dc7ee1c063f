/** A service that is unreachable for a while, or whose responses break off. */
import assert from "node:assert/strict";
import { consoleStatsTest, consoleTest } from "./console-world.ts";
import { lastDays, shopVisits, visits } from "./visits.ts";

const MEMBERS = "**/api/members?*";
const TEAM_FILE = "**/console/team-page-*.js";

consoleTest(
  "A proxy's 502 is shown as an unreachable service and retried, and an incomplete response shows an error.",
  async ({ page, open }) => {
    const html = { contentType: "text/html", body: "<h1>Bad Gateway</h1>" };
    await page.route(MEMBERS, (route) => route.fulfill({ status: 502, ...html }), { times: 1 });
    await open("/team");
    await page.getByRole("row", { name: "owner" }).waitFor();

    await page.route(MEMBERS, (route) => route.fulfill({ status: 502, ...html }));
    await open("/team");
    await page.getByText("is not available: a proxy answered 502.").waitFor();
    await page.unroute(MEMBERS);
    await page.route(MEMBERS, (route) => route.fulfill({ status: 200, body: '{"members":[' }));
    await open("/team");
    await page.getByText("answered 200, but not as Headwater does.").waitFor();
    assert.equal(await page.getByText("JSON").count(), 0);
  },
);

consoleTest(
  "A page whose file is gone after an update says so, and loads when it is tried again.",
  async ({ page, open, violations }) => {
    await page.route(TEAM_FILE, (route) => route.fulfill({ status: 404 }));
    await open("/team");
    await page.getByText("This page could not be loaded.").waitFor();
    await page.unroute(TEAM_FILE);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("row", { name: "owner" }).waitFor();
    assert.ok(violations.splice(0).every((text) => text.includes("/console/team-page-")));
  },
);

consoleStatsTest(
  "While the warehouse is unavailable the live count is hidden and the last stats stay with an error; then both recover.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    await visits(world, source, shopVisits());
    await page.clock.install();
    await open(lastDays(source));
    const live = page.getByText(/current visitors?/);
    await live.waitFor();
    const failure = { code: "warehouse_unavailable", message: "Gone.", hint: "", retryable: true };
    await page.route("**/api/stats/live?*", (route) => route.fulfill({ status: 503, json: failure }));
    await page.clock.fastForward(11_000);
    await live.waitFor({ state: "detached" });
    await page.unroute("**/api/stats/live?*");
    await page.clock.fastForward(11_000);
    await live.waitFor();

    const numbers = page.getByRole("region", { name: "Key metrics" });
    await numbers
      .getByRole("button")
      .filter({ hasText: /^Visitors\d/ })
      .waitFor();
    await page.route("**/api/stats/query", (route) => route.fulfill({ status: 503, json: failure }));
    await page.clock.fastForward(301_000);
    // lists that had not loaded yet show the error too
    await page.getByRole("alert").filter({ hasText: "Gone." }).first().waitFor();
    assert.match((await numbers.textContent()) ?? "", /Visitors\d/);
    await page.unroute("**/api/stats/query");
    await page.clock.fastForward(6_000);
    await page.getByRole("alert").first().waitFor({ state: "detached" });
  },
);
