/** The stats of scripted visits in Chromium. */
import { test } from "node:test";
import { newVisitor, skip } from "../../../../packages/sdk/test/chromium.ts";
import { isInstalled } from "../../src/clickhouse/embedded/start.ts";
import { checkVisits, checkVitals, type TestBrowser } from "./acceptance.ts";

const isLeftOut = skip || (!isInstalled() && "left out: the optional package chdb is not installed");

const browser: TestBrowser = {
  async newVisitor() {
    const context = await newVisitor();
    return async () => {
      const page = await context.newPage();
      return {
        open: async (url) => void (await page.goto(url)),
        evaluate: (expression) => page.evaluate(expression),
        click: () => page.mouse.click(50, 50),
      };
    };
  },
};

test(
  "In Chromium the optional parts change no bounce rate, and time on page is within 10 %.",
  {
    skip: isLeftOut,
    timeout: 300_000,
  },
  (t) => checkVisits(browser, (line) => t.diagnostic(line)),
);

test(
  "In Chromium the p75 of each web vital is within 5 % of the library's.",
  {
    skip: isLeftOut,
    timeout: 300_000,
  },
  (t) => checkVitals(browser, ["lcp", "fcp", "ttfb", "cls", "inp"], (line) => t.diagnostic(line)),
);
