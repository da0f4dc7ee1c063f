/** The settings of a source for its stats and data: goals, exclusions, retention, erasure. */
import assert from "node:assert/strict";
import type { Goal } from "@headwater/contract";
import type { Page, Request } from "playwright-core";
import { eventsBody, eventsPath, ORGANIZATION_ID, trackEvent } from "../../server/test/support/world.ts";
import { seriousFindings } from "./accessibility.ts";
import { consoleTest, openSection } from "./console-world.ts";
import { memberToken, seed } from "./seed.ts";

const formOf = (page: Page, name: string) => page.getByRole("form", { name });

consoleTest(
  "Goals, bots and excluded paths can be changed; a refused change shows the reason and keeps the input.",
  async ({ world, page, open, shoot }) => {
    const goals = [{ name: "Paid", path: "/thanks/*" }];
    const { sourceId } = await world.createSource({ goals, excludedPaths: ["/admin/*"] });
    const read = async () => (await world.ask(`/api/tracking-sources/${sourceId}`)).body;
    await open(`/sources/settings?sourceId=${sourceId}#goals`);
    const form = formOf(page, "Goals");
    const exclusions = formOf(page, "Exclusions");
    const saveGoals = () => page.getByRole("button", { name: "Save", exact: true }).click();
    const saveExclusions = () => page.getByRole("button", { name: "Save", exact: true }).click();
    const rows = form.getByRole("listitem");
    await rows.filter({ hasText: "PaidPage/thanks/*" }).waitFor();
    await form.getByRole("button", { name: "Add goal" }).click();
    const goal = form.getByRole("group", { name: "Goal 2" });
    assert.ok(
      await goal
        .getByRole("textbox", { name: "Name", exact: true })
        .evaluate((field) => field === document.activeElement),
    );
    await goal.getByRole("textbox", { name: "Name", exact: true }).fill("Signed up");
    await goal.getByLabel("Event name").fill("signup");
    await goal.getByRole("button", { name: "Add condition" }).click();
    await goal.getByLabel("Property for condition 1").fill("seats");
    await goal.getByLabel("Operator for condition 1").selectOption("gt");
    await goal.getByLabel("Value for condition 1").fill("many");
    await goal.getByRole("button", { name: "Add value" }).click();
    await goal.getByLabel("Value", { exact: true }).fill("25.5");
    await goal.getByLabel("Currency").fill("eux");
    await saveGoals();
    await form.getByText("gt takes a number").waitFor();
    await form.getByText("Enter a currency code, such as EUR.").waitFor();
    await openSection(page, "Exclusions");
    await exclusions.getByLabel("Bots").selectOption("reject");
    await exclusions.getByLabel("Excluded paths").fill("/admin/*\n\n no-path ");
    await saveExclusions();
    await exclusions.getByText("Line 3 (no-path): A path starts with /").waitFor();
    assert.equal((await read()).bots, "apart");
    await shoot("data-refused");

    await exclusions.getByLabel("Excluded paths").fill("/admin/*");
    await openSection(page, "Goals");
    await goal.getByLabel("Currency").fill("eur");
    await goal.getByLabel("Value for condition 1").fill("4.5");
    await saveGoals();
    await page.getByText("Saved", { exact: true }).waitFor();
    await rows.filter({ hasText: "seats is more than 4.5, 25.5 EUR per conversion" }).waitFor();
    assert.equal(await form.getByRole("group").count(), 0, "the saved goal is a row");
    await openSection(page, "Exclusions");
    await exclusions.getByLabel("Excluded paths").fill("/admin/*\n/internal/*");
    await exclusions.getByLabel("Excluded IP addresses").fill("10.0.0.0/8\n10.0.0.300");
    await saveExclusions();
    await exclusions.getByText("Line 2 (10.0.0.300): Enter an IP address").waitFor();
    await exclusions.getByLabel("Excluded IP addresses").fill("10.0.0.0/8\n::1");
    await saveExclusions();
    await page.getByText("Saved", { exact: true }).waitFor();
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

    await openSection(page, "Goals");
    await form.getByRole("button", { name: "Remove goal Paid" }).click();
    const answered = page.waitForResponse((response) => response.request().method() === "PATCH");
    await saveGoals();
    await answered;
    await page.reload();
    await rows.waitFor();
    assert.match((await rows.textContent())!, /^Signed upEventsignup/);
  },
);

consoleTest(
  "Cancel restores a goal or drops a new one, and the focus stays in the list.",
  async ({ world, page, open, shoot }) => {
    const goals = [
      { name: "Paid", path: "/thanks/*" },
      { name: "Signed up", event: "signup" },
    ];
    const { sourceId } = await world.createSource({ goals });
    await open(`/sources/settings?sourceId=${sourceId}#goals`);
    const form = formOf(page, "Goals");
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    const group = form.getByRole("group");
    await form.getByRole("button", { name: "Edit goal Paid" }).click();
    await group.getByRole("textbox", { name: "Name", exact: true }).fill("Bought");
    await group.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await focused(), "Edit");
    await form.getByText("Paid").waitFor();

    await form.getByRole("button", { name: "Add goal" }).click();
    await form.getByRole("button", { name: "Edit goal Signed up" }).click();
    assert.equal(await group.getByLabel("Event name").inputValue(), "signup");
    assert.equal(await form.getByRole("listitem").count(), 2, "the empty goal is gone");
    await group.getByLabel("Type").selectOption("Page");
    await group.getByLabel("Path").fill("/welcome");
    await form.getByRole("button", { name: "Add goal" }).click();
    await form.getByRole("listitem").filter({ hasText: "Signed upPage/welcome" }).waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("goals-open");
    await group.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await focused(), "Add goal");
    assert.equal(await form.getByRole("listitem").count(), 2);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    const stored = (await world.ask(`/api/tracking-sources/${sourceId}`)).body.goals;
    assert.deepEqual(
      stored.map(({ event, path }: Goal) => event ?? path),
      ["/thanks/*", "/welcome"],
    );
  },
);

consoleTest(
  "A retention set in another tab is shown, is not overwritten, and does not count as unsaved input.",
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource();
    await open(`/sources/settings?sourceId=${sourceId}#data-retention`);
    const days = formOf(page, "Data retention").getByLabel("Days");
    await days.waitFor();
    const body = { organizationId: ORGANIZATION_ID, retentionDays: 400 };
    const set = await world.ask(`/api/tracking-sources/${sourceId}`, { method: "PATCH", body });
    assert.equal(set.status, 200);
    const form = formOf(page, "Exclusions");
    await openSection(page, "Exclusions");
    await form.getByLabel("Excluded paths").fill("/admin/*");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    await openSection(page, "Data retention");
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
    await open(`/sources/settings?sourceId=${sourceId}#data-retention`);
    const form = formOf(page, "Data retention");
    const save = page.getByRole("button", { name: "Save", exact: true });
    await form.getByText("Without a warehouse, the service’s RETENTION_DAYS (30) applies instead.").waitFor();
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
  "A source is deleted once its name is typed, with its stored events unless they are to stay.",
  async ({ world, page, open, shoot }) => {
    for (const deletesEvents of [true, false]) {
      const { sourceId } = await world.createSource({ name: "Old shop" });
      await open(`/sources/settings?sourceId=${sourceId}#delete-source`);
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      const dialog = page.getByRole("dialog", { name: "Delete this source?" });
      const confirm = dialog.getByRole("button", { name: "Delete source" });
      await dialog.getByLabel("Type “Old shop” to confirm").fill("Old");
      assert.equal(await confirm.getAttribute("aria-disabled"), "true");
      if (!deletesEvents) await dialog.getByLabel("Also delete its stored events").uncheck({ force: true });
      const stats = await dialog.getByRole("link", { name: "export them first" }).getAttribute("href");
      assert.ok(stats?.includes(`/analytics/stats?sourceId=${sourceId}&range=all`), `${stats}`);
      await shoot(`delete-source-${deletesEvents}`);
      await dialog.getByLabel("Type “Old shop” to confirm").fill("Old shop");
      const sent: string[] = [];
      const record = (request: Request) => {
        const body = request.postData();
        if (body !== null && request.method() === "PATCH") sent.push(body);
      };
      page.on("request", record);
      await confirm.click();
      await page.waitForURL(/\/sources$/);
      assert.equal((await world.ask(`/api/tracking-sources/${sourceId}`)).status, 404);
      assert.equal(
        sent.some((body) => body.includes('"retentionDays":1')),
        deletesEvents,
      );
      page.off("request", record);
    }
  },
);

consoleTest(
  "The address of the person who looks at the page can be excluded with a button.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await world.createSource({ excludedAddresses: ["10.0.0.0/8"] });
    const { token } = await world.person("admin");
    await open(`/sources/settings?sourceId=${sourceId}#exclusions`, token);
    await shoot("exclude-own-address");
    await page.getByRole("button", { name: "Exclude your address" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Exclude your address" }).count(), 0);
    const { excludedAddresses } = (await world.ask(`/api/tracking-sources/${sourceId}`)).body;
    assert.deepEqual(excludedAddresses, ["10.0.0.0/8", "127.0.0.1"]);
  },
);

consoleTest(
  "A visitor is erased after confirmation, and the receipt in the URL shows when it is done.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    const anonymousId = "visitor-to-go";
    const sessionId = await world.openSession(source, { anonymousId });
    await world.send(eventsPath(source), eventsBody(sessionId, [trackEvent()], { anonymousId }));
    await open(`/sources/settings?sourceId=${source.sourceId}#erase-visitor`);
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

    await open(`/sources/settings?sourceId=${source.sourceId}&receipt=era_nobody#erase-visitor`);
    await form.getByRole("alert").getByText("erasure_not_found").waitFor();
  },
);

consoleTest(
  "A developer sees the forms for goals and exclusions but not the sections that need an admin.",
  async ({ world, page, open }) => {
    const { sourceId } = await seed(world);
    await open(`/sources/settings?sourceId=${sourceId}`, await memberToken(world, "developer"));
    for (const name of ["Goals", "Exclusions"]) {
      await openSection(page, name);
      await formOf(page, name).waitFor();
    }
    for (const name of ["Data retention", "Alerts", "Erase visitor"])
      assert.equal(await page.getByRole("link", { name, exact: true }).count(), 0, name);
    await open(`/sources/settings?sourceId=${sourceId}`, await memberToken(world, "viewer"));
    await page.getByRole("heading", { name: "You do not have access" }).waitFor();
  },
);

consoleTest(
  `The "Saved" message disappears when the form is edited again.`,
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource();
    await open(`/sources/settings?sourceId=${sourceId}`);
    const name = page.getByLabel("Name");
    await name.fill("Store");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const saved = page.getByText("Saved", { exact: true });
    await saved.waitFor();
    await page.getByRole("heading", { name: "Store" }).first().waitFor();
    assert.equal(await saved.count(), 1, "the message is shown once the form has the saved source");
    await name.press("End");
    await name.pressSequentially("s");
    await saved.waitFor({ state: "detached" });
    await openSection(page, "Limits");
    await page.getByLabel("Events per batch").fill("50");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await saved.waitFor();
    const { limits } = (await world.ask(`/api/tracking-sources/${sourceId}`)).body;
    assert.equal(limits.maxBatchSize, 50);
  },
);
