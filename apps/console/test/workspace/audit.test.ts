/** The audit log: a line for each entry, and its details in words. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditEntry } from "@headwater/contract";
import { until } from "../../../server/test/support/until.ts";
import { ORGANIZATION_ID } from "../../../server/test/support/world.ts";
import { describeChanges, groupByDay, titleOf } from "../../src/pages/workspace/audit-text.ts";
import { consoleTest } from "../console-world.ts";

const YEAR = new Date().getFullYear();
const entry = (before: object | null, after: object | null): AuditEntry => ({
  auditId: "1",
  actor: "system",
  userId: null,
  tokenId: null,
  at: `${YEAR}-09-29T20:00:00.000Z`,
  action: "source.updated",
  target: "src_1",
  before,
  after,
});
const NAMES = new Map([["usr_1", "Ada"]]);
const textOf = (before: object | null, after: object | null) => describeChanges(entry(before, after), NAMES);

test("The details of an audit entry name each changed member in words, and leave out those without a value.", () => {
  assert.deepEqual(
    textOf(
      { planVersion: 0, mode: "off", unknownEvents: "allow" },
      {
        planVersion: 1,
        mode: "warn",
        unknownEvents: "allow",
        added: ["purchase", "signup"],
        removed: [],
      },
    ),
    ["Plan version: 0 → 1", "Mode: off → warn", "Added purchase, signup"],
  );
  assert.deepEqual(
    textOf({ limits: { maxBatchSize: 500, eventsPerDay: null } }, { limits: { maxBatchSize: 7 } }),
    ["Limits, max batch size: 500 → 7"],
  );
  const goals = [
    { name: "Signup", event: "signup" },
    { name: "Thanks", path: "/thanks" },
  ];
  assert.deepEqual(textOf({ goals: [] }, { goals }), ["Goals: — → Signup, Thanks"]);
  assert.deepEqual(textOf({ goals: goals.slice(0, 1) }, { goals: [{ name: "Signup", event: "sign_up" }] }), [
    'Goals changed: [{"name":"Signup","event":"sign_up"}]',
  ]);
  assert.deepEqual(textOf({ slug: "" }, { slug: "shop" }), ["Slug: — → shop"]);
  assert.deepEqual(
    textOf(null, { name: "Ada", email: null, allowedOrigins: [], isShared: false, owner: "usr_1" }),
    ["Name: Ada", "Is shared: no", "Owner: Ada"],
  );
  assert.deepEqual(textOf({ label: "Old", expiresAt: new Date(YEAR, 8, 29, 20).getTime() }, null), [
    "Label: Old",
    "Expires at: Sep 29, 8:00 PM",
  ]);
});

test("The entries of a day are under its heading, which has the year unless it is this one.", () => {
  const at = (...moment: [number, number, number, number]) => new Date(...moment);
  const now = at(2026, 10, 30, 12).getTime();
  const moments = [at(2026, 10, 30, 9), at(2026, 10, 30, 0), at(2026, 10, 29, 23), at(2025, 10, 30, 9)];
  const entries = moments.map((moment) => ({ ...entry(null, null), at: moment.toISOString() }));
  assert.deepEqual(
    groupByDay(entries, now).map((group) => [group.day, group.entries.length]),
    [
      ["Monday, November 30", 2],
      ["Sunday, November 29", 1],
      ["Sunday, November 30, 2025", 1],
    ],
  );
});

test("The line of an invitation names who gets it, or without an address the role; its expiry reads like all times.", () => {
  const made = (email: string | null) => ({ role: "viewer", email, expiresAt: `${YEAR}-10-06T20:00:00` });
  const invited = (after: object) => ({
    ...entry(null, after),
    action: "invitation.created",
    target: "inv_1",
  });
  assert.equal(titleOf(invited(made("ada@x.example")), NAMES), "Invitation created: ada@x.example");
  assert.equal(titleOf(invited(made(null)), NAMES), "Invitation created: viewer");
  assert.deepEqual(textOf(null, made(null)), ["Role: viewer", "Expires at: Oct 6, 8:00 PM"]);
});

test("The line of a token that reads the stats of one source calls it a share link.", () => {
  const token = (scope: string | null) => ({ label: "Client", scope });
  const made = (scope: string | null) => ({ ...entry(null, token(scope)), action: "token.created" });
  assert.equal(titleOf(made("stats"), NAMES), "Share link created: Client");
  assert.equal(titleOf(made(null), NAMES), "Token created: Client");
  const revoked = { ...entry(token("stats"), null), action: "token.revoked" };
  assert.equal(titleOf(revoked, NAMES), "Share link revoked: Client");
});

consoleTest(
  "A line of the audit log has the change, its object, the person and the time; it opens the details.",
  async ({ world, page, open, shoot }) => {
    const body = { organizationId: ORGANIZATION_ID };
    await world.ask("/api/profile", {
      method: "PATCH",
      token: await world.ownerSession(),
      body: { name: "Ada" },
    });
    await world.ask("/api/onboarding", { method: "POST", body });
    const { sourceId } = await world.createSource();
    const path = `/api/tracking-sources/${sourceId}`;
    assert.equal((await world.ask(path, { method: "PATCH", body: { ...body, name: "Store" } })).status, 200);
    await open("/audit");
    const changed = page.getByRole("article", { name: "source.updated" });
    const line = changed.locator("summary");
    const time = /^Source updated: StoreName: Shop → StoreAda \(access token\)\d+:\d\d\s[AP]M$/;
    await line.getByText("Ada (access token)").waitFor();
    assert.match((await line.textContent()) ?? "", time);
    const details = changed.getByRole("listitem").filter({ hasText: "Name: Shop → Store" });
    assert.equal(await details.isVisible(), false);
    await line.click();
    await details.waitFor();
    await changed.getByText(sourceId).waitFor();
    await page.getByText("Onboarding completed: My workspace").waitFor();
    await page.getByText("Workspace created: My workspace").waitFor();
    await shoot("audit-details");

    await page.setViewportSize({ width: 390, height: 844 });
    const boxes = await Promise.all(
      (await page.locator("article time").all()).map((one) => one.boundingBox()),
    );
    assert.equal(new Set(boxes.map((box) => box!.x + box!.width)).size, 1, "all rows align alike");
  },
);

consoleTest(
  "The audit log is searched by the server and limited to days; Back leads to the list before, and filters are cleared at once.",
  async ({ world, page, open, shoot }) => {
    await world.createSource({ name: "Atlas" });
    await world.createSource({ name: "Blog" });
    await open("/audit");
    const titles = page.getByRole("article").locator("strong");
    const shows = async (...expected: string[]) =>
      until("the list has these entries", async () => {
        const shown = await titles.allTextContents();
        return expected.every((one) => shown.includes(one)) && shown.length === expected.length;
      });
    await page.getByText("Source created: Atlas").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("atlas");
    await shows("Source created: Atlas");
    await page.getByRole("heading", { name: "Audit log" }).click();
    await page.keyboard.press("r");
    await page.getByRole("button", { name: "Today" }).click();
    await shows("Source created: Atlas");
    assert.equal(new URL(page.url()).search, "?search=atlas&range=today");
    await shoot("audit-filters");
    await page.keyboard.press("r");
    await page.getByRole("button", { name: "Yesterday" }).click();
    await page.getByText("No entries match").waitFor();
    await page.goBack();
    await shows("Source created: Atlas");
    await page.getByLabel("Action").selectOption("Members");
    await page.getByText("No entries match").waitFor();
    await page.goBack();
    await shows("Source created: Atlas");
    await page.getByLabel("Action").selectOption("Members");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByText("Source created: Blog").waitFor();
    assert.equal(new URL(page.url()).search, "");
    await open("/audit?range=2020-01-01..2020-01-31");
    await page.getByText("No entries match").waitFor();
    await page.getByRole("button", { name: "Range: Jan 1 – 31, 2020" }).waitFor();
  },
);
