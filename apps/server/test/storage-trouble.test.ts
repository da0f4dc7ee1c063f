/** The log has one line when the storage begins to fail and one when it works again, however many requests fail. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { StorageError } from "../src/ledger/ledger.ts";
import { ledgerPath } from "../src/ledger/sqlite/database.ts";
import { watchStorageTrouble } from "../src/monitoring/storage-trouble.ts";
import { folder, serve } from "./cli/command-line.ts";
import { bootstrapBody, drivenClock, ORIGIN, SECOND } from "./support/world.ts";

function watched() {
  const lines: { level: string; fields: Record<string, unknown> }[] = [];
  const log = {
    info: (fields: object) => lines.push({ level: "info", fields: { ...fields } }),
    error: (fields: object) => lines.push({ level: "error", fields: { ...fields } }),
  };
  const driven = drivenClock();
  const trouble = watchStorageTrouble(log, driven.clock);
  const fail = (times: number) => {
    for (let time = 0; time < times; time++)
      trouble.failed(new StorageError("disk I/O error", "failed"), {
        requestId: `req_${time}`,
        traceId: null,
      });
  };
  return { lines, trouble, fail, advance: driven.advance };
}

it("A trouble is one line with the cause when it begins, and one with the number when it is over", () => {
  const { lines, trouble, fail, advance } = watched();
  trouble.worked();
  fail(500);
  assert.equal(lines.length, 1);
  assert.equal(lines[0]!.level, "error");
  assert.match(String((lines[0]!.fields.err as Error).message), /disk I\/O error/);
  advance(10 * SECOND);
  trouble.worked();
  trouble.worked();
  assert.deepEqual(lines.slice(1), [{ level: "info", fields: { failed: 500 } }]);
});

it("A storage that does some things and not others is in one trouble", () => {
  const { lines, trouble, fail, advance } = watched();
  for (let time = 0; time < 100; time++) {
    fail(1);
    advance(SECOND);
    trouble.worked();
  }
  assert.equal(lines.length, 1);
});

it("A failure long after the last one has a line of its own", () => {
  const { lines, fail, advance } = watched();
  fail(3);
  advance(3_600 * SECOND);
  fail(3);
  assert.equal(lines.length, 2);
});

it("A service whose ledger fails for ingest and for reading writes one line, not one a request", async () => {
  using data = folder();
  const settings = { DATA_DIR: data.at("data"), LOG_LEVEL: "info" };
  const service = await serve(settings);
  try {
    const headers = {
      authorization: `Bearer ${service.firstStart!.token}`,
      "content-type": "application/json",
    };
    const create = { organizationId: "org_default", name: "Shop", allowedOrigins: [ORIGIN] };
    const made = { method: "POST", headers, body: JSON.stringify(create) };
    const source = await (await fetch(`${service.url}/api/tracking-sources`, made)).json();
    using beside = new DatabaseSync(ledgerPath(settings.DATA_DIR));
    beside.exec("alter table sessions rename to elsewhere; alter table usage rename to nowhere");
    const { publicKey } = source as { publicKey: string };
    for (let time = 0; time < 10; time++) {
      const usage = await fetch(`${service.url}/api/usage?organizationId=org_default`, { headers });
      assert.equal(usage.status, 503);
      const body = JSON.stringify(bootstrapBody());
      const path = `/api/ingest/v2/${publicKey}/bootstrap`;
      const sent = { method: "POST", headers: { origin: ORIGIN }, body };
      assert.equal((await fetch(service.url + path, sent)).status, 503);
    }
  } finally {
    await service.stop();
  }
  const lines = service.stdout().split("\n");
  const said = lines.filter((line) => line.includes("the storage fails"));
  assert.equal(said.length, 1);
  assert.match(said[0]!, /no such table: usage/);
  const errors = lines.filter(
    (line) => line.includes('"level":50') && !line.includes('"the service is not ready"'),
  );
  assert.deepEqual(errors, said, "and no other error of a request");
});
