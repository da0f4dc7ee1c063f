/** The events that a source keeps although it did not store them, in the debug page, and their replay. */
import assert from "node:assert/strict";
import { until } from "../../../server/test/support/until.ts";
import {
  bootstrapBody,
  bootstrapPath,
  fresh,
  ORGANIZATION_ID,
  trackEvent,
} from "../../../server/test/support/world.ts";
import { consoleTest } from "../console-world.ts";

consoleTest(
  "Kept events of an origin are replayed when the origin is allowed, and the dialog says what would happen before.",
  async ({ world, page, open }) => {
    const source = await world.createSource({ allowedOrigins: ["https://other.example"] });
    const sent = { batchId: fresh("batch"), sentAt: new Date().toISOString() };
    const body = bootstrapBody({ ...sent, events: [trackEvent(), trackEvent()] });
    assert.equal((await world.send(bootstrapPath(source), body)).status, 403);
    const path = `/api/tracking-sources/${source.sourceId}`;
    await open(`/analytics/setup/debug?sourceId=${source.sourceId}`);
    const kept = page.getByRole("listitem").filter({ hasText: /^2 kept events/ });
    await kept.getByRole("button", { name: "Review: Kept events" }).click();
    await kept.getByRole("button", { name: /^Replay signup/ }).click();
    const dialog = page.getByRole("dialog", { name: "Replay kept events" });
    await dialog.getByText("0 of 2 events would be accepted").waitFor();
    await dialog.getByText(/^2 events would be rejected again: The origin/).waitFor();
    const replay = dialog.getByRole("button", { name: "Replay" });
    assert.equal(await replay.getAttribute("aria-disabled"), "true");
    await dialog.getByRole("button", { name: "Cancel" }).click();

    const change = { organizationId: ORGANIZATION_ID, allowedOrigins: ["https://shop.example"] };
    assert.equal((await world.ask(path, { method: "PATCH", body: change })).status, 200);
    await kept.getByRole("button", { name: /^Replay signup/ }).click();
    await dialog.getByText("2 of 2 events would be accepted").waitFor();
    await replay.click();
    await dialog.getByText("Done: 2 of 2 stored, 0 duplicates, 0 rejected again.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await until("nothing is kept", async () => (await kept.count()) === 0);
  },
);

consoleTest(
  "Kept events of seven origins are shown five at first and all on request, and one replay takes them all.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource({ allowedOrigins: ["https://other.example"] });
    const origins = [1, 2, 3, 4, 5, 6, 7].map((n) => `https://shop${n}.example`);
    for (const origin of origins) {
      const sent = { batchId: fresh("batch"), sentAt: new Date().toISOString() };
      const body = bootstrapBody({ ...sent, events: [trackEvent()] });
      assert.equal((await world.send(bootstrapPath(source), body, { origin })).status, 403);
    }
    const change = { organizationId: ORGANIZATION_ID, allowedOrigins: origins };
    const path = `/api/tracking-sources/${source.sourceId}`;

    await open(`/analytics/setup/debug?sourceId=${source.sourceId}`);
    await page.getByRole("button", { name: "Review: Kept events" }).click();
    const groups = page.getByRole("list", { name: "Kept events by cause" }).getByRole("listitem");
    await groups.first().waitFor();
    assert.equal(await groups.count(), 5);
    await shoot("kept-groups");
    await page.getByRole("button", { name: "Show all 7 groups" }).click();
    assert.equal(await groups.count(), 7);
    await page.getByRole("button", { name: "Replay all…" }).click();
    const dialog = page.getByRole("dialog", { name: "Replay kept events" });
    // no sentence about the first of the origins
    await dialog.getByText("7 events would be rejected again: Origin not allowed").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();

    assert.equal((await world.ask(path, { method: "PATCH", body: change })).status, 200);
    await page.getByRole("button", { name: "Replay all…" }).click();
    await dialog.getByText("7 of 7 events would be accepted").waitFor();
    await dialog.getByRole("button", { name: "Replay" }).click();
    await dialog.getByText("Done: 7 of 7 stored, 0 duplicates, 0 rejected again.").waitFor();
  },
);
