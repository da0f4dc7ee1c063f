/** Keyboard access, on phones too. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { consoleTest } from "./console-world.ts";

consoleTest(
  "On a phone the Tab key skips the closed navigation, and Escape closes the open one.",
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource();
    await page.setViewportSize({ width: 390, height: 800 });
    await open(`/analytics/setup/install?sourceId=${sourceId}`);
    await page.getByText("Waiting for the first event").waitFor();
    const burger = page.getByRole("button", { name: "Navigation" });
    const pages = page.getByRole("navigation", { name: "Pages", exact: true });
    await burger.focus();
    await page.keyboard.press("Tab");
    const inMain = () => page.evaluate(() => document.activeElement?.closest("main") !== null);
    assert.equal(await inMain(), true, "the focus moves from the button to the page");
    assert.equal(await pages.isVisible(), false);

    await burger.click();
    await pages.getByRole("link", { name: "Sources" }).focus();
    assert.equal(await pages.locator("[aria-current=page]").textContent(), "Sources");
    await page.keyboard.press("Escape");
    await pages.waitFor({ state: "hidden" });
    assert.equal(await burger.getAttribute("aria-expanded"), "false");
    assert.equal(await burger.evaluate((element) => element === document.activeElement), true);
  },
);

consoleTest(
  "The sign-in page shows the command that prints a link; opening the token field folds it and focuses the field.",
  async ({ world, page, shoot }) => {
    await page.goto(`${world.url}/sign-in`);
    await page.getByText("Open the sign-in link that you were sent").waitFor();
    const command = page.getByRole("region", { name: "Command" });
    await command.waitFor();
    assert.equal(await page.getByRole("heading").count(), 1);
    const copy = page.getByRole("button", { name: "Copy" });
    assert.deepEqual(await mainButtons(page), ["Copy"]);
    await copy.click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /headwater sign-in$/);
    await shoot("sign-in-command");

    await page.getByText("Use an access token").focus();
    await page.keyboard.press("Enter");
    const field = page.getByLabel("Access token");
    await page.locator(":focus").and(field).waitFor();
    await command.waitFor({ state: "hidden" });
    assert.deepEqual(await mainButtons(page), ["Sign in"]);
    await page.keyboard.type("hwt_typed");
    assert.equal(await field.inputValue(), "hwt_typed");
  },
);

consoleTest(
  "On a phone the sign-in page opens the token field, and the command is folded.",
  async ({ world, page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${world.url}/sign-in`);
    await page.getByLabel("Access token").waitFor();
    const command = page.getByRole("region", { name: "Command" });
    assert.equal(await command.isVisible(), false);
    assert.deepEqual(await mainButtons(page), ["Sign in"]);
    await page.getByText("If you run the server").click();
    await command.waitFor();
  },
);

/** The texts of the visible main buttons. */
const mainButtons = (page: Page) => page.locator(".button-filled:visible").allTextContents();
