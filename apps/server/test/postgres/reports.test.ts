/** Nodes that share a ledger send each report once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditEntry } from "@headwater/contract";
import { openStatsWorld } from "../stats/stats-world.ts";
import { startMailServer } from "../support/mail-server.ts";
import { ORGANIZATION_ID } from "../support/world.ts";
import { newFolder } from "../warehouse/store.ts";
import { clearTestWarehouse, startTestWarehouse } from "../warehouse/test-warehouse.ts";
import { createDatabase } from "./databases.ts";

const MONDAY = Date.UTC(2026, 10, 23, 6);
const TARGETS = ["a@shop.example", "b@shop.example", "c@shop.example"];

test("Two nodes that look for due reports at the same time send each of them once.", async (t) => {
  const database = await createDatabase();
  t.after(() => database.remove());
  const folder = newFolder();
  const engine = await startTestWarehouse(folder);
  t.after(async () => {
    engine.end();
    await engine.ended;
    await clearTestWarehouse(folder);
  });
  await using mails = await startMailServer();
  const settings = { DATABASE_URL: database.url, SMTP_URL: mails.url, MAIL_FROM: "hw@example.com" };
  await using one = await openStatsWorld(settings, engine.endpoint);
  await using other = await openStatsWorld(settings, engine.endpoint);
  const source = await one.world.createSource();
  const path = `/api/tracking-sources/${source.sourceId}/reports`;
  for (const target of TARGETS) {
    const body = { period: "week", channel: "email", target };
    assert.equal((await one.world.ask(path, { method: "POST", body })).status, 201);
  }
  const links = mails.received.map(({ text }) => /\/api\/reports\/consent\/\S+/.exec(text)?.[0] ?? "");
  mails.received.length = 0;
  for (const { world } of [one, other])
    for (const link of links) await world.ask(link, { method: "POST", token: null });
  const { entries } = (await one.world.ask(`/api/audit?organizationId=${ORGANIZATION_ID}`)).body;
  const agreed = entries.filter(({ action }: AuditEntry) => action === "source.report_confirmed");
  assert.equal(agreed.length, TARGETS.length, "a link works once, whichever node it is opened at");
  const nodes = [one, other];
  for (const node of nodes) node.setNow(MONDAY);
  for (let rounds = 0; rounds < 3; rounds += 1)
    await Promise.all(nodes.map(({ world }) => world.server.maintain()));
  assert.deepEqual(mails.received.flatMap(({ to }) => to).sort(), TARGETS);
});
