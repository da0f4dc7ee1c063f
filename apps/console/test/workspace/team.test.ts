/** Leaving a workspace, and the order of its members. */
import assert from "node:assert/strict";
import { ORGANIZATION_ID } from "../../../server/test/support/world.ts";
import { consoleTest } from "../console-world.ts";
import { memberToken } from "../seed.ts";

consoleTest(
  "The user is the first member of the list. The only owner cannot leave the workspace; an admin can.",
  async ({ world, page, open }) => {
    const admin = await memberToken(world, "admin");
    const rows = page.getByRole("region", { name: "Members" }).locator("tbody tr");
    await open("/team");
    await rows.nth(1).waitFor();
    assert.match((await rows.first().textContent()) ?? "", /YouNo email/);
    assert.equal(await rows.first().getByRole("button").count(), 0);
    assert.deepEqual(await rows.nth(1).getByRole("button").allTextContents(), ["Remove"]);

    await open("/team", admin);
    await rows.nth(1).waitFor();
    assert.match((await rows.first().textContent()) ?? "", /You/);
    assert.equal(await rows.nth(1).getByRole("button").count(), 0, "an admin cannot remove an owner");
    await rows.first().getByRole("button", { name: "Leave" }).click();
    await page.getByRole("button", { name: "Leave workspace" }).click();
    await page.getByText("You have been signed out").waitFor();
    const { body } = await world.ask(`/api/members?organizationId=${ORGANIZATION_ID}`);
    assert.equal(body.members.length, 1);
  },
);

consoleTest(
  "After leaving a workspace the console shows another one of the user.",
  async ({ world, page, open }) => {
    const made = await world.ask("/api/organizations", { method: "POST", body: { name: "Second" } });
    const { organizationId } = made.body;
    const body = { organizationId, role: "owner", name: "Grace" };
    assert.equal((await world.ask("/api/members", { method: "POST", body })).status, 201);
    await open("/team");
    const workspace = page.getByLabel("Workspace", { exact: true });
    await workspace.selectOption("Second");
    await page.getByRole("link", { name: "Team", exact: true }).click();
    await page.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("button", { name: "Leave workspace" }).click();
    await workspace.locator("option", { hasText: "Second" }).waitFor({ state: "detached" });
    assert.equal(await workspace.locator("option:checked").textContent(), "My workspace");
    await page.getByRole("heading", { name: "Team" }).waitFor();
  },
);
