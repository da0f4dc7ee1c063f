/** What was typed and not saved is not lost without a question; and nothing is asked where nothing would be. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { eventsBody, eventsPath, ORGANIZATION_ID, trackEvent } from "../../server/test/support/world.ts";
import { SCHEMES, seriousFindings, settled } from "./accessibility.ts";
import { consoleTest } from "./console-world.ts";
import { memberToken } from "./seed.ts";

const questionOf = (page: Page) => page.getByRole("dialog", { name: "Leave without saving?" });
const stay = async (page: Page) => {
  await questionOf(page).getByRole("button", { name: "Stay" }).click();
  await questionOf(page).waitFor({ state: "detached" });
};
const leave = async (page: Page) => {
  await questionOf(page).getByRole("button", { name: "Leave without saving", exact: true }).click();
  await questionOf(page).waitFor({ state: "detached" });
};
const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });

consoleTest(
  "Whatever leads away from unsaved fields is asked about: who stays keeps them, who leaves loses them.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await world.createSource();
    const made = await world.ask("/api/organizations", { method: "POST", body: { name: "Second" } });
    assert.equal(made.status, 201);
    await open("/sources");
    await link(page, "Settings").click();
    const [name, limit] = [page.getByLabel("Name"), page.getByLabel("Events in a batch")];
    await name.fill("Other");
    await limit.fill("7");
    const { href } = new URL(page.url());
    const workspace = page.getByLabel("Workspace", { exact: true });
    for (const go of [
      () => link(page, "Team").click(),
      () => link(page, "Data").click(),
      () => page.evaluate(() => history.back()),
      () => workspace.selectOption("Second"),
    ]) {
      await go();
      await stay(page);
      await page.waitForURL(href);
      assert.deepEqual([await name.inputValue(), await limit.inputValue()], ["Other", "7"]);
      assert.equal(await workspace.locator("option:checked").textContent(), "My workspace");
    }
    await page.evaluate(() => history.back());
    await questionOf(page).waitFor();
    await page.keyboard.press("Escape");
    await questionOf(page).waitFor({ state: "detached" });
    await page.waitForURL(href);

    await workspace.selectOption("Second");
    await questionOf(page).waitFor();
    await settled(page);
    await shoot("leave-asked");
    await leave(page);
    await heading(page, "No source yet").waitFor();
    assert.equal((await world.ask(`/api/tracking-sources/${sourceId}`)).body.name, "Shop");
  },
);

consoleTest("Each form that has something to lose asks, once, however many there are.", async (started) => {
  const { world, page, open } = started;
  const made = await world.createSource();
  const sessionId = await world.openSession(made);
  await world.send(eventsPath(made), eventsBody(sessionId, [trackEvent()]));
  const source = `sourceId=${made.sourceId}`;
  const forms = [
    { path: "/sources/new", label: "Name" },
    { path: "/workspaces/new", label: "Name" },
    { path: "/team", label: "E-mail" },
    { path: "/tokens", label: "Label" },
    { path: `/sources/data?${source}`, label: "Paths that are left out" },
    { path: `/sources/data?${source}`, label: "Days" },
    { path: `/sources/data?${source}`, label: "Id" },
    { path: `/analytics/stats?${source}`, label: "For whom", button: "Share" },
  ];
  for (const { path, label, button } of forms) {
    await open(path);
    if (button) await page.getByRole("button", { name: button, exact: true }).click();
    await page.getByLabel(new RegExp(`^${label}( \\*)?$`)).fill("30");
    await link(page, "Usage").click();
    await leave(page);
    await heading(page, "Usage").waitFor();
  }
});

consoleTest(
  "Nothing is asked when a change was taken back or saved, within a page, on deleting it and when signed out.",
  async ({ world, page, open }) => {
    await open("/sources/new");
    await page.getByLabel("Name").fill("Made");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByText("Waiting for the first event").waitFor();
    await link(page, "Settings").click();
    const name = page.getByLabel("Name");
    await name.fill("Other");
    await name.fill("Made");
    await link(page, "Data").click();
    await page.getByLabel("Paths that are left out").fill("/admin/*");
    await page.getByLabel("Id").fill("visitor-1");
    await page.getByRole("button", { name: "Erase …" }).click();
    await page.getByRole("button", { name: "Erase", exact: true }).click();
    await page.waitForURL(/receipt=/);
    assert.equal(await page.getByLabel("Paths that are left out").inputValue(), "/admin/*");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    await link(page, "Settings").click();

    await name.fill("Gone with it");
    await page.getByRole("button", { name: "Delete …" }).click();
    await page.getByRole("button", { name: "Delete it" }).click();
    await heading(page, "No source yet").waitFor();

    await world.createSource();
    await open("/workspaces/new");
    await page.getByLabel("Name").fill("Third");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await heading(page, "No source yet").waitFor();
    await open("/sources/new");
    await page.getByLabel("Name").fill("Never made");
    await page.getByRole("button", { name: "Sign out" }).click();
    await heading(page, "Sign in").waitFor();

    await open("/sources/new", await memberToken(world, "admin"));
    await page.getByLabel("Name").fill("Too late");
    const { body } = await world.ask(`/api/tokens?organizationId=${ORGANIZATION_ID}`);
    const { tokenId } = body.tokens.find(({ label }: { label: string }) => label === "admin");
    await world.ask(`/api/tokens/${tokenId}?organizationId=${ORGANIZATION_ID}`, { method: "DELETE" });
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByText("You have been signed out").waitFor();
  },
);

consoleTest("The browser asks whoever closes the tab, until what was typed is saved.", async (started) => {
  const { world, page, open } = started;
  const { sourceId } = await world.createSource();
  await open(`/sources/settings?sourceId=${sourceId}`);
  const name = page.getByLabel("Name");
  // browsers ask those alone who have done something on the page
  await name.click();
  await name.fill("Other");
  const closing = page.waitForEvent("dialog");
  await page.close({ runBeforeUnload: true });
  const asked = await closing;
  assert.equal(asked.type(), "beforeunload");
  await asked.dismiss();
  assert.equal(await name.inputValue(), "Other");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  // were it asked again, the tab would stay
  page.on("dialog", (dialog) => void dialog.dismiss());
  const closed = page.waitForEvent("close");
  await page.close({ runBeforeUnload: true });
  await closed;
});

consoleTest("axe finds nothing serious about the question, and it fits a phone.", async (started) => {
  const { world, page, open, shoot } = started;
  const { sourceId } = await world.createSource();
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.setViewportSize({ width: 360, height: 800 });
  await open(`/sources/settings?sourceId=${sourceId}`);
  await page.getByLabel("Name").fill("Other");
  await link(page, "Data").click();
  await questionOf(page).waitFor();
  const found: string[] = [];
  for (const { colorScheme, rules } of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    found.push(...(await seriousFindings(page, rules)));
    await shoot(`leave-asked-phone-${colorScheme}`);
  }
  assert.deepEqual(found, []);
  for (const button of await questionOf(page).getByRole("button").all()) {
    const { x, width } = (await button.boundingBox())!;
    assert.ok(x >= 0 && x + width <= 360);
  }
});
