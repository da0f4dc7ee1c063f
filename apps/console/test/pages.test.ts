/** Every page with hostile data, in light and dark, on desktop and phone. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { until } from "../../server/test/support/until.ts";
import { ORGANIZATION_ID, type World } from "../../server/test/support/world.ts";
import { allFindings, animationsEnded, SCHEMES, seriousFindings } from "./accessibility.ts";
import { consoleTest } from "./console-world.ts";
import { movingParts, poorNames, smallTargets } from "./reach.ts";
import { HOSTILE, memberToken, seed, TRACE_ID } from "./seed.ts";

/** Puts hostile text into every field. @returns the pages, each with a text that shows when it has loaded */
async function hostilePages(world: World): Promise<{ path: string; text: string }[]> {
  const { sourceId } = await seed(world);
  const path = `/api/tracking-sources/${sourceId}`;
  const text = HOSTILE.slice(0, 100);
  await memberToken(world, "viewer", text);
  await world.ask(`${path}/regenerate-key`, { method: "POST" });
  const body = {
    organizationId: ORGANIZATION_ID,
    goals: [{ name: text, event: text }],
    excludedPaths: ["/<script>window.ran=1</script>"],
  };
  assert.equal((await world.ask(path, { method: "PATCH", body })).status, 200);
  return [
    { path: "/sources", text: HOSTILE },
    { path: "/sources/new", text: "Create source" },
    ...SETTINGS.map(([hash, text]) => ({ path: `/sources/settings?sourceId=${sourceId}#${hash}`, text })),
    { path: `/analytics/setup/install?sourceId=${sourceId}`, text: "Proxy through your site" },
    { path: `/analytics/setup/debug?sourceId=${sourceId}`, text: "other.example" },
    { path: `/analytics/stats?sourceId=${sourceId}`, text: "This service has no warehouse" },
    { path: `/analytics/visitor?sourceId=${sourceId}`, text: "Find a visitor" },
    { path: `/sources/events?sourceId=${sourceId}`, text: "Accepted, all time" },
    { path: `/sources/delivery?sourceId=${sourceId}`, text: "This service has no warehouse" },
    { path: "/sources/settings", text: "No source selected" },
    { path: "/shared", text: "Incomplete link" },
    { path: "/embed", text: "Incomplete link" },
    { path: "/team", text },
    { path: "/tokens", text: "This browser" },
    { path: "/audit", text: "Source created" },
    { path: "/usage", text: "Accepted events by day" },
    { path: "/support", text: "Service is ready" },
    { path: "/workspaces/new", text: "A workspace has its own sources" },
    { path: "/profile", text: "Signed in" },
    { path: "/invitation#code=none", text: "The link is unknown" },
    { path: "/sign-in", text: "Use an access token" },
  ];
}

/** Sections of the settings, and a text of each. */
const SETTINGS = [
  ["general", "Keep rejected events"],
  ["privacy", "Which visitors are counted."],
  ["public-key", "No recent request used an old key."],
  ["goals", "Add goal"],
  ["exclusions", "Excluded IP addresses"],
  ["page-urls", "Merged paths"],
  ["limits", "Quota for this source"],
  ["erase-visitor", "This cannot be undone."],
] as const;

/** Whether the button is visible without scrolling sideways. */
const isWithinWidth = async (page: Page, button: Locator) => {
  const box = await button.first().boundingBox();
  return box !== null && box.x >= 0 && box.x + box.width <= page.viewportSize()!.width;
};

const nameOf = (path: string) => `page${path.split(/[?#]/)[0]!.replaceAll("/", "-")}`;

consoleTest(
  "The design page shows every part; axe finds nothing in light and dark, and it fits a phone.",
  async ({ page, open, shoot }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open("/design");
    await page.getByText("Open confirmation").waitFor();
    assert.deepEqual(await findingsOf(page, (colorScheme) => shoot(`page-design-${colorScheme}`)), []);
    await page.setViewportSize({ width: 360, height: 1200 });
    await fitsPhone(page);
  },
);

/** @returns visible texts smaller than 13 pixels */
const smallTexts = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("body *")]
      .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim()))
      .filter((one) => one.checkVisibility() && Number.parseFloat(getComputedStyle(one).fontSize) < 13)
      .map((one) => `${getComputedStyle(one).fontSize}: ${one.outerHTML.slice(0, 200)}`),
  );

/** @returns buttons and selects whose label is cut off */
async function cutLabels(page: Page): Promise<string[]> {
  await animationsEnded(page);
  return page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d")!;
    const isCut = (one: Element) => one.scrollWidth > one.clientWidth;
    const isCutSelect = (one: HTMLSelectElement) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(one);
      canvas.font = font;
      const text = one.selectedOptions[0]?.text ?? "";
      // a long option may be cut, but not within its first word
      const needed = canvas.measureText(text.split(/[ ,:(/]/)[0]!).width;
      return one.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) < needed;
    };
    return [
      ...[...document.querySelectorAll("button, .button")].filter(isCut),
      ...[...document.querySelectorAll("select")].filter(isCutSelect),
    ]
      .filter((one) => one.checkVisibility())
      .map((one) => one.outerHTML.slice(0, 200));
  });
}

/** @returns the findings of axe in light and dark */
async function findingsOf(page: Page, shootAs: (colorScheme: string) => Promise<void>): Promise<string[]> {
  const found: string[] = [];
  for (const { colorScheme, rules } of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    const findings = await allFindings(page, rules);
    found.push(...findings.map((one) => `in ${colorScheme}: ${one}`));
    await shootAs(colorScheme);
  }
  return found;
}

async function fitsPhone(page: Page): Promise<void> {
  await until("it fits a phone", () =>
    page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
  );
  assert.deepEqual(await smallTexts(page), []);
}

/** Requires that the page fits a desk and a phone. @returns labels that are cut off */
async function cutAtBothWidths(page: Page): Promise<string[]> {
  await page.setViewportSize({ width: 1280, height: 1200 });
  const cut = (await cutLabels(page)).map((one) => `on a desk: ${one}`);
  await page.setViewportSize({ width: 360, height: 1200 });
  await fitsPhone(page);
  return [...cut, ...(await cutLabels(page)).map((one) => `on a phone: ${one}`)];
}

/** Visiting all pages takes minutes on a busy machine. */
for (const [part, title] of ["The first half of the pages", "The second half of the pages"].entries())
  consoleTest(
    `${title}: hostile data is text and runs no script, axe finds nothing in light and dark or on a phone, none is wider than a phone, no label is cut off on phone or desktop, no text is smaller than 13 pixels, fingers reach every control, each has a name, and nothing moves for people who want no motion.`,
    async ({ world, page, open, shoot }) => {
      const all = await hostilePages(world);
      const middle = Math.ceil(all.length / 2);
      await page.emulateMedia({ reducedMotion: "reduce" });
      const found: string[] = [];
      for (const { path, text } of all.slice(part * middle, (part + 1) * middle)) {
        await page.setViewportSize({ width: 1280, height: 720 });
        await open(path);
        await page.getByText(text).first().waitFor();
        const findings = await findingsOf(page, (colorScheme) => shoot(`${nameOf(path)}-${colorScheme}`));
        await page.emulateMedia({ colorScheme: "light" });
        found.push(...[...findings, ...(await cutAtBothWidths(page))].map((one) => `${path} ${one}`));
        const onPhone = [
          ...(await allFindings(page)),
          ...(await smallTargets(page)),
          ...(await poorNames(page)),
          ...(await movingParts(page)),
        ];
        found.push(...onPhone.map((one) => `${path} on a phone: ${one}`));
        await shoot(`${nameOf(path)}-phone`);
        assert.equal(await page.evaluate("window.ran"), undefined, "no script in the data has run");
        if (path === "/team")
          assert.ok(await isWithinWidth(page, page.getByRole("button", { name: /^Actions for / })), path);
      }
      assert.deepEqual(found, []);
    },
  );

consoleTest(
  "The details of every attempt show hostile data as text, and axe finds nothing serious.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await seed(world);
    const found: string[] = [];
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open(`/analytics/setup/debug?sourceId=${sourceId}`);
    const rows = page.getByRole("listbox", { name: "Requests" }).getByRole("option");
    await rows.first().waitFor();
    assert.equal(await rows.count(), 5);
    for (let row = 0; row < 5; row += 1) {
      await rows.nth(row).click();
      await page.getByRole("region", { name: "Received, JSON" }).waitFor();
      found.push(...(await seriousFindings(page)));
      await shoot(`attempt-${row}`);
    }
    assert.deepEqual(found, []);
    assert.ok(await page.getByText(HOSTILE).first().isVisible());
    assert.ok(await page.getByText(TRACE_ID).isVisible(), "the oldest attempt has a trace");
    await rows.first().click();
    await page.getByText("Trace ID").waitFor({ state: "detached" });
    assert.equal(await page.evaluate("window.ran"), undefined, "no script in the data has run");
  },
);
