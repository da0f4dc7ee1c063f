/** The command palette. */
import assert from "node:assert/strict";
import { seriousFindings } from "./accessibility.ts";
import { consoleStatsTest, consoleTest } from "./console-world.ts";
import { memberToken } from "./seed.ts";
import { lastDays, visitedShop } from "./visits.ts";

consoleTest(
  "Ctrl+K opens a search over pages, views and sources, and Enter opens the selected one.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await world.createSource({ name: "Green shop" });
    await open("/sources");
    await page.getByRole("link", { name: "Green shop" }).waitFor();
    await page.keyboard.press("Control+k");
    const dialog = page.getByRole("dialog", { name: "Search" });
    const stats = dialog.getByRole("button", { name: "Green shop: Stats" });
    await stats.waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("palette");
    await page.keyboard.type("debug green");
    await stats.waitFor({ state: "detached" });
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
  "The search begins with the recent pages, those of the source, and actions, and finds views by a part of their name, saved items, actions and pages by other words.",
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
    await dialog.locator(".menu-title").getByText("Green shop").waitFor();
    assert.equal(await funnels.textContent(), "Funnel: Checkout Green shop↵");
    const titles = dialog.locator(".menu-title");
    assert.deepEqual(await titles.allTextContents(), ["Saved", "Green shop"]);
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
    await dialog.getByRole("button", { name: "Green shop: Install" }).waitFor();
    assert.deepEqual(await titles.allTextContents(), ["Recent", "Green shop", "Actions"]);
    assert.equal(await first.getAttribute("aria-label"), "Sources", "the page before this one");
    const names = await dialog.locator(".menu-item").evaluateAll((rows) => rows.map((row) => row.ariaLabel));
    assert.equal(new Set(names).size, names.length, "no row is there twice");
    assert.ok(await dialog.evaluate((list) => list.firstElementChild!.scrollHeight <= list.clientHeight));
    assert.ok(names.includes("Create source"));
    await page.keyboard.type("explore");
    const views = dialog.getByRole("button", { name: "Green shop: Explore" });
    assert.equal(await views.getAttribute("aria-keyshortcuts"), null, "without events there are no keys");
    await page.keyboard.press("Escape");
    await search("table folders");
    await dialog.getByRole("button", { name: "Table: Folders" }).click();
    await page.waitForURL((url) => url.searchParams.get("rows") === "folder:1");
    await search("checkout");
    await dialog.getByRole("button", { name: "Funnel: Checkout" }).click();
    await page.waitForURL((url) => url.searchParams.get("step2") === "event:order");
    assert.equal(new URL(page.url()).searchParams.get("view"), "funnel");
    await search("requests");
    await dialog.getByRole("button", { name: "Green shop: Debug, requests" }).waitFor();
    await page.keyboard.press("Escape");
    for (const [word, found] of [
      ["lost", "Delivery"],
      ["loss", "Delivery"],
      ["missing", "Delivery"],
      ["stopped", "Events"],
      ["healthy", "Debug"],
    ] as const) {
      await search(word);
      await dialog.getByRole("button", { name: `Green shop: ${found}` }).waitFor();
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
  "The search finds the sections of the shown source’s settings that one may change, marks the match, and keeps unsaved input.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await world.createSource({ name: "Green shop" });
    await world.createSource({ name: "Blue shop" });
    await open(`/sources/settings?sourceId=${sourceId}`);
    await page.getByLabel("Slug").fill("green");
    const dialog = page.getByRole("dialog", { name: "Search" });
    const names = () => dialog.locator(".menu-item").evaluateAll((rows) => rows.map((row) => row.ariaLabel));
    await page.keyboard.press("Control+k");
    await page.keyboard.type("ret");
    const section = dialog.getByRole("button", { name: "Green shop: Settings › Data retention" });
    await section.waitFor();
    assert.equal(await section.locator("mark").textContent(), "ret");
    assert.deepEqual((await names()).slice(0, 2), [
      "Green shop: Retention",
      "Green shop: Settings › Data retention",
    ]);
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("palette-ret");
    await section.click();
    await page.waitForURL((url) => url.hash === "#data-retention");
    await page.getByRole("form", { name: "Data retention" }).waitFor();
    await page.waitForURL((url) => url.searchParams.get("sourceId") === sourceId);
    assert.equal(await page.getByLabel("Slug").inputValue(), "green");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("settings");
    await section.waitFor({ state: "detached" });
    assert.deepEqual(await names(), ["Green shop: Settings"], "not each of its sections");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("blue");
    await dialog.getByRole("button", { name: "Blue shop: Stats" }).waitFor();
    assert.equal((await names()).length, 1, "not each of its pages");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Discard" }).click();

    const developer = await memberToken(world, "developer");
    await open(`/sources/settings?sourceId=${sourceId}`, developer);
    await page.getByLabel("Slug").waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("goals");
    await dialog.getByRole("button", { name: "Green shop: Settings › Goals" }).waitFor();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("data retention");
    await dialog.getByText("No results for “data retention”.").waitFor();
  },
);

consoleStatsTest(
  "On a stats page the search begins with its views and menus, opens them by their keys, and fits a screen.",
  async ({ world, page, open, shoot }) => {
    const source = await visitedShop(world);
    await page.setViewportSize({ width: 1440, height: 900 });
    await open(lastDays(source));
    const dialog = page.getByRole("dialog", { name: "Search" });
    const rows = async () =>
      dialog
        .locator(".menu-item")
        .evaluateAll((all) =>
          all.map(
            (row) => `${row.querySelector(".palette-text")?.textContent} ${row.ariaKeyShortcuts ?? ""}`,
          ),
        );
    const search = async (text: string) => {
      await page.getByRole("button", { name: "Search", exact: true }).click();
      await dialog.locator(".menu-item").first().waitFor();
      if (text === "") return;
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
      await dialog.waitFor({ state: "hidden" });
    };
    const menu = (name: RegExp | string) => page.getByRole("button", { name, expanded: true });
    await page.getByRole("button", { name: /^Range: / }).waitFor();
    await search("");
    await dialog.getByRole("button", { name: "Choose the range" }).waitFor();
    assert.deepEqual((await rows()).slice(0, 9), [
      "Real time 2",
      "Funnel 3",
      "Paths 4",
      "Retention 5",
      "Explore 6",
      "Choose the range R",
      "Add a filter F",
      "Choose the comparison C",
      "Export and share E",
    ]);
    assert.deepEqual((await rows()).slice(-3), [
      "Create source ",
      "Use dark theme ",
      "Show keyboard shortcuts ?",
    ]);
    const icons = await dialog
      .locator(".menu-item path")
      .evaluateAll((all) => all.map((path) => path.getAttribute("d")));
    assert.equal(new Set(icons).size, icons.length, "each row has its own icon");
    assert.ok(await dialog.evaluate((list) => list.firstElementChild!.scrollHeight <= list.clientHeight));
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("palette-stats");
    await page.keyboard.press("Escape");
    for (const [text, name] of [
      ["range", /^Range: /],
      ["compare", /^Comparison: /],
      ["filter", "Add filter"],
      ["export", "More actions"],
    ] as const) {
      await search(text);
      await menu(name).waitFor();
      await page.keyboard.press("Escape");
    }
    const { searchParams } = new URL(page.url());
    await search("real time");
    await page.waitForURL((url) => url.searchParams.get("view") === "realtime");
    assert.equal(new URL(page.url()).searchParams.get("range"), searchParams.get("range"), "the range stays");
    await search("");
    await dialog.getByRole("button", { name: "Overview" }).waitFor();
    assert.deepEqual(
      (await rows()).filter((row) => / [A-Z1]$/.test(row)),
      ["Overview 1", "Add a filter F", "Export and share E"],
      "the view has no range and no comparison",
    );
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.keyboard.press("Control+k");
    await dialog.locator(".menu-item").first().waitFor();
    assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
    await shoot("palette-stats-390");
  },
);

consoleTest(
  "After the search has opened a page or a section, the next Tab goes to its first control.",
  async ({ world, page, open }) => {
    await world.createSource({ name: "Green shop" });
    await open("/sources");
    await page.getByRole("link", { name: "Green shop" }).waitFor();
    const dialog = page.getByRole("dialog", { name: "Search" });
    const search = async (text: string, name: string) => {
      await page.keyboard.press("Control+k");
      await page.keyboard.type(text);
      await dialog.getByRole("button", { name }).waitFor();
      await page.keyboard.press("Enter");
      await dialog.waitFor({ state: "hidden" });
    };
    await search("how long", "Green shop: Settings › Data retention");
    const section = page.locator("#data-retention");
    await section.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Tab");
    assert.ok(await section.locator(":focus").isVisible());
    await search("audit", "Audit log");
    await page.locator("#main:focus").waitFor();
    await page.keyboard.press("Tab");
    assert.ok(await page.locator("#main :focus").isVisible());
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
    const range = sheet.getByRole("region", { name: "Stats range" });
    assert.deepEqual(await range.getByRole("term").allTextContents(), [
      "Today",
      "Yesterday",
      "Last 7 days",
      "Month to date",
      "Last month",
      "All time",
    ]);
    const everywhere = (await sheet.getByRole("region", { name: "Everywhere" }).boundingBox())!;
    assert.ok((await range.boundingBox())!.x > everywhere.x + everywhere.width, "in a second column");
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      await shoot(`shortcuts-${width}`);
      assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
    }
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "hidden" });
    await page.keyboard.press("Shift+?");
    await sheet.getByRole("button", { name: "Close" }).and(page.locator(":focus")).waitFor();
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
