/** The delivery page, and the note below the stats that leads to it. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { Page } from "playwright-core";
import { storedEvents } from "../../../server/test/ledger/reader.ts";
import { until } from "../../../server/test/support/until.ts";
import {
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  pageEvent,
  type World,
} from "../../../server/test/support/world.ts";
import { seriousFindings } from "../accessibility.ts";
import { consoleStatsTest } from "../console-world.ts";
import { dayOf, lastDays, noon, scrollToEnd } from "../visits.ts";

const rowsOf = (page: Page, region: string) =>
  page
    .getByRole("region", { name: region, exact: true })
    .getByRole("row")
    .evaluateAll((all) => all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)));

/** For example `Lost 40`. */
const sumsOf = (page: Page) =>
  page
    .locator(".delivery-sums > div")
    .evaluateAll((all) =>
      all.map(({ children: [name, events] }) => `${name?.textContent} ${events?.textContent}`),
    );

/** As the page writes it. */
const shortDay = (at: number) =>
  new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" }).format(at);

const statsOf = ({ sourceId }: { sourceId: string }, from: number, to: number) =>
  `/analytics/stats?sourceId=${sourceId}&range=${dayOf(noon(from))}..${dayOf(noon(to))}&tz=UTC`;

/** Ten numbered events of that day, of which one was dropped and one is missing. */
async function sendDay(world: World, source: { publicKey: string }, daysAgo: number): Promise<void> {
  const sessionId = await world.openSession(source);
  const sequence = randomBytes(16).toString("hex");
  const idOf = (number: number) => `${sequence}~${999_999 + number}`;
  const send = async (numbers: number[], lost?: string) => {
    const events = numbers.map((number) => pageEvent({ id: idOf(number), lost }, noon(daysAgo)));
    const { body } = await world.send(eventsPath(source), eventsBody(sessionId, events));
    assert.equal(body.accepted, numbers.length, JSON.stringify(body));
  };
  await send([1, 2, 3, 4, 5, 6, 7]);
  await send([10], `too_old,event.${noon(daysAgo)}${idOf(9)}`);
}

/** Requests from an origin that is not allowed, which the alerts' rounds before and after them notice. */
async function fail(world: World, source: { sourceId: string; publicKey: string }): Promise<void> {
  await world.server.maintain();
  for (let count = 0; count < 20; count++)
    await world.send(bootstrapPath(source), bootstrapBody(), { origin: "https://wrong.example" });
  // it answers when all attempts are recorded
  await world.ask(`/api/tracking-sources/${source.sourceId}/debug`);
  await world.server.maintain();
}

/** Looks at the page at four widths in both colour schemes. */
async function look(page: Page, shoot: (name: string) => Promise<void>, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1440, 1024, 390, 320]) {
      await page.setViewportSize({ width, height: 900 });
      assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), `${width}`);
      await shoot(`delivery-${name}-${width}-${colorScheme}`);
    }
    assert.deepEqual(await seriousFindings(page), []);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
}

consoleStatsTest(
  "The delivery page says what arrived, what was lost, why and what to do, and the stats lead to it.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    await sendDay(world, source, 3);
    await until("all is shipped", () => storedEvents(world.dataDir).length === 0);

    await open(lastDays(source));
    await scrollToEnd(page);
    await page.getByText(/: 20% of events were lost\./).waitFor();
    await page.getByRole("link", { name: "Open Delivery" }).click();
    await page.getByText("20% of all events", { exact: true }).waitFor();
    assert.deepEqual(await sumsOf(page), ["Accepted 8", "Lost 2"]);
    const chart = page.getByRole("img", { name: "Lost events by UTC day" });
    assert.deepEqual(await chart.locator("b").allTextContents(), ["2", "0", "0"]);
    assert.equal(await page.locator(".day-names > span").first().textContent(), shortDay(noon(3)));
    const [dropped, missing, ...more] = await rowsOf(page, "Lost: 2");
    assert.deepEqual([dropped?.[1], missing?.[1], more.length], ["1", "1", 0]);
    assert.match(dropped?.[0] ?? "", /^Unsent for more than a day.*Check Debug/);
    assert.match(missing?.[0] ?? "", /^Never arrived/);
    assert.deepEqual((await rowsOf(page, "Accepted"))[0], ["In the warehouse", "8"]);
    await page.getByRole("region", { name: "Pages with the most lost events", exact: true }).waitFor();
    const [heads, worst] = await rowsOf(page, "Pages with the most lost events");
    assert.deepEqual([heads, worst?.slice(1)], [[], ["2", "10"]], "of the numbered events of the page");
    await page.getByText("2 lost events cannot be recovered.").waitFor();
    assert.equal(await page.getByText(/Noticed/).count(), 0);
    await fail(world, source);
    await page.reload();
    await page.getByText("Most requests are failing. Noticed just now.").waitFor();
    await page.getByRole("link", { name: "Open Debug" }).waitFor();
    await page.getByText("20% of all events", { exact: true }).waitFor();
    await look(page, shoot, "full");
    await page.getByRole("button", { name: "30 days" }).click();
    await page.getByText(`Most: 2 lost events on ${shortDay(noon(3))}`).waitFor();
  },
);

consoleStatsTest(
  "The note looks at the shown days, and the page opens with them.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    await sendDay(world, source, 40);
    const plain = Array.from({ length: 10 }, () => pageEvent({}, noon(40)));
    await world.send(eventsPath(source), eventsBody(await world.openSession(source), plain));
    await sendDay(world, source, 2);
    await until("all is shipped", () => storedEvents(world.dataDir).length === 0);
    const link = page.getByRole("link", { name: "Open Delivery" });
    await open(statsOf(source, 42, 38));
    await scrollToEnd(page);
    await link.click();
    const linked = page.getByRole("group", { name: "Range" }).getByRole("button").first();
    await page.getByText("10% of all events, 20% of the 10 numbered ones").waitFor();
    assert.equal(await linked.getAttribute("aria-pressed"), "true");
    await page.getByRole("img", { name: "Lost events by UTC day" }).waitFor();
    await page.getByText(shortDay(noon(42)), { exact: true }).waitFor();

    const asked: string[] = [];
    page.on("response", (response) => {
      if (response.url().includes("/delivery?")) asked.push(new URL(response.url()).search);
    });
    await open(`/analytics/stats?sourceId=${source.sourceId}&range=365d&tz=UTC`);
    await scrollToEnd(page);
    await page.getByText(/: 20% of events were lost\./).waitFor();
    const [from, to] = [dayOf(noon(30)), dayOf(noon(0))];
    assert.deepEqual(asked, [`?from=${from}&to=${to}`], "the newest days of a long range");
  },
);

consoleStatsTest(
  "The delivery page waits for the first event, leads to the events that can be replayed, and says when there are none.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    const { sourceId } = source;
    const address = `/sources/delivery?sourceId=${sourceId}`;
    await open(address);
    await page.getByText("Waiting for the first event…").waitFor();
    await page.getByRole("link", { name: "Open Install" }).waitFor();
    assert.equal(await page.getByRole("group", { name: "Range" }).count(), 0, "no range to choose");
    await look(page, shoot, "empty");

    const sessionId = await world.openSession(source);
    await world.send(eventsPath(source), eventsBody(sessionId, [pageEvent()]));
    await page.getByText("No lost events were reported").waitFor();
    assert.deepEqual(await sumsOf(page), ["Accepted 1", "Lost 0"]);
    assert.equal(await page.getByRole("region", { name: /^(?:Lost|Rejected): / }).count(), 0);
    await page.getByText("There are no kept events to replay.").waitFor();
    const body = eventsBody(sessionId, [pageEvent()]);
    assert.equal((await world.send(eventsPath(source), body, { origin: "https://new.example" })).status, 403);
    const keptPath = `/api/tracking-sources/${sourceId}/quarantine`;
    await until("the event is kept", async () => (await world.ask(keptPath)).body.events === 1);
    await page.reload();
    await page
      .getByText("1 kept event can be replayed after you fix the cause: Origin not allowed.")
      .waitFor();
    assert.deepEqual(await sumsOf(page), ["Accepted 1", "Lost 0"]);
    await look(page, shoot, "kept");
    await page.getByRole("link", { name: "Review kept events" }).click();
    await page.getByRole("list", { name: "Kept events by cause" }).waitFor();
    await open(`${address}&days=${dayOf(noon(20))}..${dayOf(noon(15))}`);
    await page.getByText("No events were accepted or lost in this range.").waitFor();
    await page.getByRole("link", { name: "Review kept events" }).waitFor();

    const patch = { organizationId: world.organizationId, keepRejected: 0 };
    assert.equal(
      (await world.ask(`/api/tracking-sources/${sourceId}`, { method: "PATCH", body: patch })).status,
      200,
    );
    await world.server.maintain();
    await open(address);
    await page.getByText("This source does not keep rejected events, so they cannot be replayed.").waitFor();
    await page.getByRole("link", { name: "Keep rejected events" }).click();
    await page.getByLabel("Keep rejected events").waitFor();
  },
);
