/** Over a bad network and with reloads, each tracked event is stored exactly once. */
import assert from "node:assert/strict";
import { storedEvents } from "../../../apps/server/test/ledger/reader.ts";
import { until } from "../../../apps/server/test/support/until.ts";
import { fine } from "./bad-network.ts";
import { EVENTS, namesOf, storm, trackSlowly, trial } from "./loss-trial.ts";

for (const [what, weather] of [
  ["that delays each request by up to a second", storm(["pass"], 500)],
  ["that cuts every other request", storm(["cut", "pass"], 20)],
  ["whose server answers every other request with 503", storm(["503", "pass"], 20)],
  ["that swallows every other answer after the events were stored", storm(["swallow", "pass"], 20)],
  ["that does all of it at once", storm(["cut", "503", "swallow", "pass"], 200)],
] as const) {
  trial(`No event is lost and none is stored twice by a network ${what}.`, async (trial) => {
    const { network, newPage, arrives } = trial;
    network.weather = weather;
    const page = await newPage();
    const names = namesOf("event", EVENTS);
    await trackSlowly(page, names);
    await arrives(names);
  });
}

trial("Going offline and online again loses and duplicates no event.", async (trial) => {
  const { context, newPage, arrives, world } = trial;
  const page = await newPage();
  // If it stayed unsent, the queue would overflow by one event.
  await until("the view is stored", () => storedEvents(world.dataDir).length > 0);
  for (let part = 0; part < 4; part += 1) {
    await context.setOffline(part % 2 === 0);
    await trackSlowly(page, namesOf(`part ${part}`, EVENTS / 4));
  }
  await context.setOffline(false);
  await arrives([0, 1, 2, 3].flatMap((part) => namesOf(`part ${part}`, EVENTS / 4)));
});

trial("No event is lost and none is stored twice when the page is reloaded in the middle.", async (trial) => {
  const { network, newPage, arrives } = trial;
  network.weather = storm(["pass", "cut", "503", "swallow"], 100);
  const page = await newPage();
  for (let part = 0; part < 10; part += 1) {
    await page.waitForFunction(() => window.headwater?.version);
    await trackSlowly(page, namesOf(`part ${part}`, EVENTS / 10));
    await page.reload();
  }
  await arrives(namesOf("", 10).flatMap((_, part) => namesOf(`part ${part}`, EVENTS / 10)));
});

trial("The queue survives a reload: what an offline page tracked is sent by the next one.", async (trial) => {
  const { network, newPage, arrives, stored } = trial;
  // Together with the page view they fill the queue.
  const names = namesOf("event", EVENTS - 1);
  const page = await newPage();
  network.weather = { delayMs: () => 0, fate: () => "cut" };
  await trackSlowly(page, names);
  await page.goto("about:blank");
  assert.deepEqual(stored(), []);
  network.weather = fine;
  await page.goto(trial.site.url);
  await arrives(names);
});
