import { chromium } from "playwright-core";
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
await context.addInitScript(`sessionStorage.setItem("headwater.token", "hw_0123456789abcdef0123456789abcdef")`);
const page = await context.newPage();
const url = "http://127.0.0.1:18790/analytics/stats?sourceId=src_bench&range=2026-10-22..2026-11-20&tz=UTC" + (process.argv[2] ?? "");
for (let i = 0; i < 6; i++) {
  await page.goto("http://127.0.0.1:18790/sources"); await page.getByRole("link", { name: "Shop" }).first().waitFor();
  const t = performance.now(); const lap: Record<string, number> = {};
  const at = async (n: string, p: Promise<unknown>) => { await p; lap[n] = Math.round(performance.now() - t); };
  await page.goto(url, { waitUntil: "commit" });
  await Promise.all([
    at("chart", page.getByRole("slider", { name: "Visitors by day" }).waitFor()),
    at("headline", page.getByRole("region", { name: "Headline numbers" }).getByText(/1[.,]8|1,784/).first().waitFor()),
    at("pages", page.getByRole("row").filter({ has: page.getByRole("button", { name: "/", exact: true }) }).first().waitFor()),
    at("all", (async () => { await page.waitForLoadState("networkidle"); })()),
  ]);
  console.log(JSON.stringify(lap));
}
await page.screenshot({ path: "/tmp/hw/chart10m.png" });
await browser.close();
