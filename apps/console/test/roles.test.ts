/** Each role sees only what it may do, and the API refuses the rest. */
import assert from "node:assert/strict";
import {
  eventsBody,
  eventsPath,
  ORGANIZATION_ID,
  OWNER_TOKEN,
  refused,
  trackEvent,
} from "../../server/test/support/world.ts";
import { consoleTest, openSection } from "./console-world.ts";
import { memberToken, seed } from "./seed.ts";

const ALL_PAGES = ["Sources", "Team", "Tokens", "Audit log", "Usage", "Support"];

interface RoleCase {
  readonly role: string;
  readonly pages: readonly string[];
  readonly tabs: readonly string[];
  readonly mayCreate: boolean;
  /** The buttons of the settings page; null when the role has no access. */
  readonly settings: readonly string[] | null;
  readonly refusals: number;
}

const WRITE = ["Add origin", "Add embedding site"];
const ROLES: readonly RoleCase[] = [
  {
    role: "viewer",
    pages: ["Sources"],
    tabs: ["Stats", "Install", "Delivery"],
    mayCreate: false,
    settings: null,
    refusals: 4,
  },
  {
    role: "developer",
    pages: ["Sources"],
    tabs: ["Stats", "Install", "Debug", "Events", "Delivery", "Settings"],
    mayCreate: true,
    settings: [...WRITE, "Add goal", "Deactivate"],
    refusals: 2,
  },
  {
    role: "admin",
    pages: ALL_PAGES,
    tabs: ["Stats", "Install", "Debug", "Events", "Delivery", "Settings"],
    mayCreate: true,
    settings: [...WRITE, "Copy", "Rotate", "Add goal", "Erase", "Deactivate", "Delete"],
    refusals: 0,
  },
];

consoleTest(
  "Each role sees the actions it may do; other pages explain the missing permission.",
  async (started) => {
    const { world, page, open, shoot } = started;
    const { sourceId } = await seed(world);
    for (const { role, pages, tabs, mayCreate, settings, refusals } of ROLES) {
      const token = await memberToken(world, role);
      await open("/sources", token);
      const navigation = page.getByRole("navigation", { name: "Pages", exact: true });
      await navigation.waitFor();
      await page.getByRole("columnheader", { name: "Status" }).waitFor();
      assert.deepEqual(await navigation.getByRole("link").allTextContents(), pages, role);
      assert.equal(await page.getByRole("link", { name: "Create source" }).isVisible(), mayCreate, role);

      await open(`/sources/settings?sourceId=${sourceId}`, token);
      const own = page.getByRole("navigation", { name: "Source pages" });
      await own.waitFor();
      assert.deepEqual(await own.getByRole("link").allTextContents(), tabs, role);
      const switcher = page.getByRole("button", { name: "Switch source" });
      const buttons = page
        .getByRole("main")
        .getByRole("button")
        .and(page.locator(":not([aria-label='Switch source'])"));
      assert.equal(await switcher.isVisible(), true, role);
      const isRefused = page.getByRole("heading", { name: "You do not have access" });
      await isRefused.or(page.getByRole("button", { name: "Add origin" })).waitFor();
      assert.equal(await isRefused.isVisible(), settings === null, role);
      const names: string[] = [];
      const sections = page.getByRole("navigation", { name: "Sections" }).getByRole("link");
      for (const title of await sections.allTextContents()) {
        await openSection(page, title);
        names.push(...(await buttons.allTextContents()));
      }
      assert.deepEqual(names, settings ?? [], role);
      await shoot(`settings-of-${role}`);

      await open("/audit", token);
      await isRefused.or(page.getByText("Source created")).first().waitFor();
      assert.equal(await isRefused.isVisible(), !pages.includes("Audit log"), role);

      const forced = [
        {
          method: "PATCH",
          path: `/api/tracking-sources/${sourceId}`,
          body: { organizationId: ORGANIZATION_ID },
        },
        { path: `/api/tracking-sources/${sourceId}/debug` },
        { path: `/api/audit?organizationId=${ORGANIZATION_ID}` },
        { method: "POST", path: `/api/tracking-sources/${sourceId}/regenerate-key` },
      ];
      const replies = await Promise.all(forced.map(({ path, ...ask }) => world.ask(path, { token, ...ask })));
      const refusedReplies = replies.filter(({ status }) => status !== 200);
      for (const reply of refusedReplies) refused(reply, 403, "permission_denied");
      assert.equal(refusedReplies.length, refusals, role);
    }
  },
);

consoleTest(
  "A viewer sees the first event arrive without access to attempts.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    const token = await memberToken(world, "viewer");
    await open(`/analytics/setup/install?sourceId=${source.sourceId}`, token);
    await page.getByText("Waiting for the first event").waitFor();
    const sessionId = await world.openSession(source);
    await world.send(eventsPath(source), eventsBody(sessionId, [trackEvent()]));
    await page.getByText("Receiving events").waitFor();
  },
);

consoleTest(
  "After a sign-out or a revoked token the sign-in page opens, and signing in returns to the previous page.",
  async ({ world, page, open }) => {
    const token = await memberToken(world, "admin");
    await open("/tokens", token);
    await page.getByRole("button", { name: "Revoke admin" }).waitFor();
    const { body } = await world.ask(`/api/tokens?organizationId=${ORGANIZATION_ID}`);
    const { tokenId } = body.tokens.find(({ label }: { label: string }) => label === "admin");
    await world.ask(`/api/tokens/${tokenId}?organizationId=${ORGANIZATION_ID}`, { method: "DELETE" });
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByText("You have been signed out").waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.getItem("headwater.token")), null);

    await page.getByText("Use an access token").click();
    await page.getByText("An owner or admin can create one on the Tokens page.").waitFor();
    await page.getByLabel("Access token").fill("hwt_wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("The bearer token is unknown.").waitFor();
    await page.getByText("Check that you copied the whole token, or sign in with a link.").waitFor();

    await page.getByLabel("Access token").fill(OWNER_TOKEN);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Audit log" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    const kept = await page.evaluate(() => Object.keys(sessionStorage));
    assert.deepEqual(
      kept.filter((key) => key.startsWith("headwater")),
      [],
    );
  },
);
