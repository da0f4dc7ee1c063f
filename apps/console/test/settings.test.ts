/** The settings of a source: input is kept until it is saved, and only changed fields are sent. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { until } from "../../server/test/support/until.ts";
import { ORGANIZATION_ID, type World } from "../../server/test/support/world.ts";
import { consoleTest, openSection } from "./console-world.ts";

const change = (world: World, sourceId: string, body: object) =>
  world.ask(`/api/tracking-sources/${sourceId}`, {
    method: "PATCH",
    body: { organizationId: ORGANIZATION_ID, ...body },
  });

const bar = (page: Page) => page.getByRole("form", { name: "Changes" });
const save = (page: Page) => bar(page).getByRole("button", { name: "Save" });
const saved = (page: Page) => bar(page).getByText("Saved", { exact: true });

/** Counts the requests that change the source. */
function countChanges(page: Page) {
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "PATCH") sent.push(request.postData() ?? "");
  });
  return sent;
}

consoleTest(
  "One bar counts the changes of all sections, saves them in one request or discards them, and changes from another tab are not overwritten.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await world.createSource({ name: "Before" });
    const read = async () => (await world.ask(`/api/tracking-sources/${sourceId}`)).body;
    await open(`/sources/settings?sourceId=${sourceId}`);
    const sent = countChanges(page);
    const name = page.getByRole("form", { name: "General" }).getByLabel("Name");
    const slug = page.getByLabel("Slug");
    const limit = page.getByLabel("Events per batch");
    await name.fill("After");
    await bar(page).getByText("1 change in General").waitFor();
    await openSection(page, "Limits");
    await limit.fill("7");
    await openSection(page, "Exclusions");
    await page.getByLabel("Excluded paths").fill("/admin/*");
    await bar(page).getByText("3 changes in General, Exclusions, and Limits").waitFor();
    await shoot("settings-changes");
    // a change from another tab
    assert.equal((await change(world, sourceId, { slug: "elsewhere", bots: "keep" })).status, 200);
    await openSection(page, "Deactivate source");
    await page.getByRole("button", { name: "Deactivate", exact: true }).click();
    await page.getByRole("button", { name: "Activate", exact: true }).waitFor();
    await openSection(page, "General");
    assert.equal(await name.inputValue(), "After");
    assert.equal(await slug.inputValue(), "elsewhere", "the field shows the change from the other tab");

    sent.length = 0;
    assert.equal((await change(world, sourceId, { requireOrigin: true })).status, 200);
    await save(page).press("Enter");
    await saved(page).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Saved");
    assert.equal(sent.length, 1, "one request for all sections");
    const stored = await read();
    assert.deepEqual(
      [stored.name, stored.slug, stored.requireOrigin, stored.isActive, stored.bots],
      ["After", "elsewhere", true, false, "keep"],
    );
    assert.deepEqual([stored.limits.maxBatchSize, stored.excludedPaths], [7, ["/admin/*"]]);

    await name.fill("Never");
    await saved(page).waitFor({ state: "detached" });
    await openSection(page, "Limits");
    await limit.fill("8");
    await bar(page).getByRole("button", { name: "Discard" }).click();
    await bar(page).waitFor({ state: "detached" });
    await openSection(page, "General");
    assert.deepEqual([await name.inputValue(), await limit.inputValue()], ["After", "7"]);
    await name.fill("Later");
    await name.fill("After");
    await bar(page).waitFor({ state: "detached" });
    assert.equal(sent.length, 1);
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
    const question = page.getByRole("dialog", { name: "Delete kept events?" });
    await question.getByRole("button", { name: "Delete kept events" }).click();
    await saved(page).waitFor();
    assert.equal((await world.ask(`/api/tracking-sources/${sourceId}`)).body.keepRejected, 0);
  },
);

consoleTest(
  "A field that was edited here and in another tab is told before it is replaced; Discard shows the other value.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await world.createSource({ name: "Before" });
    const read = async () => (await world.ask(`/api/tracking-sources/${sourceId}`)).body;
    await open(`/sources/settings?sourceId=${sourceId}`);
    const name = page.getByRole("form", { name: "General" }).getByLabel("Name");
    const told = bar(page).getByText("General changed elsewhere while you were editing.");
    await name.fill("Mine");
    await openSection(page, "Limits");
    await page.getByLabel("Events per batch").fill("7");
    assert.equal((await change(world, sourceId, { name: "Theirs" })).status, 200);
    await save(page).click();
    await told.waitFor();
    await shoot("settings-conflict");
    assert.deepEqual([(await read()).name, (await read()).limits.maxBatchSize], ["Theirs", null]);
    await save(page).click();
    await saved(page).waitFor();
    assert.deepEqual([(await read()).name, (await read()).limits.maxBatchSize], ["Mine", 7]);

    await openSection(page, "General");
    await name.fill("Mine again");
    assert.equal((await change(world, sourceId, { name: "Theirs again" })).status, 200);
    await save(page).click();
    await told.waitFor();
    await bar(page).getByRole("button", { name: "Discard" }).click();
    assert.equal(await name.inputValue(), "Theirs again");
  },
);

consoleTest(
  'The settings submitted twice are sent once, Enter in a field saves them, and every edit removes the "Saved" message.',
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource();
    await open(`/sources/settings?sourceId=${sourceId}`);
    const sent = countChanges(page);
    const form = page.getByRole("form", { name: "General" });
    await form.getByLabel("Name").fill("Twice");
    await form.evaluate((element: HTMLFormElement) => {
      element.requestSubmit();
      element.requestSubmit();
    });
    await saved(page).waitFor();
    assert.equal(sent.length, 1);
    await form.getByLabel("Name").fill("Entered");
    await form.getByLabel("Name").press("Enter");
    await saved(page).waitFor();
    assert.equal(sent.length, 2);
    const wordGone = () => saved(page).waitFor({ state: "detached" });
    await form.getByRole("button", { name: "Add origin" }).click();
    await form.getByRole("textbox", { name: "Origin 2" }).fill("*two.example");
    await wordGone();
    await form.getByText("This address cannot be used: * can only stand for subdomains").waitFor();
    await form.getByRole("button", { name: "Did you mean https://*.two.example?" }).click();
    await save(page).click();
    await saved(page).waitFor();
    await form.getByRole("button", { name: "Remove origin 2" }).click();
    await wordGone();
  },
);

consoleTest(
  "Each line of a list is checked while it is typed; a save with a marked field sends nothing, says so and leads to the field.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await world.createSource();
    await open(`/sources/settings?sourceId=${sourceId}`);
    const sent = countChanges(page);
    const batch = page.getByLabel("Events per batch");
    const isFocused = (field: Locator, what: string) =>
      until(what, () => field.evaluate((element) => element === document.activeElement));
    assert.equal(await bar(page).count(), 0, "without changes there is no bar");
    for (const [section, label, lines, problem] of [
      ["Exclusions", "Excluded paths", "/admin/*\n\nadmin", "Line 3 (admin): A path starts with /"],
      [
        "Exclusions",
        "Excluded IP addresses",
        "10.0.0.0/8\n10.0.0.300",
        "Line 2 (10.0.0.300): Enter an IP address",
      ],
      ["Page URLs", "Merged paths", "/a/**/b/**", "Line 1 (/a/**/b/**): A path starts with /"],
      ["Traffic sources and channels", "Rules", "partner", "Line 1 (partner): Write a rule as"],
      ["Content groups", "Groups", "Docs=docs", "Line 1 (Docs=docs): Write a group as"],
    ] as const) {
      const field = page.getByLabel(label, { exact: true });
      await openSection(page, section);
      await field.fill(lines);
      await page.getByText(problem).waitFor();
      await openSection(page, "Limits");
      await batch.fill("7");
      await save(page).click();
      await bar(page).getByText("Fix the highlighted fields, then save.").waitFor();
      await isFocused(field, `the section of ${label} is open`);
      await shoot(`settings-line-${label}`);
      await field.fill("");
      await page.getByText(problem).waitFor({ state: "detached" });
      await bar(page).getByText("Fix the highlighted fields, then save.").waitFor({ state: "detached" });
    }
    await openSection(page, "General");
    await page.getByRole("textbox", { name: "Origin 1" }).fill("*two.example");
    await save(page).click();
    await bar(page).getByText("Fix the highlighted fields, then save.").waitFor();
    await page.getByRole("textbox", { name: "Origin 1" }).fill("");
    await openSection(page, "Limits");
    await batch.fill("0");
    await openSection(page, "General");
    await save(page).click();
    await isFocused(batch, "a field that the browser refuses");
    await page.getByRole("textbox", { name: "Origin 1" }).waitFor({ state: "hidden" });
    assert.deepEqual(sent, []);
    assert.equal(await page.getByRole("button", { disabled: true }).count(), 0, "no button is greyed");
  },
);

consoleTest(
  "An old link to the page of goals and data opens them in the settings.",
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource();
    await open(`/sources/data?sourceId=${sourceId}`);
    await page.waitForURL(`**/sources/settings?sourceId=${sourceId}#goals`);
    await page.getByRole("form", { name: "Goals" }).waitFor();
  },
);

consoleTest(
  "The list of sections opens one at a time, which the URL names; on phones it is a select.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await world.createSource();
    await page.setViewportSize({ width: 1440, height: 700 });
    await open(`/sources/settings?sourceId=${sourceId}`);
    const list = page.getByRole("navigation", { name: "Sections" });
    const titles = page.locator("main h2:visible");
    const isAlone = (title: string) =>
      until(`${title} alone is shown`, async () => (await titles.allTextContents()).join() === title);
    await isAlone("General");
    const sections = [
      "General",
      "Privacy",
      "Embedding",
      "Public key",
      "Goals",
      "Content groups",
      "Exclusions",
      "Page URLs",
      "Traffic sources and channels",
      "Limits",
      "Data retention",
      "Alerts",
      "Erase visitor",
      "Deactivate source",
      "Delete source",
    ];
    assert.deepEqual(await list.getByRole("link").allTextContents(), sections);
    for (const title of sections.toReversed()) {
      await openSection(page, title);
      await isAlone(title);
      await shoot(`settings-${title}`);
    }
    await page.keyboard.press("Tab");
    assert.equal(
      await page.evaluate(() => document.activeElement?.tagName),
      "INPUT",
      "the section's first field",
    );

    await openSection(page, "Data retention");
    await page.waitForURL(/#data-retention$/);
    await page.reload();
    await isAlone("Data retention");
    await openSection(page, "Goals");
    await page.goBack();
    await isAlone("Data retention");
    await page.setViewportSize({ width: 390, height: 700 });
    await list.waitFor({ state: "hidden" });
    const select = page.getByRole("combobox", { name: "Section", exact: true });
    await select.focus();
    await select.selectOption("Goals");
    await page.waitForURL(/#goals$/);
    await isAlone("Goals");
    assert.equal(await select.inputValue(), "goals");
    assert.equal(
      await page.evaluate(() => document.activeElement?.tagName),
      "SELECT",
      "the arrow keys go on",
    );
  },
);

consoleTest("Empty limits show the service's defaults.", async ({ world, page, open }) => {
  const { sourceId } = await world.createSource();
  await open(`/sources/settings?sourceId=${sourceId}`);
  const { settings } = (await world.ask(`/api/support?organizationId=${ORGANIZATION_ID}`)).body;
  const batch = page.getByLabel("Events per batch");
  await openSection(page, "Limits");
  await page.locator(`input[placeholder="Default: ${settings.MAX_BATCH_SIZE}"]`).waitFor();
  assert.equal(await batch.getAttribute("placeholder"), `Default: ${settings.MAX_BATCH_SIZE}`);
  assert.equal(await page.getByLabel("Bytes per UTC day").getAttribute("placeholder"), "Default: no limit");
  await page.getByText("Up to 5 MiB").waitFor();
});
