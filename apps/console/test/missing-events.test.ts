/** The stats pages say so when the warehouse has lost events. */
import assert from "node:assert/strict";
import { headwater } from "../../server/test/cli/command-line.ts";
import { until } from "../../server/test/support/until.ts";
import { ORGANIZATION_ID } from "../../server/test/support/world.ts";
import { onServedWarehouse } from "../../server/test/warehouse/ask.ts";
import { SCHEMES, seriousFindings } from "./accessibility.ts";
import { consoleStatsTest } from "./console-world.ts";
import { dayOf, lastDays, noon, visits } from "./visits.ts";

consoleStatsTest(
  "While events are missing in the warehouse, a banner says how many and of which days; members and guests see it.",
  async ({ world, context, page, open, shoot }) => {
    const source = await world.createSource();
    await visits(world, source, [{ visitor: "ann", at: noon(1), paths: ["/", "/pricing"] }]);
    const check = (...words: string[]) =>
      headwater({ DATA_DIR: world.dataDir, WAREHOUSE: "" }, "check-warehouse", ...words);
    await open(lastDays(source));
    await page.getByRole("slider", { name: "Visitors by day" }).waitFor();
    const banner = page.getByRole("alert").filter({ hasText: "Stats are incomplete" });
    assert.equal(await banner.count(), 0);

    await onServedWarehouse(world.dataDir, (client) => client.command({ query: "TRUNCATE TABLE events" }));
    // an event can be queried a moment before the ledger counts it as shipped
    await until("the loss is found", async () => {
      const { missingEvents } = (await check("--json")).json();
      return missingEvents === 2;
    });
    const { sourceId } = source;
    const missing = async () =>
      (await world.ask(`/api/stats/source?sourceId=${sourceId}`)).body.missingEvents?.events ?? 0;
    await until("the service knows the report", async () => (await missing()) === 2);
    await page.reload();
    await banner.filter({ hasText: `lost 2 events for ${dayOf(noon(1))} (UTC)` }).waitFor();
    for (const { colorScheme, rules } of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousFindings(page, rules), []);
      await shoot(`missing-events-${colorScheme}`);
    }

    const link = await world.ask("/api/tokens", {
      method: "POST",
      body: { organizationId: ORGANIZATION_ID, label: "Board", sourceId },
    });
    assert.equal(link.status, 201, link.text);
    const guest = await context.newPage();
    await guest.goto(`${world.url}/shared?sourceId=${sourceId}#token=${link.body.token}`);
    await guest.getByRole("alert").filter({ hasText: "lost 2 events" }).waitFor();

    assert.equal((await check("--accept")).code, 0);
    await until("the service knows that it is accepted", async () => (await missing()) === 0);
    await page.reload();
    await page.getByText("No data in this range").waitFor();
    assert.equal(await banner.count(), 0);
  },
  { isApart: true },
);
