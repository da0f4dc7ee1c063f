/** Light and dark colours: the system's, or the chosen ones. */
import type { Page } from "playwright-core";
import { until } from "../../server/test/support/until.ts";
import { consoleTest } from "./console-world.ts";

const DARK_PAGE = "rgb(14, 17, 20)";
const LIGHT_PAGE = "rgb(248, 250, 251)";

consoleTest(
  "A chosen theme stays after a reload and holds in every tab; “System” follows the system again.",
  async ({ page, context, open }) => {
    const shows = (tab: Page, color: string) =>
      until(`the page is ${color}`, () =>
        tab.evaluate((wanted) => getComputedStyle(document.body).backgroundColor === wanted, color),
      );
    await page.emulateMedia({ colorScheme: "light" });
    await open("/sources");
    const other = await context.newPage();
    await other.emulateMedia({ colorScheme: "light" });
    await other.goto(page.url());
    await other.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.getByRole("button", { name: "Dark" }).click();
    await shows(page, DARK_PAGE);
    await shows(other, DARK_PAGE);
    await page.reload();
    await shows(page, DARK_PAGE);
    await page.getByRole("button", { name: "System" }).click();
    await shows(page, LIGHT_PAGE);
    await shows(other, LIGHT_PAGE);
    await page.emulateMedia({ colorScheme: "dark" });
    await shows(page, DARK_PAGE);
  },
);
