/** How many bytes of script and styles the first load of the stats page takes. */
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { buildConsole } from "../../build.js";
import { consoleStatsTest } from "../console-world.ts";
import { lastDays, visitedShop } from "../visits.ts";

/** Gzipped, of all files together. */
const MAX_SCRIPT_BYTES = 165_000;
const MAX_STYLE_BYTES = 16_000;
const MAX_FILES = 8;

consoleStatsTest(
  "Until the stats page shows its headline, chart and lists it loads at most 165 KB of script in 8 files and 16 KB of styles (gzipped).",
  async ({ world, page, open }) => {
    const source = await visitedShop(world);
    await open(lastDays(source));
    await page.locator(".metric-value[aria-busy=false]").first().waitFor();
    await page.getByRole("region", { name: "Visitors by day" }).waitFor();
    for (const list of ["Pages", "Acquisition", "Devices", "Events"])
      await page.getByRole("region", { name: list }).getByRole("row").nth(1).waitFor();

    const names = await page.evaluate(() =>
      performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname),
    );
    const folder = (await buildConsole()) ?? "";
    const sizeOf = (ending: string) =>
      [...new Set(names)]
        .filter((name) => name.startsWith("/console/") && name.endsWith(ending))
        .reduce((sum, name) => sum + statSync(join(folder, `${name}.gz`)).size, 0);
    const scripts = new Set(names.filter((name) => name.startsWith("/console/") && name.endsWith(".js")));
    assert.ok(scripts.size <= MAX_FILES, [...scripts].join(" "));
    const [script, styles] = [sizeOf(".js"), sizeOf(".css")];
    assert.ok(script > 0 && script <= MAX_SCRIPT_BYTES, `${script} bytes of script`);
    assert.ok(styles > 0 && styles <= MAX_STYLE_BYTES, `${styles} bytes of styles`);
  },
);
