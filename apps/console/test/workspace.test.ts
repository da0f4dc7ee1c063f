/** The rooms around the sources: another workspace, how far the set-up is, what to attach to a report. */
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
  "Another workspace is made and opened; a token of one workspace is told why it makes none.",
  async ({ world, page, open }) => {
    await open("/sources");
    await page.getByRole("link", { name: "New workspace" }).click();
    await page.getByLabel("Name").fill("Second");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "No source yet" }).waitFor();
    assert.equal(await page.locator("select option:checked").first().textContent(), "Second");
    const { body } = await world.ask("/api/organizations");
    assert.deepEqual(
      body.organizations.map(({ name }: { name: string }) => name),
      ["My workspace", "Second"],
    );

    await open("/workspaces/new", await memberToken(world, "admin"));
    await page.getByLabel("Name").fill("Third");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByText("This token opens one workspace and makes no others.").waitFor();
  },
);

consoleTest(
  "Whoever chooses another workspace on a page of a source is in it, also in one where they were before.",
  async ({ world, page, open }) => {
    const made = await world.ask("/api/organizations", { method: "POST", body: { name: "Second" } });
    assert.equal(made.status, 201);
    await world.createSource();
    await open("/sources");
    const workspace = page.getByLabel("Workspace", { exact: true });
    const source = page.getByRole("link", { name: "Shop", exact: true });
    const none = page.getByRole("heading", { name: "No source yet" });
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
  "Where the workspaces do not come, or there is none, the page says so and offers the ways out.",
  async ({ page, open, shoot }) => {
    const organizations = "**/api/organizations";
    const isRead = (method: string) => method === "GET";
    const answer = (status: number, body: object) =>
      page.route(organizations, (route) =>
        isRead(route.request().method()) ? route.fulfill({ status, json: body }) : route.fallback(),
      );
    await answer(500, { code: "internal_error", message: "It broke.", hint: "", retryable: false });
    await open("/team");
    await page.getByRole("heading", { name: "Your workspaces cannot be shown" }).waitFor();
    await page.getByText("Headwater", { exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: "New workspace" }).count(), 0);
    await page.unroute(organizations);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Team" }).waitFor();

    await answer(200, { organizations: [] });
    await open("/team");
    await page.getByRole("heading", { name: "You are in no workspace" }).waitFor();
    await page.getByRole("button", { name: "New workspace" }).click();
    await page.getByLabel("Name").fill("First of mine");
    await shoot("no-workspace");
    await page.unroute(organizations);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "Team" }).waitFor();
    assert.equal(await page.locator("select option:checked").first().textContent(), "First of mine");

    await answer(200, { organizations: [] });
    await page.reload();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  },
);

consoleTest(
  "The set-up goes on by itself as things happen, until somebody who may says that it is done.",
  async ({ world, page, open, shoot }) => {
    await open("/sources");
    const setUp = page.getByRole("region", { name: "Set-up" });
    const done = setUp.locator("li[data-done]");
    await setUp.getByText("A source is created").waitFor();
    assert.equal(await done.count(), 0);
    await shoot("set-up-begun");
    const source = await world.createSource();
    const opened = await world.send(bootstrapPath(source), bootstrapBody());
    await page.reload();
    await done.nth(1).waitFor();
    assert.equal(await done.count(), 2);
    await world.send(eventsPath(source), eventsBody(opened.body.sessionId, [trackEvent()]));
    await setUp.getByRole("heading", { name: "The set-up is done" }).waitFor();
    await shoot("set-up-done");

    await open("/sources", await memberToken(world, "viewer"));
    await page.getByRole("link", { name: "Shop", exact: true }).waitFor();
    assert.equal(await setUp.count(), 0, "a viewer cannot complete it");

    await open("/sources", await memberToken(world, "developer"));
    await setUp.getByRole("button", { name: "Show this no more" }).click();
    await setUp.waitFor({ state: "detached" });
    const { body } = await world.ask(`/api/onboarding?organizationId=${ORGANIZATION_ID}`);
    assert.equal(body.completed, true);
  },
);

consoleTest(
  "Support shows the version, health and settings, and gives the bundle as a file, without a secret.",
  async ({ world, page, open }) => {
    await open("/support");
    await page.getByText("The service is ready").waitFor();
    const settings = page.getByRole("region", { name: "Settings", exact: true });
    await settings.getByRole("rowheader", { name: "MAX_BATCH_SIZE" }).waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download the bundle" }).click();
    const bundle = JSON.parse(await readFile((await (await download).path())!, "utf8"));
    const { body } = await world.ask(`/api/support?organizationId=${ORGANIZATION_ID}`);
    assert.deepEqual([bundle.version, bundle.settings], [body.version, body.settings]);
    await open("/support", await memberToken(world, "developer"));
    await page.getByRole("heading", { name: "Your role does not show this" }).waitFor();
  },
);
