/** The install page and the stats say when visitors count on two hosts of a source. */
import assert from "node:assert/strict";
import { ORGANIZATION_ID } from "../../server/test/support/world.ts";
import { seriousFindings } from "./accessibility.ts";
import { consoleStatsTest } from "./console-world.ts";
import { lastDays, noon, type SentVisit, scrollToEnd, visits } from "./visits.ts";

const WWW = "https://www.shop.test";
const APP = "https://app.shop.test";

/** @param isJoined the visitors have one id on both hosts, as with the option of the client */
const moves = (isJoined: boolean): SentVisit[] =>
  ["ann", "bob", "cid", "dan", "eve"].flatMap((visitor) => [
    { visitor, at: noon(1), paths: ["/"], origin: WWW },
    {
      visitor: isJoined ? visitor : `${visitor}-app`,
      at: noon(1) + 3_600_000,
      paths: ["/cart"],
      origin: APP,
      referrer: `${WWW}/`,
    },
  ]);

consoleStatsTest(
  "The install page and the stats name the visitors who count on two hosts and the option, until they count as one.",
  async ({ world, context, page, open, shoot }) => {
    const split = await world.createSource();
    await visits(world, split, moves(false));
    const joined = await world.createSource({ name: "Joined" });
    await visits(world, joined, moves(true));
    const problem = "5 visitors went from www.shop.test to app.shop.test and were counted on both.";
    const notice = page.getByText(problem);
    const install = `/analytics/setup/install?sourceId=${split.sourceId}`;

    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      await open(lastDays(split));
      await scrollToEnd(page);
      await notice.filter({ hasText: "On the Install page, turn on Subdomains." }).waitFor();
      await notice.scrollIntoViewIfNeeded();
      assert.deepEqual(await seriousFindings(page), []);
      await shoot(`host-split-stats-${width}`);
      await page.getByRole("link", { name: "Open Install" }).click();
      await page.getByRole("status").filter({ hasText: problem }).waitFor();
      await page.getByText("On: Measure engagement").click();
      await page.getByRole("switch", { name: "Subdomains" }).waitFor();
      assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, install);
      assert.deepEqual(await seriousFindings(page), []);
      assert.ok(
        await page.evaluate(
          () => document.documentElement.scrollWidth <= document.documentElement.clientWidth,
        ),
      );
      await shoot(`host-split-install-${width}`);
    }

    for (const address of [lastDays(joined), `/analytics/setup/install?sourceId=${joined.sourceId}`]) {
      const answered = page.waitForResponse(/\/api\/stats\/host-split/);
      await open(address);
      if (address === lastDays(joined)) await scrollToEnd(page);
      assert.equal((await (await answered).json()).split, null);
      assert.equal(await notice.count(), 0);
    }

    const link = await world.ask("/api/tokens", {
      method: "POST",
      body: { organizationId: ORGANIZATION_ID, label: "Board", sourceId: split.sourceId },
    });
    const guest = await context.newPage();
    const asked: string[] = [];
    guest.on("request", (request) => asked.push(request.url()));
    await guest.goto(`${world.url}/shared?sourceId=${split.sourceId}#token=${link.body.token}`);
    await guest.getByRole("region", { name: "Key metrics" }).getByText("Visitors", { exact: true }).waitFor();
    await guest.getByRole("row").first().waitFor();
    assert.deepEqual(
      asked.filter((url) => url.includes("/api/stats/host-split")),
      [],
    );
  },
);
