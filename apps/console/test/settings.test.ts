/** The settings of a source: input is kept until it is saved, and only changed fields are sent. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { ORGANIZATION_ID, type World } from "../../server/test/support/world.ts";
import { consoleTest } from "./console-world.ts";

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);
const change = (world: World, sourceId: string, body: object) =>
  world.ask(`/api/tracking-sources/${sourceId}`, {
    method: "PATCH",
    body: { organizationId: ORGANIZATION_ID, ...body },
  });

consoleTest(
  "Unsaved input survives saving another form, and changes from another tab are not overwritten.",
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource({ name: "Before" });
    const read = async () => (await world.ask(`/api/tracking-sources/${sourceId}`)).body;
    await open(`/sources/settings?sourceId=${sourceId}`);
    const [form, limits] = [
      page.getByRole("form", { name: "General" }),
      page.getByRole("form", { name: "Limits" }),
    ];
    await form.getByLabel("Name").fill("After");
    await limits.getByLabel("Events per batch").fill("7");
    // a change from another tab
    assert.equal((await change(world, sourceId, { slug: "elsewhere", bots: "keep" })).status, 200);

    await limits.getByRole("button", { name: "Save limits" }).click();
    await limits.getByText("Saved").waitFor();
    assert.equal(await focused(page), "Save limits");
    assert.equal(await form.getByLabel("Name").inputValue(), "After");
    await page.getByRole("button", { name: "Deactivate", exact: true }).click();
    await page.getByRole("button", { name: "Activate", exact: true }).waitFor();
    assert.equal(await form.getByLabel("Name").inputValue(), "After");
    assert.equal(
      await form.getByLabel("Slug").inputValue(),
      "elsewhere",
      "the field shows the change from the other tab",
    );

    assert.equal((await change(world, sourceId, { requireOrigin: true })).status, 200);
    await form.getByRole("button", { name: "Save", exact: true }).press("Enter");
    await form.getByText("Saved").waitFor();
    assert.equal(await focused(page), "Save");
    const { name, slug, requireOrigin, isActive, limits: kept } = await read();
    assert.deepEqual(
      [name, slug, requireOrigin, isActive, kept.maxBatchSize],
      ["After", "elsewhere", true, false, 7],
    );
  },
);

consoleTest(
  'A form submitted twice is sent once, and every edit removes the "Saved" message.',
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource();
    let sent = 0;
    page.on("request", (request) => {
      if (request.method() === "PATCH") sent += 1;
    });
    await open(`/sources/settings?sourceId=${sourceId}`);
    const form = page.getByRole("form", { name: "General" });
    await form.getByLabel("Name").fill("Twice");
    await form.evaluate((element: HTMLFormElement) => {
      element.requestSubmit();
      element.requestSubmit();
    });
    await form.getByText("Saved").waitFor();
    assert.equal(sent, 1);
    const wordGone = () => form.getByText("Saved").waitFor({ state: "detached" });
    await form.getByRole("button", { name: "Add origin" }).click();
    await wordGone();
    await form.getByRole("textbox", { name: "Origin 2" }).fill("https://two.example/path");
    await form.getByRole("button", { name: "Did you mean https://two.example?" }).click();
    await form.getByRole("button", { name: "Save", exact: true }).click();
    await form.getByText("Saved").waitFor();
    await form.getByRole("button", { name: "Remove origin 2" }).click();
    await wordGone();
  },
);
