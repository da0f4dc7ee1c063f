/** The command palette. */
import assert from "node:assert/strict";
import { seriousFindings } from "./accessibility.ts";
import { consoleTest } from "./console-world.ts";

consoleTest(
  "Ctrl+K opens a search over pages, views and sources, and Enter opens the selected one.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await world.createSource({ name: "Green shop" });
    await open("/sources");
    await page.getByRole("link", { name: "Green shop" }).waitFor();
    await page.keyboard.press("Control+k");
    const dialog = page.getByRole("dialog", { name: "Search" });
    await dialog.getByText("Green shop: Stats").waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("palette");
    await page.keyboard.type("debug green");
    await dialog.getByText("Green shop: Stats").waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname === "/analytics/setup/debug");
    assert.equal(new URL(page.url()).searchParams.get("sourceId"), sourceId);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("zzz");
    await dialog.getByText("No results for “zzz”.").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
  },
);

consoleTest(
  "The search begins with the recent pages, and finds views by a part of their name, saved items, actions and pages by other words.",
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource({ name: "Green shop" });
    const funnel = { kind: "funnel", name: "Checkout", steps: [{ page: "/cart" }, { event: "order" }] };
    await world.ask(`/api/tracking-sources/${sourceId}/saved`, { method: "POST", body: funnel });
    await open("/sources");
    const dialog = page.getByRole("dialog", { name: "Search" });
    const first = dialog.getByRole("button").and(dialog.locator(".menu-item")).first();
    const search = async (text: string) => {
      await page.getByRole("button", { name: "Search", exact: true }).click();
      await page.keyboard.type(text);
    };
    await search("fun");
    const funnels = dialog.getByRole("button", { name: "Funnel: Checkout" });
    await funnels.getByText("Green shop").waitFor();
    await dialog.locator(".menu-title").getByText("Sources").waitFor();
    assert.equal(await funnels.textContent(), "Funnel: Checkout Green shop↵");
    const titles = dialog.locator(".menu-title");
    assert.deepEqual(await titles.allTextContents(), ["Saved", "Sources"]);
    const top = async () => (await dialog.boundingBox())!.y;
    const [before, { height }] = [await top(), (await dialog.boundingBox())!];
    await page.keyboard.type("n");
    await dialog.getByRole("button", { name: "Green shop: Funnel" }).waitFor();
    assert.equal(await top(), before, "the field stays where it is");
    assert.ok(height < 320, `the list ends after its rows: ${height}`);
    await page.keyboard.press("Escape");
    await search("ret");
    await dialog.getByRole("button", { name: "Green shop: Retention" }).click();
    await page.waitForURL((url) => url.searchParams.get("view") === "retention");
    await search("");
    const views = dialog.getByRole("button", { name: "Green shop: Explore" });
    assert.equal(await views.getAttribute("aria-keyshortcuts"), "6");
    assert.deepEqual(await titles.allTextContents(), ["Recent", "Green shop", "Go to", "Actions"]);
    assert.equal(await first.getAttribute("aria-label"), "Sources", "the page before this one");
    await page.keyboard.press("Escape");
    await search("table folders");
    await dialog.getByRole("button", { name: "Table: Folders" }).click();
    await page.waitForURL((url) => url.searchParams.get("rows") === "folder:1");
    await search("checkout");
    await dialog.getByRole("button", { name: "Funnel: Checkout" }).click();
    await page.waitForURL((url) => url.searchParams.get("step2") === "event:order");
    assert.equal(new URL(page.url()).searchParams.get("view"), "funnel");
    await search("requests");
    await dialog.getByRole("button", { name: "Green shop: Debug" }).waitFor();
    await page.keyboard.press("Escape");
    for (const word of ["lost", "loss", "missing"]) {
      await search(word);
      await dialog.getByRole("button", { name: "Green shop: Delivery" }).waitFor();
      await page.keyboard.press("Escape");
    }
    await search("dark");
    assert.equal(await first.getAttribute("aria-label"), "Use dark theme");
    await page.keyboard.press("Enter");
    await page.locator('html[data-color-scheme="dark"]').waitFor();
    await search("shortcuts");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("Add a filter").waitFor();
    await page.keyboard.press("Escape");
    await search("log out");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname === "/sign-in");
  },
);

consoleTest(
  "A question mark lists the keyboard shortcuts, except while one types.",
  async ({ page, open, shoot }) => {
    await open("/sources/new");
    await page.getByLabel("Name").fill("Shop");
    await page.keyboard.press("Shift+?");
    const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    assert.equal(await page.getByLabel("Name").inputValue(), "Shop?");
    assert.equal(await sheet.count(), 0);
    await page.getByLabel("Name").blur();
    await page.keyboard.press("Shift+?");
    await sheet.getByText("Add a filter").waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("shortcuts");
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "hidden" });
  },
);

consoleTest(
  "Keys that are pressed before the list of pages has loaded are not lost.",
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource({ name: "Green shop" });
    await open("/sources");
    await page.getByRole("link", { name: "Green shop" }).waitFor();
    const { promise: isTyped, resolve: typed } = Promise.withResolvers<void>();
    await page.route("**/console/palette-*.js", async (route) => {
      await isTyped;
      await route.continue();
    });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("green debug");
    typed();
    await page.getByRole("button", { name: "Green shop: Debug" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname === "/analytics/setup/debug");
    assert.equal(new URL(page.url()).searchParams.get("sourceId"), sourceId);
  },
);
