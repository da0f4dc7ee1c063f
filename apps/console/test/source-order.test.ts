/** The list of sources: its search, its orders, and why a source fails. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bootstrapBody, bootstrapPath } from "../../server/test/support/world.ts";
import { byStatus, type SOURCE_ORDERS, selectSources } from "../src/pages/sources/source-order.ts";
import { consoleTest } from "./console-world.ts";

const SOURCES = [
  { name: "Shop", allowedOrigins: ["https://shop.example"], status: "waiting" as const, lastEventAt: null },
  {
    name: "blog",
    allowedOrigins: ["https://blog.example"],
    status: "off" as const,
    lastEventAt: "2026-01-02",
  },
  { name: "App", allowedOrigins: [], status: "receiving" as const, lastEventAt: "2026-01-01" },
  { name: "Beta", allowedOrigins: [], status: "failing" as const, lastEventAt: null },
];

test("Sources are found by name and origin, and sorted without changing the list.", () => {
  const namesBy = (order: (typeof SOURCE_ORDERS)[number]["value"], search = "") =>
    selectSources(SOURCES, search, order).map(({ name }) => name);
  assert.deepEqual(namesBy("created"), ["Shop", "blog", "App", "Beta"]);
  assert.deepEqual(namesBy("name"), ["App", "Beta", "blog", "Shop"]);
  assert.deepEqual(namesBy("lastEvent"), ["blog", "App", "Shop", "Beta"]);
  const ranked = SOURCES.toSorted(byStatus).map(({ name }) => name);
  assert.deepEqual(ranked, ["Beta", "App", "Shop", "blog"]);
  assert.deepEqual(namesBy("name", " SHOP.ex "), ["Shop"]);
  assert.deepEqual(namesBy("name", "nothing"), []);
});

consoleTest(
  "A failing source is the first of the list, says why, and leads to the attempts that were refused for this reason.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    await world.createSource({ name: "New blog" });
    const origin = "https://other.example";
    assert.equal((await world.send(bootstrapPath(source), bootstrapBody(), { origin })).status, 403);
    await open("/sources");
    await page.getByRole("columnheader", { name: "Events, 24 hours" }).waitFor();
    const row = page.getByRole("row").filter({ hasText: "Failing" });
    await row.getByText("1 refused").waitFor();
    assert.match((await page.getByRole("row").nth(1).textContent())!, /Failing/);
    await row.getByRole("link", { name: "Origin not allowed" }).click();
    const attempts = page.getByRole("listbox", { name: "Attempts" });
    await attempts
      .getByRole("option")
      .filter({ hasText: new URL(origin).host })
      .waitFor();
    assert.equal(new URL(page.url()).searchParams.get("code"), "origin_not_allowed");
  },
);

consoleTest(
  "The search and the command palette find sources that are not listed at first.",
  async ({ world, page, open }) => {
    await world.createSource({ name: "Oldest shop" });
    for (let number = 1; number <= 101; number += 1) await world.createSource({ name: `Shop ${number}` });
    await open("/sources");
    await page.getByRole("link", { name: "Shop 101", exact: true }).waitFor();
    assert.equal(await page.getByRole("row").count(), 26);
    await page.getByRole("textbox", { name: "Search sources" }).fill("oldest");
    await page.getByRole("link", { name: "Oldest shop" }).waitFor();
    await page.getByRole("textbox", { name: "Search sources" }).fill("");
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByRole("row").nth(50).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("oldest install");
    await page.getByRole("button", { name: "Oldest shop: Install" }).waitFor();
  },
);
