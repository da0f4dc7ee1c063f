/** Statements that run at the same time share the memory of the warehouse. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { WarehouseClient } from "../../src/clickhouse/client.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { createQueryRunner } from "../../src/stats/run-query.ts";

const TOTAL = "(total) memory limit exceeded: would use 1.01 GiB, maximum: 1.00 GiB.";
const OWN = "Query memory limit exceeded: would use 519.49 MiB, maximum: 512.00 MiB.";

/** Fails statements as ClickHouse does: more than one at a time do not fit. */
function openWarehouse(maxAtOnce: number) {
  let [active, statements] = [0, 0];
  const client = {
    query: async () => {
      active += 1;
      statements += 1;
      const mine = active;
      await new Promise(setImmediate);
      active -= 1;
      if (mine > maxAtOnce) throw Object.assign(new Error(maxAtOnce > 0 ? TOTAL : OWN), { code: "241" });
      return { json: async () => [[1]] };
    },
  } as unknown as WarehouseClient;
  const warehouse = { state: () => "up" as const, client: () => client };
  const signal = new AbortController().signal;
  return { run: createQueryRunner(warehouse)({ organizationId: "org_1", signal }), count: () => statements };
}
const statementOf = (number: number) => ({ query: `SELECT ${number}`, parameters: {} });

test("Statements that together need too much memory are answered one after the other.", async () => {
  const { run } = openWarehouse(1);
  const answers = await Promise.all([1, 2, 3].map((number) => run(statementOf(number))));
  assert.deepEqual(answers, [[[1]], [[1]], [[1]]]);
});

test("A statement that alone needs too much memory is refused at once.", async () => {
  const { run, count } = openWarehouse(0);
  await assert.rejects(
    run(statementOf(1)),
    (error) => error instanceof Refusal && error.code === "query_too_heavy",
  );
  assert.equal(count(), 1);
});
