/** Leaving a workspace, and the order of its members. */
import assert from "node:assert/strict";
import { ORGANIZATION_ID } from "../../../server/test/support/world.ts";
import { consoleTest, openWorkspace, workspaceMenu, workspaceOpened } from "../console-world.ts";

consoleTest(
  "The user is the first member of the list. The only owner cannot leave the workspace; an admin can.",
  async ({ world, page, open }) => {
    const { token: admin } = await world.person("admin");
    const unnamed = { method: "PATCH", token: admin, body: { name: null } };
    assert.equal((await world.ask("/api/profile", unnamed)).status, 200);
    const rows = page.getByRole("region", { name: "Members" }).locator("tbody tr");
    await open("/team");
    await rows.first().getByText("Add your name").waitFor();
    assert.match((await rows.first().textContent()) ?? "", /^You Add your name/);
    assert.equal(await rows.first().getByRole("button").count(), 0);
    assert.match((await rows.nth(1).textContent()) ?? "", /^Admin, joined .*No name or email yet/);
    await rows
      .nth(1)
      .getByRole("button", { name: /^Actions for / })
      .click();
    await rows.nth(1).getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByRole("dialog", { name: "Remove this member?" }).waitFor();

    await open("/team", admin);
    await rows.nth(1).waitFor();
    assert.match((await rows.first().textContent()) ?? "", /You/);
    assert.equal(await rows.nth(1).getByRole("button").count(), 0, "an admin cannot remove an owner");
    await rows
      .first()
      .getByRole("button", { name: /^Actions for / })
      .click();
    await rows.first().getByRole("button", { name: "Leave" }).click();
    await page.getByRole("button", { name: "Leave workspace" }).click();
    await page.getByRole("heading", { name: "No workspace" }).waitFor();
    const { body } = await world.ask(`/api/members?organizationId=${ORGANIZATION_ID}`);
    assert.equal(body.members.length, 1);
  },
);

consoleTest("The link of a new invitation is shown until it is revoked.", async ({ page, open }) => {
  await open("/team");
  await page.getByRole("button", { name: "Add member" }).click();
  await page.getByRole("button", { name: "Create link" }).click();
  await page.getByRole("button", { name: "Copy link" }).waitFor();
  await page.getByRole("button", { name: "Revoke", exact: true }).click();
  await page.getByRole("button", { name: "Revoke invitation" }).click();
  await page.getByRole("button", { name: "Copy link" }).waitFor({ state: "detached" });
});

consoleTest(
  "After leaving a workspace the console shows another one of the user.",
  async ({ world, page, open }) => {
    await world.person("owner", await world.workspace());
    await open("/team");
    await openWorkspace(page, "Second");
    await page.getByRole("link", { name: "Team", exact: true }).click();
    const own = page.getByRole("row").filter({ hasText: "You" });
    await own.getByRole("button", { name: /^Actions for / }).click();
    await own.getByRole("button", { name: "Leave", exact: true }).click();
    await page.getByRole("button", { name: "Leave workspace" }).click();
    await workspaceOpened(page, "My workspace");
    await page.getByRole("heading", { name: "Team" }).waitFor();
    await workspaceMenu(page).click();
    assert.equal(await page.getByRole("button", { name: "Second", exact: true }).count(), 0);
  },
);

consoleTest(
  "On a phone a member takes at most 80 pixels, with the role and the menu beside the name and the address.",
  async ({ world, page, open, shoot }) => {
    const { token } = await world.person("viewer");
    const named = { method: "PATCH", token, body: { name: "Ada Lovelace" } };
    assert.equal((await world.ask("/api/profile", named)).status, 200);
    await page.setViewportSize({ width: 390, height: 844 });
    await open("/team");
    const row = page.getByRole("region", { name: "Members" }).locator("tbody tr").nth(1);
    await row.waitFor();
    const box = (await row.boundingBox())!;
    assert.ok(box.height <= 80, `${box.height}`);
    const circle = await row.locator(".initials").evaluate((element) => {
      const { width, height, borderRadius } = getComputedStyle(element);
      return [width, height, borderRadius, getComputedStyle(element, "::before").content];
    });
    assert.deepEqual(circle, ["28px", "28px", "50%", '"AL"']);
    const menu = row.getByRole("button", { name: "Actions for Ada Lovelace" });
    await menu.click();
    const remove = (await row.getByRole("button", { name: "Remove", exact: true }).boundingBox())!;
    assert.ok(remove.x >= 0 && remove.x + remove.width <= 390, "the whole menu is visible");
    await shoot("team-menu-phone");
    await page.keyboard.press("Escape");
    const changed = page.waitForResponse((response) => response.request().method() === "PATCH");
    await row.getByLabel("Role of Ada Lovelace").selectOption("Admin");
    await changed;
    const listed = await world.ask(`/api/members?organizationId=${ORGANIZATION_ID}`);
    assert.equal(
      listed.body.members.find((one: { name: string }) => one.name === named.body.name).role,
      "admin",
    );
  },
);
