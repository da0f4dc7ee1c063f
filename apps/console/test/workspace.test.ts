/** Workspaces, the setup checklist and the support page. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import {
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  ORGANIZATION_ID,
  trackEvent,
} from "../../server/test/support/world.ts";
import { describeSetting, groupSettings } from "../src/pages/workspace/setting-groups.ts";
import { monthRows, roundUp, searchUsage } from "../src/pages/workspace/usage-rows.ts";
import { formatWholePercent } from "../src/ui/format-count.ts";
import { seriousFindings } from "./accessibility.ts";
import { consoleTest, openWorkspace, workspaceMenu, workspaceOpened } from "./console-world.ts";
import { memberToken } from "./seed.ts";

consoleTest(
  "A new workspace is created and opened; a token limited to one workspace shows why it cannot create one.",
  async ({ world, page, open }) => {
    await open("/sources");
    await workspaceMenu(page).click();
    await page.getByRole("link", { name: "Create workspace" }).click();
    await page.getByRole("heading", { name: "Create workspace" }).waitFor();
    await page.getByRole("button", { name: "Create workspace", exact: true }).click();
    await page.getByText("Enter a name.").waitFor();
    await page.getByLabel("Name").fill("Second");
    await page.getByRole("button", { name: "Create workspace", exact: true }).click();
    await page.getByRole("heading", { name: "See who visits your site" }).waitFor();
    await workspaceOpened(page, "Second");
    const { body } = await world.ask("/api/organizations");
    assert.deepEqual(
      body.organizations.map(({ name }: { name: string }) => name),
      ["Second", "My workspace"],
    );

    await open("/workspaces/new", await memberToken(world, "admin"));
    await page.getByLabel("Name").fill("Third");
    await page.getByRole("button", { name: "Create workspace", exact: true }).click();
    await page.getByText("Only a person who is signed in can do this. An access token cannot.").waitFor();
  },
);

consoleTest(
  "A token that can only send the events of a source is created on the page Tokens, and listed with that limit.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await open("/tokens");
    await page.getByRole("button", { name: "Create token" }).click();
    assert.deepEqual(await seriousFindings(page), []);
    await page.getByText("Owner: Can do everything, including managing other owners.").waitFor();
    await page.getByLabel("Label").fill("Shop server");
    await page.getByLabel("Access", { exact: true }).selectOption("Send events for a source");
    await page.getByText("Can only send events of the chosen source.").waitFor();
    await page.getByLabel("Source", { exact: true }).selectOption("Shop");
    await page.getByRole("dialog").getByRole("button", { name: "Create token" }).click();
    await page.getByText("Sends events only").waitFor();
    await shoot("server-token");
    await page.getByRole("button", { name: "Copy token" }).click();
    await page.getByText("Copied").waitFor();
    const token = await page.evaluate(() => navigator.clipboard.readText());
    const reply = await world.ask(bootstrapPath(source), {
      method: "POST",
      token: null,
      body: bootstrapBody(),
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(reply.status, 200, reply.text);
    const inUse = page.getByRole("row").filter({ hasText: "This browser" });
    assert.deepEqual(await inUse.getByRole("button").allTextContents(), ["End"]);
    assert.match((await inUse.textContent()) ?? "", /^You This browser/);
    const made = page.getByRole("row").filter({ hasText: "Shop server" });
    // its id until the sources are loaded
    await made.getByText("Shop", { exact: true }).waitFor();
    assert.match(
      (await made.textContent()) ?? "",
      new RegExp(`…${token.slice(-4)} · Sends events only.*Shopjust now`),
    );
    assert.equal(await page.getByRole("columnheader", { name: "Created" }).count(), 1);
    const groups = page.getByRole("main").getByRole("heading", { level: 2 });
    assert.deepEqual(await groups.allTextContents(), ["Access tokens", "Browser sessions"]);

    await page.getByRole("button", { name: "Revoke Shop server" }).click();
    await page.getByRole("button", { name: "Revoke token", exact: true }).click();
    await made.getByText("Revoked", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Copy token" }).waitFor({ state: "detached" });
  },
);

consoleTest(
  "Switching the workspace on a source's page opens that workspace, even one that was open before.",
  async ({ world, page, open }) => {
    await world.workspace();
    await world.createSource();
    await open("/sources");
    const source = page.getByRole("link", { name: "Shop", exact: true });
    const none = page.getByRole("heading", { name: "See who visits your site" });
    await openWorkspace(page, "Second");
    await none.waitFor();
    await openWorkspace(page, "My workspace");
    await source.click();
    await page.getByRole("heading", { name: "Shop", exact: true }).waitFor();
    await openWorkspace(page, "Second");
    await none.waitFor();
    await workspaceOpened(page, "Second");
    await page.goBack();
    await page.getByRole("heading", { name: "Shop", exact: true }).waitFor();
    await workspaceOpened(page, "My workspace");
  },
);

consoleTest(
  "When workspaces fail to load or there are none, the page explains it and offers actions.",
  async ({ page, open, shoot }) => {
    const organizations = "**/api/organizations";
    const isRead = (method: string) => method === "GET";
    const answer = (status: number, body: object) =>
      page.route(organizations, (route) =>
        isRead(route.request().method()) ? route.fulfill({ status, json: body }) : route.fallback(),
      );
    await answer(500, { code: "internal_error", message: "It broke.", hint: "", retryable: false });
    await open("/team");
    await page.getByRole("heading", { name: "Could not load your workspaces" }).waitFor();
    await page.getByText("Headwater", { exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: "New workspace" }).count(), 0);
    await page.unroute(organizations);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Team" }).waitFor();

    await answer(200, { organizations: [] });
    await open("/team");
    await page.getByRole("heading", { name: "No workspace" }).waitFor();
    await page.getByRole("button", { name: "New workspace" }).click();
    await page.getByLabel("Name").fill("First of mine");
    await shoot("no-workspace");
    await page.unroute(organizations);
    await page.getByRole("button", { name: "Create workspace", exact: true }).click();
    await page.getByRole("heading", { name: "Team" }).waitFor();
    await workspaceOpened(page, "First of mine");

    await answer(200, { organizations: [] });
    await page.reload();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  },
);

consoleTest(
  "The setup checklist updates by itself, and leaves when a permitted user dismisses it.",
  async ({ world, page, open, shoot }) => {
    await open("/sources");
    const setUp = page.getByRole("region", { name: "Setup" });
    const done = setUp.locator("li[data-done]");
    await page.getByRole("heading", { name: "See who visits your site" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "Create source" }).count(), 1);
    const dismiss = setUp.getByRole("button", { name: "Dismiss" });
    assert.equal(await dismiss.count(), 0, "there is nothing else on the page");
    await shoot("set-up-begun");
    const source = await world.createSource();
    await page.reload();
    await setUp.getByRole("link", { name: "Open a page with the snippet" }).click();
    await page.waitForURL((url) => url.pathname === "/analytics/setup/install");
    await world.send(bootstrapPath(source), bootstrapBody());
    await open("/sources");
    await done.nth(1).waitFor();
    assert.equal(await done.count(), 2);
    await setUp.getByRole("link", { name: "Receive the first event" }).waitFor();

    await open("/sources", await memberToken(world, "viewer"));
    await page.getByRole("link", { name: "Shop", exact: true }).waitFor();
    assert.equal(await setUp.count(), 0, "a viewer cannot complete it");

    await open("/sources", await memberToken(world, "developer"));
    await dismiss.click();
    await setUp.waitFor({ state: "detached" });
    const { body } = await world.ask(`/api/onboarding?organizationId=${ORGANIZATION_ID}`);
    assert.equal(body.completed, true);
  },
);

consoleTest(
  "The support page shows version, health and settings, and downloads the bundle without secrets.",
  async ({ world, page, open }) => {
    await open("/support");
    await page.getByText("Service is ready").waitFor();
    const reference = page.getByRole("link", { name: "API reference" });
    assert.equal(await reference.getAttribute("href"), `${world.url}/docs`);
    const settings = page.getByRole("region", { name: "Settings", exact: true });
    await settings.getByRole("rowheader", { name: "DATA_DIR" }).waitFor();
    const limit = settings.getByRole("rowheader", { name: "MAX_BATCH_SIZE" });
    assert.equal(await limit.isVisible(), false, "the other groups are closed");
    await settings.getByText("Limits (").click();
    await limit.waitFor();
    await settings.getByRole("cell", { name: "0 (no limit)" }).first().waitFor();
    await settings.getByText("Storage (").click();
    await settings.getByRole("cell", { name: "1,073,741,824 (1 GiB)" }).first().waitFor();
    const notSet = settings.getByRole("rowheader", { name: "SMTP_URL" });
    assert.equal(await notSet.isVisible(), false);
    await settings.getByText("Not set (").click();
    await notSet.waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download support bundle" }).click();
    const bundle = JSON.parse(await readFile((await (await download).path())!, "utf8"));
    const { body } = await world.ask(`/api/support?organizationId=${ORGANIZATION_ID}`);
    assert.deepEqual([bundle.version, bundle.settings], [body.version, body.settings]);
    await open("/support", await memberToken(world, "developer"));
    await page.getByRole("heading", { name: "You do not have access" }).waitFor();
  },
);

test("Every setting is in a group: changed ones are in the first, those without a value in the last.", () => {
  const settings = {
    PORT: 8790,
    HOST: "0.0.0.0",
    SMTP_URL: null,
    NEW_THING: "x",
    OIDC_NAME: "SSO",
    ACCESS_LOG: "off",
  };
  const groups = groupSettings(settings, ["HOST"]);
  assert.deepEqual(
    groups.map(({ title, rows }) => [title, ...rows.map(([name]) => name)]),
    [
      ["Changed from the defaults", "HOST"],
      ["Server", "PORT", "NEW_THING"],
      ["Access", "OIDC_NAME"],
      ["Logs and traces", "ACCESS_LOG"],
      ["Not set", "SMTP_URL"],
    ],
  );
  assert.deepEqual(describeSetting("PORT", "8790"), { text: "8790", note: null });
});

test("Usage by day is summed by month; a month without usage has a row of zeros.", () => {
  const counts = { sourceId: "s", accepted: 2, bootstraps: 1, bytes: 100 };
  const days = [
    { day: "2026-01-30", ...counts },
    { day: "2026-03-01", ...counts },
    { day: "2026-03-01", ...counts, sourceId: "t" },
  ];
  const eventsPerDay = 10;
  const usage = { organizationId: "o", from: "2026-01-30", to: "2026-03-02", ...counts, accepted: 6, days };
  assert.deepEqual(monthRows(usage, eventsPerDay), [
    ["Month", "Accepted events", "Quota", "Bootstraps", "Bytes received"],
    ["2026-01", 2, 20, 1, 100],
    ["2026-02", 0, 280, 0, 0],
    ["2026-03", 4, 20, 2, 200],
  ]);
  const names = new Map([["t", "Shop"]]);
  const found = searchUsage(usage, names, " SHOP");
  assert.deepEqual(
    [found.accepted, found.bytes, found.days.map(({ sourceId }) => sourceId)],
    [2, 100, ["t"]],
  );
});

test("A share of a quota is rounded, but less than all is never 100%; the axis ends at a round number.", () => {
  assert.deepEqual([0, 0.001, 0.236, 0.29, 0.999, 1, 1.5].map(formatWholePercent), [
    "0%",
    "<1%",
    "24%",
    "29%",
    "99%",
    "100%",
    "150%",
  ]);
  assert.deepEqual(
    [1, 7, 10, 11, 999, 1181, 2000, 26_000].map(roundUp),
    [1, 8, 10, 12, 1000, 1200, 2000, 30_000],
  );
});

consoleTest(
  "The usage page shows the quota, the usage by day and by month, and downloads what it shows.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await world.openSession(source);
    await page.route("**/api/billing*", async (route) => {
      const answer = await (await route.fetch()).json();
      const limits = { ...answer.limits, eventsPerDay: 2 };
      await route.fulfill({ json: { ...answer, limits } });
    });
    const sessionId = await world.openSession(source);
    await world.send(eventsPath(source), eventsBody(sessionId, [trackEvent(), trackEvent()]));
    await open("/usage");
    const today = page.getByRole("region", { name: "Today" });
    await today.getByText("Today (UTC): 2 of 2 accepted events").waitFor();
    await today.getByText("100%").waitFor();
    await page.getByText("Quota: 2 per day").waitFor();
    const bySource = page.getByRole("region", { name: "Usage by source", exact: true });
    const byDay = page.getByRole("region", { name: "Usage by source and day" });
    await bySource.getByRole("row").filter({ hasText: "Shop" }).waitFor();
    assert.equal(await page.getByText("Show days").count(), 0, "its only row is that of the source");
    const save = async () => {
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Download CSV" }).click();
      return (await readFile((await (await download).path())!, "utf8")).split("\r\n");
    };
    const day = new Date().toISOString().slice(0, 10);
    assert.match((await save())[1]!, new RegExp(`^${day},${source.sourceId},Shop,2,`));
    const search = page.getByRole("searchbox", { name: "Search sources" });
    await page.keyboard.press("/");
    await search.pressSequentially("blog");
    await page.getByText("No source with usage in this range matches “blog”").waitFor();
    await search.fill("sho");
    await bySource.getByRole("row").filter({ hasText: "Shop" }).waitFor();
    assert.equal(await page.getByText("Quota: 2 per day").count(), 0, "the quota is that of the workspace");
    await search.fill("");
    await page.getByRole("heading", { name: "Usage" }).click();
    await page.keyboard.press("r");
    await page.getByRole("button", { name: "Last 12 months" }).click();
    const byMonth = page.getByRole("region", { name: "Usage by month" });
    await byMonth.waitFor();
    assert.equal(new URL(page.url()).search, "?range=12m");
    assert.equal(await byMonth.getByRole("row").count(), 13);
    await shoot("usage-months");
    const months = await save();
    assert.equal(months.length, 13);
    assert.match(months[12]!, new RegExp(`^${day.slice(0, 7)},2,${2 * Number(day.slice(8))},`));

    await world.openSession(await world.createSource({ name: "Blog" }));
    await open("/usage");
    await page.getByText("Show days").waitFor();
    assert.equal(await byDay.count(), 0, "the days are closed at first");
    await page.getByText("Show days").click();
    await byDay.getByRole("row").filter({ hasText: "Blog" }).waitFor();
    assert.equal(await byDay.getByRole("row").count(), 3);
    await shoot("usage-days");
  },
);
