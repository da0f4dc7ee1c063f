/** A service that goes away for a while, and one that breaks off: what is known is told in words, and it is asked again. */
import assert from "node:assert/strict";
import { consoleStatsTest, consoleTest } from "./console-world.ts";
import { lastDays, shopVisits, visits } from "./visits.ts";

const MEMBERS = "**/api/members?*";

consoleTest(
  "What a proxy says while the service is away is told as that and asked again; so is an answer that breaks off told.",
  async ({ page, open }) => {
    const html = { contentType: "text/html", body: "<h1>Bad Gateway</h1>" };
    await page.route(MEMBERS, (route) => route.fulfill({ status: 502, ...html }), { times: 1 });
    await open("/team");
    await page.getByRole("row", { name: "owner" }).waitFor();

    await page.route(MEMBERS, (route) => route.fulfill({ status: 502, ...html }));
    await open("/team");
    await page.getByText("The service cannot be reached.").waitFor();
    await page.unroute(MEMBERS);
    await page.route(MEMBERS, (route) => route.fulfill({ status: 200, body: '{"members":[' }));
    await open("/team");
    await page.getByText("The service gave an answer that cannot be read.").waitFor();
    assert.equal(await page.getByText("JSON").count(), 0);
  },
);

consoleStatsTest(
  "While nobody knows it is not said who is there now, and of the numbers that they are of before; afterwards they are new.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    await visits(world, source, shopVisits());
    await page.clock.install();
    await open(lastDays(source));
    const live = page.getByText("in the last 5 minutes");
    await live.waitFor();
    const failure = { code: "warehouse_unavailable", message: "Gone.", hint: "", retryable: true };
    await page.route("**/api/stats/live?*", (route) => route.fulfill({ status: 503, json: failure }));
    await page.clock.fastForward(11_000);
    await live.waitFor({ state: "detached" });
    await page.unroute("**/api/stats/live?*");
    await page.clock.fastForward(11_000);
    await live.waitFor();

    const numbers = page.getByRole("region", { name: "Headline numbers" });
    await page.route("**/api/stats/query", (route) => route.fulfill({ status: 503, json: failure }));
    await page.clock.fastForward(301_000);
    await page.getByRole("alert").filter({ hasText: "Gone." }).waitFor();
    assert.match((await numbers.textContent()) ?? "", /Visitors\d/);
    await page.unroute("**/api/stats/query");
    await page.clock.fastForward(6_000);
    await page.getByRole("alert").waitFor({ state: "detached" });
  },
);
