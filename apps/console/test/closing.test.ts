/** The browser's Back, and Escape, close what is open over a page or in it, and stay on the page. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { eventsBody, eventsPath, trackEvent } from "../../server/test/support/world.ts";
import { consoleTest } from "./console-world.ts";
import { seed } from "./seed.ts";

const attempt = (page: Page) => page.getByRole("region", { name: "Request", exact: true });
const searchOf = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

consoleTest(
  "Back and Escape close the opened request, and Back removes a filter; none of them leaves the debug page.",
  async ({ world, page, open }) => {
    const { sourceId } = await seed(world);
    const address = `/analytics/setup/debug?sourceId=${sourceId}`;
    await open(address);
    const options = page.getByRole("listbox", { name: "Requests" }).getByRole("option");
    await options.first().click();
    await attempt(page).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.locator('[aria-posinset="2"][aria-selected=true]').waitFor();
    await page.goBack();
    await attempt(page).waitFor({ state: "detached" });
    assert.equal(searchOf(page, "attempt"), null);

    await page.getByRole("button", { name: "Origin not allowed", exact: true }).click();
    await page.getByText("1 request", { exact: true }).waitFor();
    await options.first().click();
    await attempt(page).waitFor();
    await page.keyboard.press("Escape");
    await attempt(page).waitFor({ state: "detached" });
    await page.waitForURL((url) => !url.searchParams.has("attempt"));
    assert.equal(searchOf(page, "code"), "origin_not_allowed");
    await page.goBack();
    await page.getByText("5 requests", { exact: true }).waitFor();
    assert.equal(new URL(page.url()).pathname, "/analytics/setup/debug");

    await page.getByLabel("Outcome").selectOption("failed");
    await page.getByText("3 requests", { exact: true }).waitFor();
    await page.goBack();
    await page.getByText("5 requests", { exact: true }).waitFor();

    // a link that somebody sent: there is no list before it
    await options.first().click();
    await page.waitForURL((url) => url.searchParams.has("attempt"));
    const linked = new URL(page.url());
    await open(linked.pathname + linked.search);
    await attempt(page).waitFor();
    await page.keyboard.press("Escape");
    await attempt(page).waitFor({ state: "detached" });
    assert.equal(new URL(page.url()).pathname, "/analytics/setup/debug");
  },
);

consoleTest(
  "Back and Escape close each dialog and the navigation of a phone, and the page below stays.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    const sessionId = await world.openSession(source);
    await world.send(eventsPath(source), eventsBody(sessionId, [trackEvent()]));
    await world.server.maintain();
    const { sourceId } = source;
    const dialog = page.locator("dialog[open]");
    const press = (name: string) => () => page.getByRole("button", { name, exact: true }).click();
    const isOpen = { dialog, navigation: page.getByRole("button", { name: "Navigation", expanded: true }) };
    const cases: readonly {
      at: string;
      show: () => Promise<void>;
      what?: keyof typeof isOpen;
    }[] = [
      { at: "/sources", show: () => page.keyboard.press("Control+k") },
      { at: "/sources", show: () => page.keyboard.press("?") },
      { at: `/sources/settings?sourceId=${sourceId}#public-key`, show: press("Rotate") },
      { at: `/sources/settings?sourceId=${sourceId}#delete-source`, show: press("Delete") },
      { at: `/sources/events?sourceId=${sourceId}`, show: press("Draft plan from events") },
      { at: `/sources/events?sourceId=${sourceId}`, show: press("signup") },
      { at: "/sources", show: press("Navigation"), what: "navigation" },
    ];
    await open("/team");
    await page.getByRole("heading", { name: "Team", level: 1 }).waitFor();
    for (const { at, show, what = "dialog" } of cases) {
      await page.setViewportSize({ width: what === "navigation" ? 390 : 1280, height: 720 });
      // as a link of the console does: Back leads to the page before
      await page.evaluate((address) => {
        const index = Number(history.state.__TSR_index) + 1;
        history.pushState({ __TSR_index: index }, "", address);
      }, at);
      await page.waitForURL(`**${at}`);
      for (const close of [() => page.goBack(), () => page.keyboard.press("Escape")]) {
        await show();
        await isOpen[what].waitFor();
        await close();
        await isOpen[what].waitFor({ state: "detached" });
        await page.waitForURL(`**${at}`);
        await page.getByRole("heading", { level: 1 }).waitFor();
      }
    }
  },
);

test("The console has one dialog element, which Back and Escape close.", () => {
  const folder = join(import.meta.dirname, "../src");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".tsx"),
  );
  const withDialog = files.filter((name) =>
    /<dialog\b|role="dialog"/.test(readFileSync(join(folder, name), "utf8")),
  );
  assert.deepEqual(withDialog, [join("ui", "dialog.tsx")]);
});
