/** Actions run once per press, and their button keeps the focus. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { ORGANIZATION_ID } from "../../server/test/support/world.ts";
import { consoleTest, openSection } from "./console-world.ts";

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);
const openAddMember = async (page: Page) => {
  await page.getByRole("button", { name: "Add member" }).click();
  await page.getByRole("button", { name: "Service account" }).click();
};
/** Clicks twice before React renders again. */
const pressTwice = (button: Locator) =>
  button.evaluate((element: HTMLElement) => {
    element.click();
    element.click();
  });

/** Holds back requests of that method and URL. @returns their number, and a function that releases them */
async function holdUp(page: Page, method: string, address: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = { count: 0, letGo: resolve };
  await page.route(address, async (route) => {
    if (route.request().method() === method) {
      held.count += 1;
      await promise;
    }
    await route.fallback();
  });
  return held;
}

consoleTest(
  "A double-clicked confirmation is sent once, and its button keeps the focus while the request runs.",
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource();
    await open(`/sources/settings?sourceId=${sourceId}#public-key`);
    const rotated = await holdUp(page, "POST", "**/regenerate-key");
    await page.getByRole("button", { name: "Rotate", exact: true }).click();
    await pressTwice(page.getByRole("button", { name: "Rotate key" }));
    rotated.letGo();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(rotated.count, 1);

    const deleted = await holdUp(page, "DELETE", "**/api/tracking-sources/*");
    await openSection(page, "Delete source");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByLabel("Type “Shop” to confirm").fill("Shop");
    const button = page.getByRole("button", { name: "Delete source" });
    await button.press("Enter");
    await page.locator("button[aria-busy=true]").waitFor();
    assert.equal(await focused(page), "Delete source");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Space");
    deleted.letGo();
    await page.getByRole("heading", { name: "See who visits your site" }).waitFor();
    assert.equal(deleted.count, 1);
  },
);

consoleTest(
  "A form's button keeps the focus during the request, and sends nothing while the form is empty; a closed dialog returns the focus.",
  async ({ page, open }) => {
    await open("/team");
    const added = await holdUp(page, "POST", "**/api/members");
    const dialog = page.getByRole("dialog", { name: "Add member" });
    const name = dialog.getByLabel("Name");
    const button = dialog.getByRole("button", { name: "Create service account", exact: true });
    await openAddMember(page);
    await button.press("Enter");
    await name.press("Enter");
    await name.fill("Dashboard");
    await button.press("Enter");
    await page.locator("button[aria-busy=true]").waitFor();
    assert.equal(await focused(page), "Create service account");
    await page.keyboard.press("Enter");
    added.letGo();
    await dialog.waitFor({ state: "detached" });
    assert.equal(await focused(page), "Add member");
    await page.getByRole("row", { name: "Dashboard" }).waitFor();
    assert.equal(added.count, 1);
    await openAddMember(page);
    assert.equal(await name.inputValue(), "");
  },
);

const FAILURE = { code: "internal_error", message: "It broke.", hint: "", retryable: false };

consoleTest("A dialog that failed and was closed opens again without the error.", async (started) => {
  const { world, page, open } = started;
  const { sourceId } = await world.createSource();
  await open(`/sources/settings?sourceId=${sourceId}#public-key`);
  await page.route("**/regenerate-key", (route) => route.fulfill({ status: 500, json: FAILURE }));
  const dialog = page.getByRole("dialog");
  const failure = dialog.getByText("It broke.");
  await page.getByRole("button", { name: "Rotate", exact: true }).click();
  await dialog.getByRole("button", { name: "Rotate key" }).click();
  await failure.waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Rotate", exact: true }).click();
  await dialog.getByRole("button", { name: "Rotate key" }).waitFor();
  assert.equal(await failure.count(), 0);
});

consoleTest("A list keeps its rows when the next page fails to load.", async ({ world, page, open }) => {
  const body = { organizationId: ORGANIZATION_ID, label: "Script", expiresAt: null };
  for (let made = 0; made < 101; made++) await world.ask("/api/tokens", { method: "POST", body });
  for (const { address, one } of [
    { address: "/tokens", one: page.getByRole("row", { name: "Script" }) },
    { address: "/audit", one: page.getByRole("article", { name: "token.created" }) },
  ]) {
    await open(address);
    await one.first().waitFor();
    await page.route("**/api/*cursor=*", (route) => route.fulfill({ status: 500, json: FAILURE }));
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByText("It broke.").waitFor();
    const before = await one.count();
    assert.ok(before > 0, address);
    await page.unroute("**/api/*cursor=*");
    await page.getByRole("button", { name: "Show more" }).click();
    await one.nth(before).waitFor();
    assert.equal(await page.getByText("It broke.").count(), 0);
  }
});

consoleTest("A late response does not navigate a user who has left the page.", async (started) => {
  const { page, open } = started;
  for (const { address, posts, button } of [
    { address: "/sources/new", posts: "**/api/tracking-sources", button: "Create source" },
    { address: "/workspaces/new", posts: "**/api/organizations", button: "Create workspace" },
  ]) {
    await open(address);
    const made = await holdUp(page, "POST", posts);
    await page.getByLabel("Name").fill("Slow");
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.locator("button[aria-busy=true]").waitFor();
    await page.getByRole("link", { name: "Team", exact: true }).click();
    await page.getByRole("button", { name: "Discard changes", exact: true }).click();
    await openAddMember(page);
    await page.getByLabel("Name").fill("Ann");
    const answered = page.waitForResponse((response) => response.request().method() === "POST");
    made.letGo();
    await (await answered).finished();
    // a navigation would change the URL before anything else
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))));
    assert.equal(new URL(page.url()).pathname, "/team");
    assert.equal(await page.getByLabel("Name").inputValue(), "Ann");
    await page.getByLabel("Name").fill("");
    await page.unroute(posts);
  }
});
