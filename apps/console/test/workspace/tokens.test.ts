/** The groups of the page Tokens. */
import assert from "node:assert/strict";
import { ORGANIZATION_ID } from "../../../server/test/support/world.ts";
import { consoleTest } from "../console-world.ts";

const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

consoleTest(
  "Tokens are listed as access tokens, share links and browser sessions, in three lines each on a phone; a key is marked when it never expires and was unused for 90 days.",
  async ({ world, page, open, shoot }) => {
    const { sourceId } = await world.createSource({ name: "Shop" });
    for (const body of [
      { label: "Old import" },
      { label: "New import" },
      { label: "Board", sourceId, password: "open sesame please" },
      { label: "Shop server", sourceId, scope: "ingest" },
    ]) {
      const made = { method: "POST", body: { organizationId: ORGANIZATION_ID, ...body } };
      assert.equal((await world.ask("/api/tokens", made)).status, 201);
    }
    await page.route("**/api/tokens?*", async (route) => {
      const answer = await (await route.fetch()).json();
      const lastUsed: Record<string, string> = { "Old import": daysAgo(91), "New import": daysAgo(89) };
      const tokens = answer.tokens.map((token: { label: string; lastUsedAt: string | null }) => ({
        ...token,
        lastUsedAt: lastUsed[token.label] ?? token.lastUsedAt,
      }));
      await route.fulfill({ json: { ...answer, tokens } });
    });
    await open("/tokens");
    const rowsOf = (group: string) =>
      page.getByRole("region", { name: group, exact: true }).locator("tbody tr");
    const keys = rowsOf("Access tokens");
    await keys.filter({ hasText: "Shop server" }).waitFor();
    assert.deepEqual(await page.getByRole("main").getByRole("heading", { level: 2 }).allTextContents(), [
      "Access tokens",
      "Share links",
      "Browser sessions",
    ]);
    assert.equal(await rowsOf("Share links").count(), 1);
    const link = rowsOf("Share links").getByRole("cell");
    assert.match((await link.nth(0).textContent()) ?? "", /^Board …\w{4} · Password/);
    // its id until the sources are loaded
    await link.nth(1).getByText("Shop", { exact: true }).waitFor();
    await keys.filter({ hasText: "New import" }).getByText("Owner, this workspace").waitFor();
    const idle = keys.filter({ hasText: "Unused for 90 days" });
    assert.equal(await idle.count(), 1);
    assert.match((await idle.textContent()) ?? "", /^Old import/);

    await page.setViewportSize({ width: 390, height: 844 });
    await shoot("tokens-groups-phone");
    const heights = await page
      .locator(".tokens tbody tr")
      .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
    assert.ok(
      heights.every((height) => height <= 84),
      `${heights}`,
    );
  },
);
