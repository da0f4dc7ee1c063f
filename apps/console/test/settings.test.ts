/** A source's settings: what is typed stays until it is saved, and only what was changed is. */
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
  "What is typed outlives the saving of the other form and the switch, and what another tab saved stays.",
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource({ name: "Before" });
    const read = async () => (await world.ask(`/api/tracking-sources/${sourceId}`)).body;
    await open(`/sources/settings?sourceId=${sourceId}`);
    const [form, limits] = [
      page.getByRole("form", { name: "The source" }),
      page.getByRole("form", { name: "Limits" }),
    ];
    await form.getByLabel("Name").fill("After");
    await limits.getByLabel("Events in a batch").fill("7");
    // another tab
    assert.equal((await change(world, sourceId, { slug: "elsewhere", bots: "keep" })).status, 200);

    await limits.getByRole("button", { name: "Save limits" }).click();
    await limits.getByText("Saved").waitFor();
    assert.equal(await focused(page), "Save limits");
    assert.equal(await form.getByLabel("Name").inputValue(), "After");
    await page.getByRole("button", { name: "Switch off" }).click();
    await page.getByRole("button", { name: "Switch on" }).waitFor();
    assert.equal(await form.getByLabel("Name").inputValue(), "After");
    assert.equal(await form.getByLabel("Slug").inputValue(), "elsewhere", "nobody has touched it");

    assert.equal((await change(world, sourceId, { requireOrigin: false })).status, 200);
    await form.getByRole("button", { name: "Save", exact: true }).press("Enter");
    await form.getByText("Saved").waitFor();
    assert.equal(await focused(page), "Save");
    const { name, slug, requireOrigin, isActive, limits: kept } = await read();
    assert.deepEqual(
      [name, slug, requireOrigin, isActive, kept.maxBatchSize],
      ["After", "elsewhere", false, false, 7],
    );
  },
);

consoleTest(
  "A form is sent once however often it is pressed, and every change takes its word back.",
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource();
    let sent = 0;
    page.on("request", (request) => {
      if (request.method() === "PATCH") sent += 1;
    });
    await open(`/sources/settings?sourceId=${sourceId}`);
    const form = page.getByRole("form", { name: "The source" });
    await form.getByLabel("Name").fill("Twice");
    await form.evaluate((element: HTMLFormElement) => {
      element.requestSubmit();
      element.requestSubmit();
    });
    await form.getByText("Saved").waitFor();
    assert.equal(sent, 1);
    const wordGone = () => form.getByText("Saved").waitFor({ state: "detached" });
    await form.getByRole("button", { name: "Add another" }).click();
    await wordGone();
    await form.getByRole("textbox", { name: "Origin 2" }).fill("https://two.example/path");
    await form.getByRole("button", { name: "Did you mean https://two.example?" }).click();
    await form.getByRole("button", { name: "Save", exact: true }).click();
    await form.getByText("Saved").waitFor();
    await form.getByRole("button", { name: "Remove origin 2" }).click();
    await wordGone();
  },
);
