/** A query that the warehouse does not answer in time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { WarehouseClient } from "../../src/clickhouse/client.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { createQueryRunner } from "../../src/stats/run-query.ts";

/** @param error what ClickHouse or its client rejects the statement with */
async function refusalFor(error: Error): Promise<Refusal> {
  const client = { query: () => Promise.reject(error) } as unknown as WarehouseClient;
  const runner = createQueryRunner({ state: () => "up", client: () => client });
  const ask = runner({ organizationId: "org_1", signal: new AbortController().signal });
  const refusal = await ask({ query: "SELECT 1", parameters: {} }).catch((failure: unknown) => failure);
  assert.ok(refusal instanceof Refusal);
  return refusal;
}

test("A query that takes too long is refused as too heavy, with what to do.", async () => {
  const stopped = Object.assign(new Error("Timeout exceeded: elapsed 20.1 seconds"), { code: "159" });
  for (const error of [stopped, new Error("Timeout error.")]) {
    const { code, message, hint } = await refusalFor(error);
    assert.equal(code, "query_too_heavy");
    assert.equal(message, "The query took too long and was stopped.");
    assert.match(hint, /^Use a shorter range, fewer dimensions/);
  }
});

test("A query that finds too many others running is refused as overloaded, which says to wait.", async () => {
  const error = Object.assign(new Error("Too many simultaneous queries"), { code: "202" });
  const { code, message, hint } = await refusalFor(error);
  const said = "Too many queries are running. Wait a few seconds, then try again.";
  assert.deepEqual([code, `${message} ${hint}`], ["overloaded", said]);
});
