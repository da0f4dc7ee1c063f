/** Share links show the stats of one source without sign-in, and nothing else. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { newVisitor } from "../../../../packages/sdk/test/chromium.ts";
import { until } from "../../../server/test/support/until.ts";
import {
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  ORGANIZATION_ID,
  pageEvent,
} from "../../../server/test/support/world.ts";
import { SCHEMES, seriousFindings } from "../accessibility.ts";
import { consoleStatsTest, consoleTest } from "../console-world.ts";
import { HOSTILE, memberToken } from "../seed.ts";
import { lastDays, shopVisits, visits } from "../visits.ts";

const headline = (page: Page, label: string, text: string) =>
  page
    .getByRole("region", { name: "Key metrics" })
    .getByRole("button")
    .filter({ hasText: label })
    .filter({ hasText: text });

/** Creates a share link with the button. @returns the copied link */
async function makeLink(page: Page, label: string, password = ""): Promise<string> {
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByLabel("Name").fill(label);
  await page.getByLabel("Password (optional)").fill(password);
  await page.getByRole("button", { name: "Create link" }).click();
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("Copied").waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

/** Opens the link in a separate browser context. */
async function guestOf(link: string): Promise<[Page, requests: string[]]> {
  const guests = await newVisitor();
  const guest = await guests.newPage();
  const requests: string[] = [];
  guest.on("request", (request) => requests.push(request.url()));
  await guest.goto(link);
  return [guest, requests];
}

consoleStatsTest(
  "A share link opens the view it was created in, allows other views, and stops working when it is revoked.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource({ name: `Shop ${HOSTILE}` });
    await visits(world, source, shopVisits());
    await open(`${lastDays(source)}&page=/pricing`);
    await headline(page, "Page views", "1").waitFor();
    const link = await makeLink(page, "Board");
    await page.getByRole("region", { name: "Links" }).getByText("Board").waitFor();
    await shoot("share-panel");

    const token = new URLSearchParams(new URL(link).hash.slice(1)).get("token")!;
    const [guest, requests] = await guestOf(link);
    await guest.getByRole("heading", { name: `Shop ${HOSTILE}` }).waitFor();
    await headline(guest, "Page views", "1").waitFor();
    await guest.getByRole("button", { name: "Remove filter Page is /pricing" }).click();
    await headline(guest, "Page views", "3").waitFor();
    await guest.getByRole("button", { name: "Funnel", exact: true }).click();
    await guest.getByRole("button", { name: "Show funnel" }).waitFor();
    assert.equal(new URL(guest.url()).hash, `#token=${token}`, "the URL can be shared again");
    await guest.reload();
    await guest.getByRole("button", { name: "Show funnel" }).waitFor();

    assert.ok(!requests.some((url) => url.includes(token)), "no request has the token in its URL");
    const kept = await guest.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
    assert.ok(!kept.includes(token), "the token is not stored");
    await guest.getByRole("button", { name: "More actions" }).click();
    await guest.getByLabel("Time zone").waitFor();
    for (const name of ["Export", "Share", "Source settings", "Sign out"])
      assert.equal(await guest.getByRole("button", { name, exact: true }).count(), 0, name);
    assert.equal(await guest.getByRole("navigation").count(), 0);
    assert.equal(await guest.evaluate("window.ran"), undefined, "no script in the data has run");

    await page.getByRole("button", { name: "Revoke Board" }).click();
    await page.getByRole("button", { name: "Revoke link", exact: true }).click();
    await page.getByText("Revoked", { exact: true }).waitFor();
    await page.getByText("Copy the link “Board” now.").waitFor({ state: "detached" });
    const expired = guest.getByRole("heading", { name: "This link no longer works" });
    // the live count may notice it first
    await Promise.race([
      guest.getByRole("button", { name: "Overview", exact: true }).click(),
      expired.waitFor(),
    ]);
    await expired.waitFor();
    await guest.reload();
    await expired.waitFor();
    await guest.context().close();
  },
);

consoleTest(
  "One press creates a link, and one that was shown before is replaced: same name and expiry, and the old one ends.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    const { sourceId } = source;
    await world.send(
      bootstrapPath(source),
      bootstrapBody({ batchId: "b", sentAt: new Date().toISOString(), events: [pageEvent()] }),
    );
    const list = async () =>
      (await world.ask(`/api/tokens?organizationId=${ORGANIZATION_ID}&sourceId=${sourceId}&scope=stats`)).body
        .tokens as {
        label: string;
        revokedAt: string | null;
        expiresAt: string | null;
        hasPassword: boolean;
      }[];
    const body = {
      organizationId: ORGANIZATION_ID,
      label: "Board",
      sourceId,
      expiresAt: new Date(Date.now() + 9e9).toISOString(),
      password: "a long password",
    };
    await world.ask("/api/tokens", { method: "POST", body });
    await open(`/analytics/stats?sourceId=${sourceId}`);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByRole("region", { name: "Links" }).getByText("Board").waitFor();
    await page.getByRole("button", { name: "Create link" }).click();
    await page.getByText("Copy the link “Link 2” now.").waitFor();
    await shoot("share-created");

    await page.getByRole("button", { name: "Replace link… Board" }).click();
    const dialog = page.getByRole("dialog", { name: "Replace “Board”" });
    await dialog.getByLabel("Password").fill("a new password");
    await shoot("share-replace");
    await dialog.getByRole("button", { name: "Replace link" }).click();
    await dialog.getByRole("button", { name: "Copy link" }).click();
    await dialog.getByText("Copied").waitFor();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /#token=hwt_/);
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByText("Revoked", { exact: true }).waitFor();
    const boards = (await list()).filter(({ label }) => label === "Board");
    assert.deepEqual(
      boards
        .map(({ revokedAt, expiresAt, hasPassword }) => [revokedAt === null, expiresAt, hasPassword])
        .sort(),
      [
        [false, body.expiresAt, true],
        [true, body.expiresAt, true],
      ],
    );
  },
);

consoleStatsTest(
  "The shared page works in light and dark and on a phone, in all of its states.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource({ name: `Shop ${HOSTILE}` });
    const empty = await world.createSource({ name: "Empty" });
    await visits(world, source, shopVisits());
    const tokenFor = async (sourceId: string) => {
      const body = { organizationId: ORGANIZATION_ID, label: HOSTILE.slice(0, 100), sourceId };
      return (await world.ask("/api/tokens", { method: "POST", body })).body.token as string;
    };
    const token = await tokenFor(source.sourceId);
    const address = lastDays(source).replace("/analytics/stats", "/shared");
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.setViewportSize({ width: 1280, height: 1400 });
    const found: string[] = [];
    const look = async (name: string, text: string) => {
      await page.getByText(text).first().waitFor();
      await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
      for (const { colorScheme, rules } of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        const serious = await seriousFindings(page, rules);
        found.push(...serious.map((one) => `${name} in ${colorScheme}: ${one}`));
        await shoot(`${name}-${colorScheme}`);
      }
    };
    await page.goto(`${world.url}${address}#token=${token}`);
    await look("shared", "/pricing");
    await page.setViewportSize({ width: 360, height: 1400 });
    await until("it fits a phone", () =>
      page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
    );
    await shoot("shared-phone");
    await page.setViewportSize({ width: 1280, height: 1400 });

    // changing only the fragment would not load a new document
    const visit = async (to: string) => {
      await page.goto("about:blank");
      await page.goto(world.url + to);
    };
    await visit(`/shared?sourceId=${empty.sourceId}#token=${await tokenFor(empty.sourceId)}`);
    await look("shared-empty", "No events yet");
    await visit(`/shared?sourceId=${source.sourceId}`);
    await look("shared-part", "Incomplete link");
    await visit(`/shared?sourceId=${empty.sourceId}#token=${token}`);
    await look("shared-other", "Wrong source");
    assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);

    const pasted = await tokenFor(empty.sourceId);
    await page.evaluate((hash) => Object.assign(location, { hash }), `#token=${pasted}`);
    await page.getByText("No events yet").waitFor();
    await page.evaluate(() => Object.assign(location, { hash: "" }));
    await page.getByText("Incomplete link").waitFor();

    await open(lastDays(source));
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await look("share-panel", HOSTILE.slice(0, 100));
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: "Export", exact: true }).click();
    await look("export-panel", "events from");
    await page.setViewportSize({ width: 360, height: 1400 });
    await shoot("export-panel-phone");
    assert.deepEqual(found, []);
    assert.equal(await page.evaluate("window.ran"), undefined, "no script in the data has run");
  },
);

consoleTest(
  "Share needs the permission to manage tokens, and Export the permission to export.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    const sessionId = await world.openSession(source);
    await world.send(eventsPath(source), eventsBody(sessionId, [pageEvent()]));
    for (const [role, offered] of [
      ["viewer", []],
      ["developer", ["Export"]],
      ["admin", ["Export", "Share"]],
    ] as const) {
      await open(`/analytics/stats?sourceId=${source.sourceId}`, await memberToken(world, role));
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByLabel("Time zone").waitFor();
      const found = [];
      for (const name of ["Export", "Share"])
        if (await page.getByRole("button", { name, exact: true }).isVisible()) found.push(name);
      assert.deepEqual(found, offered, role);
    }
  },
);

consoleStatsTest(
  "A share link with a password asks for it, once per tab, and never keeps the token.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource({ name: "Shop" });
    await visits(world, source, shopVisits());
    await open(lastDays(source));
    await headline(page, "Page views", "3").waitFor();
    const link = await makeLink(page, "Board", "correct horse");
    await page.getByRole("region", { name: "Links" }).getByText("Password required").waitFor();
    const [guest] = await guestOf(link);
    const password = guest.getByLabel("Password", { exact: true });
    await password.fill("wrong horse");
    await guest.getByRole("button", { name: "Show stats" }).click();
    await guest.getByText("The password is wrong.").waitFor();
    for (const { colorScheme, rules } of SCHEMES) {
      await guest.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousFindings(guest, rules), []);
    }
    await shoot("share-panel-password");
    if (process.env.CONSOLE_SHOTS)
      await guest.screenshot({ path: `${process.env.CONSOLE_SHOTS}/link-password.png` });
    await password.fill("correct horse");
    await guest.getByRole("button", { name: "Show stats" }).click();
    await headline(guest, "Page views", "3").waitFor();
    await guest.reload();
    await headline(guest, "Page views", "3").waitFor();
    const token = new URLSearchParams(new URL(link).hash.slice(1)).get("token")!;
    const kept = await guest.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
    assert.ok(!kept.includes(token), "the token is not stored");
    await guest.context().close();
  },
);
