/** The data page of a source: goals, exclusions, retention, erasure. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { eventsBody, eventsPath, ORGANIZATION_ID, trackEvent } from "../../server/test/support/world.ts";
import { consoleTest } from "./console-world.ts";
import { memberToken, seed } from "./seed.ts";

const formOf = (page: Page, name: string) => page.getByRole("form", { name });

consoleTest(
  "Goals, bots and excluded paths can be changed; a refused change shows the reason and keeps the input.",
  async ({ world, page, open, shoot }) => {
    const goals = [{ name: "Paid", path: "/thanks/*" }];
    const { sourceId } = await world.createSource({ goals, excludedPaths: ["/admin/*"] });
    const read = async () => (await world.ask(`/api/tracking-sources/${sourceId}`)).body;
    await open(`/sources/data?sourceId=${sourceId}`);
    const form = formOf(page, "Goals");
    const exclusions = formOf(page, "Exclusions");
    const saveGoals = () => form.getByRole("button", { name: "Save goals" }).click();
    const saveExclusions = () => exclusions.getByRole("button", { name: "Save exclusions" }).click();
    assert.equal(await form.getByLabel("Target of goal 1").inputValue(), "/thanks/*");
    await form.getByRole("button", { name: "Add goal" }).click();
    await form.getByLabel("Name of goal 2").fill("Signed up");
    await form.getByLabel("Target of goal 2").fill("signup");
    await form.getByRole("button", { name: "Add a condition" }).nth(1).click();
    await form.getByLabel("Property of condition 1 of goal 2").fill("seats");
    await form.getByLabel("Operator of condition 1 of goal 2").selectOption("gt");
    await form.getByLabel("Value of condition 1 of goal 2").fill("many");
    await form.getByRole("button", { name: "Add a value" }).nth(1).click();
    await form.getByLabel("Value of goal 2", { exact: true }).fill("25.5");
    await form.getByLabel("Currency of goal 2").fill("eux");
    await saveGoals();
    await form.getByText("gt takes a number").waitFor();
    await form.getByText("Not an ISO 4217 code").waitFor();
    await exclusions.getByLabel("Bots").selectOption("reject");
    await exclusions.getByLabel("Excluded paths").fill("/admin/*\n\n no-path ");
    await saveExclusions();
    await exclusions.getByText("no-path: A path starts with /").waitFor();
    assert.equal((await read()).bots, "apart");
    await shoot("data-refused");

    await form.getByLabel("Currency of goal 2").fill("eur");
    await form.getByLabel("Value of condition 1 of goal 2").fill("4.5");
    await saveGoals();
    await form.getByText("Saved").waitFor();
    await exclusions.getByLabel("Excluded paths").fill("/admin/*\n/internal/*");
    await exclusions.getByLabel("Excluded IP addresses").fill("10.0.0.0/8\n10.0.0.300");
    await saveExclusions();
    await exclusions.getByText("10.0.0.300: Enter an IP address").waitFor();
    await exclusions.getByLabel("Excluded IP addresses").fill("10.0.0.0/8\n::1");
    await saveExclusions();
    await exclusions.getByText("Saved").waitFor();
    const saved = await read();
    assert.deepEqual(saved.goals, [
      { name: "Paid", event: null, path: "/thanks/*", conditions: [], value: null },
      {
        name: "Signed up",
        event: "signup",
        path: null,
        conditions: [{ property: "seats", operator: "gt", value: 4.5 }],
        value: { amount: 25.5, currency: "EUR" },
      },
    ]);
    assert.deepEqual([saved.bots, saved.excludedPaths], ["reject", ["/admin/*", "/internal/*"]]);
    assert.deepEqual(saved.excludedAddresses, ["10.0.0.0/8", "::1"]);

    await form.getByRole("button", { name: "Remove goal 1" }).click();
    const answered = page.waitForResponse((response) => response.request().method() === "PATCH");
    await saveGoals();
    await answered;
    await page.reload();
    await form.getByLabel("Target of goal 1").waitFor();
    assert.equal(await form.getByLabel("Target of goal 1").inputValue(), "signup");
  },
);

consoleTest(
  "A retention set in another tab is shown, is not overwritten, and does not count as unsaved input.",
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource();
    await open(`/sources/data?sourceId=${sourceId}`);
    const days = formOf(page, "Retention").getByLabel("Days");
    await days.waitFor();
    const body = { organizationId: ORGANIZATION_ID, retentionDays: 400 };
    const set = await world.ask(`/api/tracking-sources/${sourceId}`, { method: "PATCH", body });
    assert.equal(set.status, 200);
    const form = formOf(page, "Exclusions");
    await form.getByLabel("Excluded paths").fill("/admin/*");
    await form.getByRole("button", { name: "Save exclusions" }).click();
    await form.getByText("Saved").waitFor();
    assert.equal(await days.inputValue(), "400");
    await page.getByRole("link", { name: "Team", exact: true }).click();
    await page.getByRole("heading", { name: "Team", exact: true }).waitFor();
  },
);

consoleTest(
  "A shorter retention asks for confirmation; a longer or unlimited one is saved at once.",
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource();
    const kept = async () => (await world.ask(`/api/tracking-sources/${sourceId}`)).body.retentionDays;
    await open(`/sources/data?sourceId=${sourceId}`);
    const form = formOf(page, "Retention");
    const save = form.getByRole("button", { name: "Save retention" });
    await form.getByLabel("Days").fill("30");
    await save.click();
    const question = page.getByRole("dialog", { name: "Delete older events?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await kept(), null);
    await save.click();
    await question.getByRole("button", { name: "Delete older events" }).click();
    await question.waitFor({ state: "detached" });
    assert.equal(await kept(), 30);
    for (const [text, days] of [
      ["90", 90],
      ["", null],
    ] as const) {
      await form.getByLabel("Days").fill(text);
      const answered = page.waitForResponse((response) => response.request().method() === "PATCH");
      await save.click();
      await answered;
      assert.equal(await kept(), days);
    }
  },
);

consoleTest(
  "A visitor is erased after confirmation, and the receipt in the URL shows when it is done.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    const anonymousId = "visitor-to-go";
    const sessionId = await world.openSession(source, { anonymousId });
    await world.send(eventsPath(source), eventsBody(sessionId, [trackEvent()], { anonymousId }));
    await open(`/sources/data?sourceId=${source.sourceId}`);
    const form = formOf(page, "Erase visitor");
    await form.getByRole("textbox", { name: "ID" }).fill(anonymousId);
    await form.getByRole("button", { name: "Erase", exact: true }).click();
    const question = page.getByRole("dialog", { name: "Erase this visitor?" });
    await question.getByText(anonymousId).waitFor();
    await question.getByRole("button", { name: "Erase visitor" }).click();
    await form.getByRole("status").filter({ hasText: "Erased" }).waitFor();
    await shoot("data-erased");
    await page.reload();
    await form.getByRole("status").filter({ hasText: "Erased" }).waitFor();
    const receiptId = new URL(page.url()).searchParams.get("receipt")!;
    const path = `/api/visitors/erase/${receiptId}?organizationId=${ORGANIZATION_ID}`;
    assert.equal((await world.ask(path)).body.status, "done");

    await open(`/sources/data?sourceId=${source.sourceId}&receipt=era_nobody`);
    await form.getByRole("alert").getByText("erasure_not_found").waitFor();
  },
);

consoleTest(
  "A developer sees the forms for goals and exclusions but not the sections that need an admin.",
  async ({ world, page, open }) => {
    const { sourceId } = await seed(world);
    await open(`/sources/data?sourceId=${sourceId}`, await memberToken(world, "developer"));
    for (const name of ["Goals", "Exclusions"]) await formOf(page, name).waitFor();
    for (const name of ["Retention", "Erase visitor"])
      assert.equal(await formOf(page, name).count(), 0, name);
    assert.equal(await page.getByRole("region", { name: "Alerts" }).count(), 0);
    await open(`/sources/data?sourceId=${sourceId}`, await memberToken(world, "viewer"));
    await page.getByRole("heading", { name: "You don’t have access" }).waitFor();
  },
);

consoleTest(
  `The "Saved" message disappears when the form is edited again.`,
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource();
    await open(`/sources/settings?sourceId=${sourceId}`);
    const name = page.getByLabel("Name");
    await name.fill("Shop");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const saved = page.getByText("Saved", { exact: true });
    await saved.waitFor();
    await page.getByRole("heading", { name: "Shop" }).first().waitFor();
    assert.equal(await saved.count(), 1, "the message is shown once the form has the saved source");
    await name.press("End");
    await name.pressSequentially("s");
    await saved.waitFor({ state: "detached" });
    await page.getByLabel("Events per batch").fill("50");
    await page.getByRole("button", { name: "Save limits" }).click();
    await saved.waitFor();
    const { limits } = (await world.ask(`/api/tracking-sources/${sourceId}`)).body;
    assert.equal(limits.maxBatchSize, 50);
  },
);
