/** Workspaces, the setup checklist and the support page. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import {
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  ORGANIZATION_ID,
  trackEvent,
} from "../../server/test/support/world.ts";
import { consoleTest } from "./console-world.ts";
import { memberToken } from "./seed.ts";

consoleTest(
  "A new workspace is created and opened; a token limited to one workspace shows why it cannot create one.",
  async ({ world, page, open }) => {
    await open("/sources");
    await page.getByRole("link", { name: "New workspace" }).click();
    await page.getByLabel("Name").fill("Second");
    await page.getByRole("button", { name: "Create workspace", exact: true }).click();
    await page.getByRole("heading", { name: "No sources yet" }).waitFor();
    assert.equal(await page.locator("select option:checked").first().textContent(), "Second");
    const { body } = await world.ask("/api/organizations");
    assert.deepEqual(
      body.organizations.map(({ name }: { name: string }) => name),
      ["Second", "My workspace"],
    );

    await open("/workspaces/new", await memberToken(world, "admin"));
    await page.getByLabel("Name").fill("Third");
    await page.getByRole("button", { name: "Create workspace", exact: true }).click();
    await page.getByText("This token can access one workspace only, so it cannot create another.").waitFor();
  },
);

consoleTest(
  "A token that can only send the events of a source is created on the page Tokens, and listed with that limit.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await open("/tokens");
    await page.getByLabel("Label").fill("Shop server");
    await page.getByLabel("Access").selectOption("Send events of a source");
    await page.getByLabel("Source", { exact: true }).selectOption("Shop");
    await page.getByRole("button", { name: "Create token" }).click();
    await page.getByText(`Send events of ${source.sourceId} only`).waitFor();
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
  },
);

consoleTest(
  "Switching the workspace on a source's page opens that workspace, even one that was open before.",
  async ({ world, page, open }) => {
    const made = await world.ask("/api/organizations", { method: "POST", body: { name: "Second" } });
    assert.equal(made.status, 201);
    await world.createSource();
    await open("/sources");
    const workspace = page.getByLabel("Workspace", { exact: true });
    const source = page.getByRole("link", { name: "Shop", exact: true });
    const none = page.getByRole("heading", { name: "No sources yet" });
    await workspace.selectOption("Second");
    await none.waitFor();
    await workspace.selectOption("My workspace");
    await source.click();
    await page.getByRole("heading", { name: "Shop", exact: true }).waitFor();
    await workspace.selectOption("Second");
    await none.waitFor();
    assert.equal(await workspace.locator("option:checked").textContent(), "Second");
    await page.goBack();
    await page.getByRole("heading", { name: "Shop", exact: true }).waitFor();
    await workspace.locator("option:checked", { hasText: "My workspace" }).waitFor({ state: "attached" });
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
    assert.equal(await page.locator("select option:checked").first().textContent(), "First of mine");

    await answer(200, { organizations: [] });
    await page.reload();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  },
);

consoleTest(
  "The setup checklist updates by itself until a permitted user dismisses it.",
  async ({ world, page, open, shoot }) => {
    await open("/sources");
    const setUp = page.getByRole("region", { name: "Setup" });
    const done = setUp.locator("li[data-done]");
    await setUp.getByText("Create a source").waitFor();
    assert.equal(await done.count(), 0);
    await shoot("set-up-begun");
    const source = await world.createSource();
    const opened = await world.send(bootstrapPath(source), bootstrapBody());
    await page.reload();
    await done.nth(1).waitFor();
    assert.equal(await done.count(), 2);
    await world.send(eventsPath(source), eventsBody(opened.body.sessionId, [trackEvent()]));
    await setUp.getByRole("heading", { name: "Setup complete" }).waitFor();
    await shoot("set-up-done");

    await open("/sources", await memberToken(world, "viewer"));
    await page.getByRole("link", { name: "Shop", exact: true }).waitFor();
    assert.equal(await setUp.count(), 0, "a viewer cannot complete it");

    await open("/sources", await memberToken(world, "developer"));
    await setUp.getByRole("button", { name: "Dismiss" }).click();
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
    const settings = page.getByRole("region", { name: "Settings", exact: true });
    await settings.getByRole("rowheader", { name: "MAX_BATCH_SIZE" }).waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download support bundle" }).click();
    const bundle = JSON.parse(await readFile((await (await download).path())!, "utf8"));
    const { body } = await world.ask(`/api/support?organizationId=${ORGANIZATION_ID}`);
    assert.deepEqual([bundle.version, bundle.settings], [body.version, body.settings]);
    await open("/support", await memberToken(world, "developer"));
    await page.getByRole("heading", { name: "You don’t have access" }).waitFor();
  },
);
