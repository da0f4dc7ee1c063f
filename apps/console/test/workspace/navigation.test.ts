/** The navigation at the side of windows of different widths. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { initialsOf } from "../../src/ui/initials-of.ts";
import { SCHEMES, seriousFindings } from "../accessibility.ts";
import { consoleTest, openWorkspace, workspaceMenu, workspaceOpened } from "../console-world.ts";

const RAIL_PX = 56;

consoleTest(
  "From 900 to 1,199 pixels the navigation is a rail of icons that show their names on hover and focus, and every part of it works.",
  async ({ world, page, open, shoot }) => {
    const profile = { method: "PATCH", token: await world.ownerSession(), body: { name: "Ada" } };
    assert.equal((await world.ask("/api/profile", profile)).status, 200);
    await world.workspace();
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open("/team");
    const pages = page.getByRole("navigation", { name: "Pages", exact: true });
    const team = pages.getByRole("link", { name: "Team", exact: true });
    const main = page.getByRole("main");
    const startOfMain = async () => (await main.boundingBox())?.x;
    for (const [width, start] of [
      [1200, 232],
      [1199, RAIL_PX],
      [900, RAIL_PX],
    ] as const) {
      await page.setViewportSize({ width, height: 768 });
      await team.waitFor();
      assert.equal(await startOfMain(), start, `${width}`);
    }
    await page.setViewportSize({ width: 899, height: 768 });
    await team.waitFor({ state: "hidden" });
    assert.equal(await startOfMain(), 0);

    await page.setViewportSize({ width: 1024, height: 768 });
    const theme = (await page.getByRole("group", { name: "Theme" }).boundingBox())!;
    assert.ok(theme.x >= 0 && theme.x + theme.width <= RAIL_PX, "the choice of the theme fits the rail");
    const label = pages.getByText("Team", { exact: true });
    const opacity = () => label.evaluate((element) => getComputedStyle(element).opacity);
    assert.equal(await opacity(), "0");
    await team.hover();
    assert.equal(await opacity(), "1");
    assert.ok((await label.boundingBox())!.x >= RAIL_PX, "the name is beside the rail");
    await main.hover();
    await pages.getByRole("link", { name: "Sources" }).focus();
    await page.keyboard.press("Tab");
    assert.equal(await opacity(), "1", "the keyboard shows it too");
    for (const { colorScheme, rules } of SCHEMES) {
      await page.getByRole("button", { name: colorScheme === "light" ? "Light" : "Dark" }).click();
      assert.deepEqual(await seriousFindings(page, rules), []);
      await workspaceMenu(page).click();
      assert.deepEqual(await seriousFindings(page, rules), []);
      await shoot(`rail-${colorScheme}`);
      await page.keyboard.press("Escape");
    }
    await openWorkspace(page, "My workspace");
    await workspaceOpened(page, "My workspace");
    await page.getByRole("link", { name: "Profile: Ada Owner" }).click();
    await page.getByRole("heading", { name: "Profile" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  },
);

consoleTest(
  "On a phone the navigation begins with the three sources that were opened before in this browser, until one signs out.",
  async ({ world, page, open, shoot }) => {
    const created = await Promise.all(
      ["Atlas", "Blog", "Club", "Docs"].map((name) => world.createSource({ name })),
    );
    await page.setViewportSize({ width: 390, height: 844 });
    const menu = page.getByRole("button", { name: "Navigation" });
    const recent = page.getByRole("navigation", { name: "Recent sources" });
    await open("/sources");
    await menu.click();
    await page.getByRole("link", { name: "Team", exact: true }).waitFor();
    assert.equal(await recent.count(), 0, "none was opened");
    for (const { sourceId, name } of created) {
      await page.goto(new URL(`/analytics/setup/install?sourceId=${sourceId}`, page.url()).href);
      await page.getByRole("heading", { name }).waitFor();
    }
    await menu.click();
    const links = recent.getByRole("link");
    await links.first().waitFor();
    assert.deepEqual(await links.allTextContents(), ["Club", "Blog", "Atlas"]);
    await recent.getByText("Recent", { exact: true }).waitFor();
    const current = page.getByRole("complementary", { name: "Navigation" }).locator("[aria-current]");
    assert.deepEqual(await current.allTextContents(), ["Sources"]);
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("navigation-recent-phone");
    await recent.getByRole("link", { name: "Blog" }).click();
    await page.getByRole("heading", { name: "Blog" }).waitFor();
    await menu.click();
    await recent.getByRole("link", { name: "Docs" }).click();
    await page.getByRole("heading", { name: "Docs" }).waitFor();
    await recent.waitFor({ state: "detached" });
    await menu.click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.equal(await page.evaluate(() => localStorage.getItem("headwater.recent")), null);
  },
);

test("The initials are the first letters of the first and the last word of a name, or of an address.", () => {
  const names = [
    "Ada Lovelace",
    "Kim van den Berg",
    "grace@shop.example",
    "a.byron@x.example",
    "łukasz",
    "(…) ",
    "",
  ];
  assert.deepEqual(names.map(initialsOf), ["AL", "KB", "G", "AB", "Ł", "", ""]);
});
