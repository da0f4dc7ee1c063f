/** A service that is unreachable for a while, or whose responses break off. */
import assert from "node:assert/strict";
import { until } from "../../server/test/support/until.ts";
import { consoleStatsTest, consoleTest } from "./console-world.ts";
import { seed } from "./seed.ts";
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
    await page.getByText("is not available. A proxy responded with 502.").waitFor();
    await page.unroute(MEMBERS);
    await page.route(MEMBERS, (route) => route.fulfill({ status: 200, body: '{"members":[' }));
    await open("/team");
    await page.getByText("responded with 200, but not as Headwater does.").waitFor();
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
  // the clock of the test is that of the whole browser context
  { isApart: true },
);

consoleTest(
  "Without a network pages, menus and forms say so and keep their input, and work again when it is back.",
  async ({ world, context, page, open, violations }) => {
    const { sourceId } = await world.createSource({ name: "Shop" });
    await open(`/sources/settings?sourceId=${sourceId}`);
    const form = page.getByRole("form", { name: "General" });
    const name = form.getByRole("textbox", { name: "Name" });
    const save = page.getByRole("button", { name: "Save", exact: true });
    await name.fill("Boutique");
    await context.setOffline(true);
    await save.click();
    await page
      .getByRole("form", { name: "Changes" })
      .getByText(/does not answer\.|You are offline\./)
      .waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Search" }).getByText("You are offline.").waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await name.inputValue(), "Boutique");
    await context.setOffline(false);
    await save.click();
    await page.getByText("Saved", { exact: true }).waitFor();

    await context.setOffline(true);
    await page.getByRole("link", { name: "Usage" }).click();
    await page.getByText("You are offline.").waitFor();
    await context.setOffline(false);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("No usage in this range").waitFor();
    assert.ok(violations.splice(0).every((text) => /ERR_INTERNET|module|preload CSS|could not/.test(text)));
  },
  // no other test has loaded the file of the search in this browser context
  { isApart: true },
);

consoleTest(
  "A list of sources that cannot be loaded says so, is requested no further, and loads when it is tried again.",
  async ({ world, page, open }) => {
    await world.createSource({ name: "Shop" });
    const failure = { code: "internal_error", message: "Out of order.", hint: "", retryable: false };
    let requests = 0;
    await page.route("**/api/tracking-sources?*", (route) => {
      requests += 1;
      return route.fulfill({ status: 500, json: failure });
    });
    await open("/sources");
    await page.getByText("Out of order.").waitFor();
    assert.equal(requests, 1);
    await page.unroute("**/api/tracking-sources?*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("link", { name: "Shop" }).waitFor();
  },
);

consoleTest(
  "Attempts that could not be loaded are loaded when it is tried again, on the debug and the install page.",
  async ({ world, page, open }) => {
    const { sourceId } = await seed(world);
    const failure = { code: "internal_error", message: "Out of order.", hint: "", retryable: false };
    const attempts = "**/debug?limit=200*";
    for (const [address, shown] of [
      [`/analytics/setup/debug?sourceId=${sourceId}`, page.getByRole("listbox", { name: /^Requests/ })],
      [`/analytics/setup/install?sourceId=${sourceId}`, page.getByText("Receiving events")],
    ] as const) {
      await page.route(attempts, (route) => route.fulfill({ status: 500, json: failure }));
      await open(address);
      await page.getByText("Out of order.").waitFor();
      await page.unroute(attempts);
      await page.getByRole("button", { name: "Try again" }).click();
      await shown.waitFor();
      await page.getByText("Out of order.").waitFor({ state: "detached" });
    }
  },
);

consoleTest(
  "A source that was deleted elsewhere is not found any more on the pages that are still open.",
  async ({ world, page, open, violations }) => {
    for (const [path, shown] of [
      ["/sources/settings", "General"],
      ["/analytics/setup/debug", "No requests yet"],
      ["/analytics/setup/install", "Waiting for the first event"],
    ] as const) {
      const { sourceId } = await world.createSource({ name: "Doomed" });
      await open(`${path}?sourceId=${sourceId}`);
      await page.getByText(shown).first().waitFor();
      const isForm = path === "/sources/settings";
      if (isForm)
        await page
          .getByRole("form", { name: "General" })
          .getByRole("textbox", { name: "Name" })
          .fill("Boutique");
      await world.ask(`/api/tracking-sources/${sourceId}`, { method: "DELETE" });
      if (isForm) await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByRole("heading", { name: "Source not found" }).waitFor();
    }
    // the service ends the stream of a deleted source
    assert.ok(violations.splice(0).every((text) => text.includes("ERR_INCOMPLETE_CHUNKED_ENCODING")));
  },
);

consoleTest(
  "When the service does not answer, a page says so once, and trying again repeats all of its requests.",
  async ({ world, page, open }) => {
    await world.person("viewer");
    await open("/team");
    await page.getByRole("row", { name: "owner" }).waitFor();
    const isOfPage = (url: URL) => /^\/api\/(?:members|invitations)/.test(url.pathname);
    const failed: string[] = [];
    await page.route(isOfPage, (route) => {
      failed.push(new URL(route.request().url()).pathname);
      return route.fulfill({ status: 502, contentType: "text/html", body: "Bad Gateway" });
    });
    await page.reload();
    const alerts = page.getByRole("alert").filter({ hasText: "is not available" });
    await alerts.first().waitFor();
    // each list asks twice before it says so
    await until("all lists have failed", () =>
      ["/api/members", "/api/invitations"].every((path) => failed.filter((one) => one === path).length >= 2),
    );
    await page.getByRole("status", { name: "Loading" }).waitFor({ state: "detached" });
    assert.equal(await alerts.count(), 1);
    await page.unrouteAll({ behavior: "wait" });
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("row", { name: "owner" }).waitFor();
    await alerts.first().waitFor({ state: "detached" });
  },
);
