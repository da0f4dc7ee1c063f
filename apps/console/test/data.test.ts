/** What becomes of a source's data is said on one page, and done. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { eventsBody, eventsPath, ORGANIZATION_ID, trackEvent } from "../../server/test/support/world.ts";
import { consoleTest } from "./console-world.ts";
import { memberToken, seed } from "./seed.ts";

const formOf = (page: Page, name: string) => page.getByRole("form", { name });

consoleTest(
  "Goals, bots and paths that are left out are changed; what the service refuses is said, and nothing is lost.",
  async ({ world, page, open, shoot }) => {
    const goals = [{ name: "Paid", path: "/thanks/*" }];
    const { sourceId } = await world.createSource({ goals, excludedPaths: ["/admin/*"] });
    const read = async () => (await world.ask(`/api/tracking-sources/${sourceId}`)).body;
    await open(`/sources/data?sourceId=${sourceId}`);
    const form = formOf(page, "What counts");
    assert.equal(await form.getByLabel("Goal 1 is").inputValue(), "/thanks/*");
    await form.getByRole("button", { name: "Add a goal" }).click();
    await form.getByLabel("Name of goal 2").fill("Signed up");
    await form.getByLabel("Goal 2 is").fill("signup");
    await form.getByLabel("Bots").selectOption("reject");
    await form.getByLabel("Paths that are left out").fill("/admin/*\n\n no-path ");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("no-path: a path begins with /").waitFor();
    assert.equal((await read()).bots, "apart");
    await shoot("data-refused");

    await form.getByLabel("Paths that are left out").fill("/admin/*\n/internal/*");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("Saved").waitFor();
    const saved = await read();
    assert.deepEqual(saved.goals, [
      { name: "Paid", event: null, path: "/thanks/*" },
      { name: "Signed up", event: "signup", path: null },
    ]);
    assert.deepEqual([saved.bots, saved.excludedPaths], ["reject", ["/admin/*", "/internal/*"]]);

    await form.getByRole("button", { name: "Remove goal 1" }).click();
    const answered = page.waitForResponse((response) => response.request().method() === "PATCH");
    await form.getByRole("button", { name: "Save" }).click();
    await answered;
    await page.reload();
    await form.getByLabel("Goal 1 is").waitFor();
    assert.equal(await form.getByLabel("Goal 1 is").inputValue(), "signup");
  },
);

consoleTest(
  "Days that another tab has set show, are not sent back, and are no reason to be asked.",
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource();
    await open(`/sources/data?sourceId=${sourceId}`);
    const days = formOf(page, "How long events are kept").getByLabel("Days");
    await days.waitFor();
    const body = { organizationId: ORGANIZATION_ID, retentionDays: 400 };
    const set = await world.ask(`/api/tracking-sources/${sourceId}`, { method: "PATCH", body });
    assert.equal(set.status, 200);
    const form = formOf(page, "What counts");
    await form.getByLabel("Paths that are left out").fill("/admin/*");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("Saved").waitFor();
    assert.equal(await days.inputValue(), "400");
    await page.getByRole("link", { name: "Team", exact: true }).click();
    await page.getByRole("heading", { name: "Team", exact: true }).waitFor();
  },
);

consoleTest(
  "Fewer days are asked about before older events go; more, or for ever, are saved at once.",
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource();
    const kept = async () => (await world.ask(`/api/tracking-sources/${sourceId}`)).body.retentionDays;
    await open(`/sources/data?sourceId=${sourceId}`);
    const form = formOf(page, "How long events are kept");
    const save = form.getByRole("button", { name: "Save the days" });
    await form.getByLabel("Days").fill("30");
    await save.click();
    const question = page.getByRole("dialog", { name: "Delete older events?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await kept(), null);
    await save.click();
    await question.getByRole("button", { name: "Keep 30 days" }).click();
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
  "A visitor is erased after a question, and the receipt at its address says when it is done.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    const anonymousId = "visitor-to-go";
    const sessionId = await world.openSession(source, { anonymousId });
    await world.send(eventsPath(source), eventsBody(sessionId, [trackEvent()], { anonymousId }));
    await open(`/sources/data?sourceId=${source.sourceId}`);
    const form = formOf(page, "Erase a visitor");
    await form.getByLabel("Id").fill(anonymousId);
    await form.getByRole("button", { name: "Erase …" }).click();
    const question = page.getByRole("dialog", { name: "Erase this visitor?" });
    await question.getByText(anonymousId).waitFor();
    await question.getByRole("button", { name: "Erase", exact: true }).click();
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
  "A developer says what counts, and is not offered what takes an admin.",
  async ({ world, page, open }) => {
    const { sourceId } = await seed(world);
    await open(`/sources/data?sourceId=${sourceId}`, await memberToken(world, "developer"));
    await formOf(page, "What counts").waitFor();
    for (const name of ["How long events are kept", "Erase a visitor"])
      assert.equal(await formOf(page, name).count(), 0, name);
    assert.equal(await page.getByRole("region", { name: "Alerts" }).count(), 0);
    await open(`/sources/data?sourceId=${sourceId}`, await memberToken(world, "viewer"));
    await page.getByRole("heading", { name: "Your role does not show this" }).waitFor();
  },
);

consoleTest(
  "A change of a source says that it is saved until the next is begun.",
  async ({ world, page, open }) => {
    const { sourceId } = await world.createSource();
    await open(`/sources/settings?sourceId=${sourceId}`);
    const name = page.getByLabel("Name");
    await name.fill("Shop");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const saved = page.getByText("Saved", { exact: true });
    await saved.waitFor();
    await page.getByRole("heading", { name: "Shop" }).first().waitFor();
    assert.equal(await saved.count(), 1, "after the form has the new source");
    await name.press("End");
    await name.pressSequentially("s");
    await saved.waitFor({ state: "detached" });
    await page.getByLabel("Events in a batch").fill("50");
    await page.getByRole("button", { name: "Save limits" }).click();
    await saved.waitFor();
    const { limits } = (await world.ask(`/api/tracking-sources/${sourceId}`)).body;
    assert.equal(limits.maxBatchSize, 50);
  },
);
