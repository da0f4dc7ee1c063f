/** The search and the orders of the list of sources. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type SOURCE_ORDERS, selectSources } from "../src/pages/sources/source-order.ts";

const SOURCES = [
  { name: "Shop", allowedOrigins: ["https://shop.example"], isActive: true, lastEventAt: null },
  { name: "blog", allowedOrigins: ["https://blog.example"], isActive: false, lastEventAt: "2026-01-02" },
  { name: "App", allowedOrigins: [], isActive: true, lastEventAt: "2026-01-01" },
];

test("Sources are found by name and origin, and sorted without changing the list.", () => {
  const namesBy = (order: (typeof SOURCE_ORDERS)[number]["value"], search = "") =>
    selectSources(SOURCES, search, order).map(({ name }) => name);
  assert.deepEqual(namesBy("created"), ["Shop", "blog", "App"]);
  assert.deepEqual(namesBy("name"), ["App", "blog", "Shop"]);
  assert.deepEqual(namesBy("lastEvent"), ["blog", "App", "Shop"]);
  assert.deepEqual(namesBy("status"), ["App", "Shop", "blog"]);
  assert.deepEqual(namesBy("name", " SHOP.ex "), ["Shop"]);
  assert.deepEqual(namesBy("name", "nothing"), []);
});
