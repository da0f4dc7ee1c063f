/** Tokens and profile on phones. */
import assert from "node:assert/strict";
import { ORGANIZATION_ID } from "../../../server/test/support/world.ts";
import { consoleTest } from "../console-world.ts";

consoleTest(
  "On a phone the tab of the open page is whole, also after the window became narrower, and titles stand clear of the bar.",
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource({ name: "Shop" });
    await page.setViewportSize({ width: 390, height: 844 });
    await open(`/sources/settings?sourceId=${sourceId}`);
    const tab = page
      .getByRole("navigation", { name: "Source pages" })
      .getByRole("link", { name: "Settings" });
    await tab.waitFor();
    await page.setViewportSize({ width: 320, height: 844 });
    await page.waitForFunction(() => {
      const nav = document.querySelector(".page-tabs")!;
      const { right } = nav.querySelector("[aria-current]")!.getBoundingClientRect();
      return right <= nav.getBoundingClientRect().right - 20;
    });
    const gap = await page.evaluate(() => {
      const bar = document.querySelector(".shell-bar")!.getBoundingClientRect();
      return document.querySelector("h1")!.getBoundingClientRect().top - bar.bottom;
    });
    assert.ok(gap >= 12 && gap <= 20, `${gap}`);
  },
);

consoleTest(
  "Nothing on the pages of tokens and of the profile scrolls sideways from 320 px, and the sign-in page fits too.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await world.createSource({ name: "Shop" });
    for (const body of [
      { label: "A rather long label of the token for the nightly import" },
      { label: "Board", sourceId },
    ])
      await world.ask("/api/tokens", { method: "POST", body: { organizationId: ORGANIZATION_ID, ...body } });
    for (const [path, shown] of [
      ["/tokens", page.getByText("Board")],
      ["/profile", page.getByText("This browser")],
      ["/sign-in", page.getByText("Use an access token")],
    ] as const)
      for (const width of [1440, 1024, 390, 320])
        for (const colorScheme of ["light", "dark"] as const) {
          await page.setViewportSize({ width, height: 844 });
          await page.emulateMedia({ colorScheme });
          await open(path);
          await shown.first().waitFor();
          const scrolling = await page.evaluate(() =>
            [document.documentElement, ...document.querySelectorAll("section")]
              .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
              .map(({ tagName, className }) => `${tagName} ${className}`),
          );
          await shoot(`narrow-${path.slice(1)}-${width}-${colorScheme}`);
          assert.deepEqual(scrolling, [], `${path} at ${width}`);
        }
  },
);
