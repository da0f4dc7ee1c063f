/** After an erasure on SQLite, no file of DATA_DIR has the visitor's id. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/until.ts";
import {
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  openWorld,
  pageEvent,
  trackEvent,
} from "../support/world.ts";

const VISITOR = "visitor-whose-id-must-not-stay-0123456789";

const filesWith = (folder: string, text: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));

test("When a receipt says done, the id is in no file, not even in unused pages or the -wal.", async () => {
  await using world = await openWorld({ DATABASE_URL: "" });
  const source = await world.createSource();
  const sessionId = await world.openSession(source, { anonymousId: VISITOR });
  await world.send(bootstrapPath(source), bootstrapBody({ anonymousId: "another", events: [pageEvent()] }));
  for (let batch = 0; batch < 20; batch += 1)
    await world.send(eventsPath(source), {
      ...eventsBody(sessionId, [trackEvent(), trackEvent()]),
      anonymousId: VISITOR,
    });
  assert.ok(filesWith(world.dataDir, VISITOR).length > 0, "the id is in the files before");

  const { organizationId } = world;
  const body = { organizationId, anonymousId: VISITOR };
  const { body: receipt, status } = await world.ask("/api/visitors/erase", { method: "POST", body });
  assert.equal(status, 202, JSON.stringify(receipt));
  await until("the erasure is done", async () => {
    const { body } = await world.ask(
      `/api/visitors/erase/${receipt.receiptId}?organizationId=${organizationId}`,
    );
    return body.status === "done";
  });
  assert.deepEqual(filesWith(world.dataDir, VISITOR), []);
});
