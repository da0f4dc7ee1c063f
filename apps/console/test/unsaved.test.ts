/** Leaving a page with unsaved input asks for confirmation; without unsaved input it does not. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { eventsBody, eventsPath, ORGANIZATION_ID, trackEvent } from "../../server/test/support/world.ts";
import { animationsEnded, SCHEMES, seriousFindings } from "./accessibility.ts";
import { consoleTest, openSection, openWorkspace, workspaceOpened } from "./console-world.ts";
import { memberToken } from "./seed.ts";

const questionOf = (page: Page) => page.getByRole("dialog", { name: "Discard unsaved changes?" });
const stay = async (page: Page) => {
  await questionOf(page).getByRole("button", { name: "Keep editing" }).click();
  await questionOf(page).waitFor({ state: "detached" });
};
const leave = async (page: Page) => {
  await questionOf(page).getByRole("button", { name: "Discard changes", exact: true }).click();
  await questionOf(page).waitFor({ state: "detached" });
};
const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });

consoleTest(
  "Every way to leave the page asks for confirmation: staying keeps the input, leaving discards it.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await world.createSource();
    await world.workspace();
    await open("/sources");
    await link(page, "Shop").click();
    await link(page, "Settings").click();
    const [name, slug] = [page.getByLabel("Name"), page.getByLabel("Slug")];
    await name.fill("Other");
    await slug.fill("other");
    const { href } = new URL(page.url());
    for (const go of [
      () => link(page, "Team").click(),
      () => link(page, "Events").click(),
      () => page.evaluate(() => history.back()),
      () => openWorkspace(page, "Second"),
    ]) {
      await go();
      await stay(page);
      await page.waitForURL(href);
      assert.deepEqual([await name.inputValue(), await slug.inputValue()], ["Other", "other"]);
      await workspaceOpened(page, "My workspace");
    }
    await page.evaluate(() => history.back());
    await questionOf(page).waitFor();
    await page.keyboard.press("Escape");
    await questionOf(page).waitFor({ state: "detached" });
    await page.waitForURL(href);

    await openWorkspace(page, "Second");
    await questionOf(page).waitFor();
    await animationsEnded(page);
    await shoot("leave-dialog");
    await leave(page);
    await heading(page, "See who visits your site").waitFor();
    assert.equal((await world.ask(`/api/tracking-sources/${sourceId}`)).body.name, "Shop");
  },
);

consoleTest(
  "Every form asks for confirmation before its input is lost, and a page asks only once.",
  async (started) => {
    const { world, page, open } = started;
    const made = await world.createSource();
    const sessionId = await world.openSession(made);
    await world.send(eventsPath(made), eventsBody(sessionId, [trackEvent()]));
    const source = `sourceId=${made.sourceId}`;
    const forms = [
      { path: "/sources/new", label: "Name" },
      { path: "/workspaces/new", label: "Name" },
      { path: `/sources/settings?${source}#exclusions`, label: "Excluded paths" },
      { path: `/sources/settings?${source}#data-retention`, label: "Days" },
      { path: `/sources/settings?${source}#erase-visitor`, label: "ID" },
    ];
    for (const { path, label } of forms) {
      await open(path);
      await page.getByLabel(new RegExp(`^${label}( \\*)?$`)).fill("30");
      await link(page, "Usage").click();
      await leave(page);
      await heading(page, "Usage").waitFor();
    }
  },
);

consoleTest(
  "The dialog of an event asks before Escape or its button discards a change of the plan.",
  async ({ world, page, open }) => {
    const made = await world.createSource();
    const sessionId = await world.openSession(made);
    await world.send(eventsPath(made), eventsBody(sessionId, [trackEvent()]));
    await world.server.maintain();
    await open(`/sources/events?sourceId=${made.sourceId}`);
    await page.getByRole("button", { name: "signup", exact: true }).click();
    const event = page.getByRole("dialog", { name: "signup" });
    const mode = event.getByLabel("Events that violate the schema");
    await mode.selectOption("reject");
    for (const close of [
      () => page.keyboard.press("Escape"),
      () => page.keyboard.press("Escape"),
      () => event.getByRole("button", { name: "Close" }).click(),
    ]) {
      await close();
      await stay(page);
      assert.equal(await mode.inputValue(), "reject");
    }
    await page.keyboard.press("Escape");
    await leave(page);
    await event.waitFor({ state: "detached" });

    await page.getByRole("button", { name: "signup", exact: true }).click();
    await event.waitFor();
    await page.keyboard.press("Escape");
    await event.waitFor({ state: "detached" });
    assert.equal(await questionOf(page).count(), 0, "nothing was changed");
  },
);

consoleTest(
  "No confirmation is asked after input was reverted or saved, within a page, on deletion, on sign-out and when the session has ended.",
  async ({ world, page, open }) => {
    await open("/sources/new");
    await page.getByLabel("Name").fill("Made");
    await page.getByRole("button", { name: "Create source", exact: true }).click();
    await page.getByText("Waiting for the first event").waitFor();
    await link(page, "Settings").click();
    const name = page.getByLabel("Name");
    await name.fill("Other");
    await name.fill("Made");
    await link(page, "Events").click();
    await link(page, "Settings").click();
    await openSection(page, "Exclusions");
    await page.getByLabel("Excluded paths").fill("/admin/*");
    await openSection(page, "Erase visitor");
    await page.getByRole("textbox", { name: "ID", exact: true }).fill("visitor-1");
    await page.getByRole("button", { name: "Erase", exact: true }).click();
    await page.getByRole("button", { name: "Erase visitor" }).click();
    await page.waitForURL(/receipt=/);
    assert.equal(await page.getByLabel("Excluded paths").inputValue(), "/admin/*");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved", { exact: true }).waitFor();

    await openSection(page, "General");
    const stored = await name.inputValue();
    await name.fill("Gone with it");
    await openSection(page, "Delete source");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByLabel(/^Type .* to confirm$/).fill(stored);
    await page.getByRole("button", { name: "Delete source" }).click();
    await heading(page, "See who visits your site").waitFor();

    await world.createSource();
    await open("/workspaces/new");
    await page.getByLabel("Name").fill("Third");
    await page.getByRole("button", { name: "Create workspace", exact: true }).click();
    await heading(page, "See who visits your site").waitFor();
    await open("/sources/new");
    await page.getByLabel("Name").fill("Never made");
    await page.getByRole("button", { name: "Sign out" }).click();
    await heading(page, "Sign in").waitFor();

    // the token is revoked while the form has input
    await open("/sources/new", await memberToken(world, "admin"));
    await page.getByLabel("Name").fill("Too late");
    const { body } = await world.ask(`/api/tokens?organizationId=${ORGANIZATION_ID}`);
    const { tokenId } = body.tokens.find(({ label }: { label: string }) => label === "admin");
    await world.ask(`/api/tokens/${tokenId}?organizationId=${ORGANIZATION_ID}`, { method: "DELETE" });
    await page.getByRole("button", { name: "Create source", exact: true }).click();
    await page.getByText("You have been signed out").waitFor();
  },
);

consoleTest(
  "A page that is left at the moment its form shows Saved asks for no confirmation.",
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource();
    await open(`/sources/settings?sourceId=${sourceId}#exclusions`);
    await page.getByLabel("Excluded paths").fill("/admin/*");
    await page.evaluate(() => {
      const find = (selector: string, text: string) =>
        [...document.querySelectorAll<HTMLElement>(selector)].find(({ textContent }) => textContent === text);
      const observer = new MutationObserver(() => {
        if (!find("[role=status]", "Saved")) return;
        observer.disconnect();
        find("a", "Usage")?.click();
      });
      observer.observe(document.body, { childList: true, subtree: true, characterData: true });
    });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await heading(page, "Usage").waitFor();
  },
);

consoleTest(
  "Closing the tab with unsaved input shows the browser's dialog; after saving it does not.",
  async (started) => {
    const { world, page, open } = started;
    const { sourceId } = await world.createSource();
    await open(`/sources/settings?sourceId=${sourceId}`);
    const name = page.getByLabel("Name");
    // browsers show the dialog only after an interaction with the page
    await name.click();
    await name.fill("Other");
    const closing = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    const dialog = await closing;
    assert.equal(dialog.type(), "beforeunload");
    await dialog.dismiss();
    assert.equal(await name.inputValue(), "Other");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    // another dialog would keep the tab open
    page.on("dialog", (dialog) => void dialog.dismiss());
    const closed = page.waitForEvent("close");
    await page.close({ runBeforeUnload: true });
    await closed;
  },
);

consoleTest("The dialog is accessible and fits a phone.", async (started) => {
  const { world, page, open, shoot } = started;
  const { sourceId } = await world.createSource();
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.setViewportSize({ width: 360, height: 800 });
  await open(`/sources/settings?sourceId=${sourceId}`);
  await page.getByLabel("Name").fill("Other");
  await link(page, "Events").click();
  await questionOf(page).waitFor();
  const found: string[] = [];
  for (const { colorScheme, rules } of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await seriousFindings(page, rules)));
    await shoot(`leave-dialog-phone-${colorScheme}`);
  }
  assert.deepEqual(found, []);
  for (const button of await questionOf(page).getByRole("button").all()) {
    const { x, width } = (await button.boundingBox())!;
    assert.ok(x >= 0 && x + width <= 360);
  }
});
