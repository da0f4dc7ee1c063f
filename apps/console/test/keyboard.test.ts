/** Keyboard access, on phones too. */
import assert from "node:assert/strict";
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
  "The sign-in page says how to get a link, and focuses the token field.",
  async ({ world, page }) => {
    await page.goto(`${world.url}/sign-in`);
    const link = page.getByRole("region", { name: "Open a sign-in link" });
    await link.getByRole("button", { name: "Copy" }).click();
    await link.getByRole("button", { name: "Copied" }).waitFor();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /headwater sign-in$/);
    await page.reload();
    const field = page.getByLabel("Access token");
    await field.waitFor();
    await page.waitForFunction(() => document.activeElement instanceof HTMLInputElement);
    await page.keyboard.type("hwt_typed");
    assert.equal(await field.inputValue(), "hwt_typed");
  },
);
