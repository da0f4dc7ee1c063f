/** The settings of a source: input is kept until it is saved, and only changed fields are sent. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { ORGANIZATION_ID, type World } from "../../server/test/support/world.ts";
import { consoleTest } from "./console-world.ts";

const focusedName = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
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
    assert.equal(await focusedName(page), "Save limits");
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
    await form.getByRole("button", { name: "Save general settings" }).press("Enter");
    await form.getByText("Saved").waitFor();
    assert.equal(await focusedName(page), "Save general settings");
    const { name, slug, requireOrigin, isActive, limits: kept } = await read();
    assert.deepEqual(
      [name, slug, requireOrigin, isActive, kept.maxBatchSize],
      ["After", "elsewhere", true, false, 7],
    );
  },
);

consoleTest(
  "The general settings say for how many days a source keeps rejected events.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await world.createSource();
    await open(`/sources/settings?sourceId=${sourceId}`);
    const form = page.getByRole("form", { name: "General" });
    const field = form.getByLabel("Keep rejected events");
    assert.equal(await field.inputValue(), "7");
    await shoot("keep-rejected");
    await field.fill("31");
    await field.press("Enter");
    assert.equal(await field.evaluate((input: HTMLInputElement) => input.validity.rangeOverflow), true);
    await field.fill("0");
    await field.press("Enter");
    await form.getByText("Saved").waitFor();
    assert.equal((await world.ask(`/api/tracking-sources/${sourceId}`)).body.keepRejected, 0);
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
    await form.getByRole("textbox", { name: "Origin 2" }).fill("*two.example");
    await form.getByText("This does not work: * can only stand for subdomains").waitFor();
    await form.getByRole("button", { name: "Did you mean https://*.two.example?" }).click();
    await form.getByRole("button", { name: "Save general settings" }).click();
    await form.getByText("Saved").waitFor();
    await form.getByRole("button", { name: "Remove origin 2" }).click();
    await wordGone();
  },
);

consoleTest(
  "A form that nothing was changed in cannot be saved, and its button says why.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await world.createSource();
    let sent = 0;
    page.on("request", (request) => {
      if (request.method() === "PATCH") sent += 1;
    });
    const off = async (save: Locator) => (await save.getAttribute("aria-disabled")) === "true";
    for (const address of ["/sources/settings", "/sources/data"]) {
      await open(`${address}?sourceId=${sourceId}`);
      const buttons = page.getByRole("button", { name: /^Save / });
      await buttons.first().waitFor();
      for (const save of await buttons.all())
        assert.ok(await off(save), (await save.getAttribute("aria-label"))!);
    }
    await open(`/sources/settings?sourceId=${sourceId}`);
    const save = page.getByRole("button", { name: "Save limits", description: "No changes to save" });
    const reason = page.getByRole("form", { name: "Limits" }).getByText("No changes to save");
    await save.waitFor();
    assert.equal(await reason.isVisible(), false);
    await page.getByLabel("Bytes per UTC day").focus();
    await page.keyboard.press("Tab");
    await reason.waitFor();
    await shoot("save-disabled");
    await page.keyboard.press("Enter");
    await page.getByLabel("Events per batch").fill("7");
    assert.equal(await off(page.getByRole("button", { name: "Save limits" })), false);
    assert.ok(await off(page.getByRole("button", { name: "Save privacy" })));
    await page.getByLabel("Events per batch").fill("");
    await save.waitFor();
    assert.ok(await off(save));

    await page.getByRole("textbox", { name: "Origin 1" }).fill("shop");
    const general = page.getByRole("button", {
      name: "Save general settings",
      description: "Correct the marked origin first",
    });
    assert.ok(await off(general));
    assert.equal(sent, 0);
  },
);

consoleTest(
  "The list of sections opens each section and follows the scrolling; narrower windows have none.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await world.createSource();
    await page.setViewportSize({ width: 1440, height: 700 });
    await open(`/sources/settings?sourceId=${sourceId}`);
    const list = page.getByRole("navigation", { name: "Sections" });
    const current = () => list.locator("[aria-current=location]");
    await current().getByText("General").waitFor();
    const titles = [
      "General",
      "Privacy",
      "Embedding",
      "Limits",
      "Public key",
      "Deactivate source",
      "Delete source",
    ];
    assert.deepEqual(await list.getByRole("link").allTextContents(), titles);
    for (const title of titles.toReversed()) {
      await list.getByRole("link", { name: title, exact: true }).click();
      await current().getByText(title, { exact: true }).waitFor();
      const heading = page.getByRole("heading", { name: title, exact: true });
      const { y } = (await heading.boundingBox())!;
      assert.ok(y >= 0 && y < 700, `${title} is visible`);
    }
    await page.keyboard.press("Tab");
    assert.equal(
      await page.evaluate(
        () => document.activeElement?.getAttribute("name") ?? document.activeElement?.tagName,
      ),
      "INPUT",
    );
    await page.mouse.move(500, 300);
    await page.mouse.wheel(0, 10_000);
    await current().getByText("Delete source").waitFor();
    await shoot("sections-end");

    await page.getByRole("link", { name: "Goals & data" }).click();
    await list.getByText("Data retention").click();
    await page.waitForURL(/#data-retention$/);
    await page.reload();
    await current().getByText("Data retention").waitFor();
    await page.getByRole("heading", { name: "Data retention" }).waitFor();
    assert.ok(await page.evaluate(() => scrollY > 0), "the link opens the page at its section");
    await page.setViewportSize({ width: 1279, height: 700 });
    await list.waitFor({ state: "hidden" });
  },
);

consoleTest("Empty limits show the service's defaults.", async ({ world, page, open }) => {
  const { sourceId } = await world.createSource();
  await open(`/sources/settings?sourceId=${sourceId}`);
  const { settings } = (await world.ask(`/api/support?organizationId=${ORGANIZATION_ID}`)).body;
  const batch = page.getByLabel("Events per batch");
  await page.locator(`input[placeholder="Default: ${settings.MAX_BATCH_SIZE}"]`).waitFor();
  assert.equal(await batch.getAttribute("placeholder"), `Default: ${settings.MAX_BATCH_SIZE}`);
  assert.equal(await page.getByLabel("Bytes per UTC day").getAttribute("placeholder"), "Default: no limit");
  await page.getByText("Up to 5 MiB").waitFor();
});
