/** The delivery page, and the note below the stats that leads to it. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { storedEvents } from "../../../server/test/ledger/reader.ts";
import { until } from "../../../server/test/support/until.ts";
import { eventsBody, eventsPath, pageEvent } from "../../../server/test/support/world.ts";
import { seriousFindings } from "../accessibility.ts";
import { consoleStatsTest } from "../console-world.ts";
import { lastDays, noon, scrollToEnd } from "../visits.ts";

consoleStatsTest(
  "The delivery page says what arrived, what was lost and why, and the stats lead to it.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    const sessionId = await world.openSession(source);
    const sequence = randomBytes(16).toString("hex");
    const idOf = (number: number) => `${sequence}~${999_999 + number}`;
    const send = async (numbers: number[], lost?: string) => {
      const events = numbers.map((number) => pageEvent({ id: idOf(number), lost }, noon(3)));
      const { body } = await world.send(eventsPath(source), eventsBody(sessionId, events));
      assert.equal(body.accepted, numbers.length, JSON.stringify(body));
    };
    await send([1, 2, 3, 4, 5, 6, 7]);
    await send([10], `too_old,event.${noon(3)}${idOf(9)}`);
    await until("all is shipped", () => storedEvents(world.dataDir).length === 0);

    await open(lastDays(source));
    await scrollToEnd(page);
    await page.getByText("In the last 7 days 20% of events were lost.").waitFor();
    await page.getByRole("link", { name: "Open Delivery" }).click();
    await page.getByText("80% of events arrived").waitFor();
    await page.getByRole("img", { name: "Lost events by day" }).waitFor();
    const rows = async (region: string) =>
      page
        .getByRole("region", { name: region, exact: true })
        .getByRole("row")
        .evaluateAll((all) =>
          all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)),
        );
    const [dropped, missing, possible] = await rows("Not arrived");
    assert.deepEqual([dropped?.[1], missing?.[1], possible?.[1]], ["1", "1", "0"]);
    assert.match(dropped?.[0] ?? "", /^too_old/);
    assert.deepEqual((await rows("Accepted"))[0], ["In the warehouse", "8"]);
    await page.getByRole("region", { name: "Worst pages", exact: true }).waitFor();
    assert.match((await rows("Worst pages"))[0]?.[1] ?? "", /^2 · 80%$/);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      assert.deepEqual(await seriousFindings(page), []);
      await shoot(`delivery-${width}`);
    }
    await page.getByRole("button", { name: "30 days" }).click();
    await page.getByText("80% of events arrived").waitFor();
  },
);
