/** Pages sealed by several nodes while an erasure rewrites what waits. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { zstdDecompressSync } from "node:zlib";
import pg from "pg";
import { aCommit, keyOf, NOW, SOME_DAY } from "../ledger/ledger-home.suite.ts";
import { until } from "../support/until.ts";
import { query } from "./cluster.ts";
import { createDatabase, openAt } from "./databases.ts";

const LEASE_MS = 600_000;

const entryOf = (id: string, anonymousId: string) => {
  const at = new Date(NOW).toISOString();
  const event = { id, sourceId: "src_1", anonymousId, occurredAt: at, receivedAt: at };
  return { key: keyOf(id), line: Buffer.from(JSON.stringify(event)), day: SOME_DAY };
};

it("Sealing waits for a running erasure, and then seals the page once without the erased events", async () => {
  const { url, remove } = await createDatabase();
  const nodes = [await openAt(url, NOW), await openAt(url, NOW)] as const;
  const beside = new pg.Client(url);
  await beside.connect();
  try {
    await nodes[0].commit(aCommit({ entries: [entryOf("one", "erased"), entryOf("two", "kept")] }));
    // what the erasure changes last
    await beside.query("begin; select from outbox_totals for update");
    const waiting = (count: number) =>
      until(`${count} wait`, async () => {
        const text =
          "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
        return (await query(url, text)).length === count;
      });
    const visitors = [{ sourceIds: ["src_1"], kind: "anonymousId" as const, id: "erased", until: NOW + 1 }];
    const erasing = nodes[0].eraseOutbox({ visitors, after: null, sealed: false });
    await waiting(1);
    const taking = nodes.map((node, index) =>
      node.claimPage({ pageId: `pag_${index}`, now: NOW, maxEvents: 100, leaseMs: LEASE_MS }),
    );
    await waiting(3);
    await beside.query("commit");
    await erasing;
    const pages = (await Promise.all(taking)).filter((page) => page !== null);
    const lines = pages.flatMap(({ parts }) =>
      parts.map(({ payload }) => zstdDecompressSync(payload).toString("utf8")),
    );
    assert.deepEqual([pages.map(({ events }) => events), lines], [[1], [`${entryOf("two", "kept").line}`]]);
  } finally {
    await beside.end();
    for (const node of nodes) await node.close();
    await remove();
  }
});
