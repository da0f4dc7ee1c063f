/** Generations turn while two nodes send the same new and old ids at once. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { DEDUP_WINDOW_SECONDS, LIMITS } from "@headwater/contract";
import pg from "pg";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { AGED_SLOTS, KEY_SLOTS } from "../../src/ledger/postgres/commit-ddl.ts";
import { KeyFilters } from "../../src/ledger/postgres/key-filters.ts";
import { openPostgresLedger } from "../../src/ledger/postgres/open.ts";
import type { CommitEntry } from "../../src/ledger/records.ts";
import { createRandom } from "../faults/random.ts";
import { aCommit, entries } from "../ledger/ledger-home.suite.ts";
import { query } from "./cluster.ts";
import { createDatabase, setClock } from "./databases.ts";

const ROTATIONS = process.env.TEST_LONG ? 100 : 15;
const CLIENTS = 8;
const BATCHES = 12;
const START = Date.UTC(2026, 10, 21, 12);
const GENERATION_MS = LIMITS.keyGenerationSeconds * 1_000;
/** Most generations that are opened because the one before is full. The other tables wait for generations that come with time. */
const MOST_FULL = KEY_SLOTS - AGED_SLOTS;
const WINDOW_MS = DEDUP_WINDOW_SECONDS * 1_000;

/** Every client sends every batch, in an order of its own, half of them to each node; how often each key was accepted. */
async function sendAtOnce(
  nodes: Ledger[],
  receivedAt: number,
  batches: CommitEntry[][],
  shift: () => number,
) {
  const accepted = new Map<string, number>();
  const client = async (number: number) => {
    const first = shift();
    for (const at of batches.keys()) {
      const batch = batches[(at + first) % batches.length]!;
      const flags = await nodes[number % nodes.length]!.commit(aCommit({ receivedAt, entries: batch }));
      for (const [index, { key }] of batch.entries())
        accepted.set(key, (accepted.get(key) ?? 0) + flags[index]!);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  return accepted;
}

it("Two nodes that send the same ids at once while generations change accept each id once", async (t) => {
  const random = createRandom();
  t.diagnostic(`seed ${random.seed}, ${ROTATIONS} rotations`);
  const { url, remove } = await createDatabase();
  await setClock(url, START);
  const nodes = await Promise.all([openPostgresLedger({ url }), openPostgresLedger({ url })]);
  const history: { at: number; batch: CommitEntry[] }[] = [];
  let now = START;
  let total = 0;
  try {
    for (let rotation = 1; rotation <= ROTATIONS; rotation += 1) {
      const news = Array.from({ length: BATCHES }, () => entries(random.between(1, 5)));
      const olds = history
        .filter(({ at }) => now + GENERATION_MS - at <= WINDOW_MS)
        .map(({ batch }) => batch);
      const all = [...news, ...olds];
      const turnedAt = now + GENERATION_MS;
      await setClock(url, turnedAt);
      const [accepted] = await Promise.all([
        sendAtOnce(nodes, turnedAt, all, () => random.between(0, all.length)),
        ...nodes.map((node) => node.maintain({ now: turnedAt })),
      ]);
      for (const { key } of news.flat()) assert.equal(accepted.get(key), 1, `rotation ${rotation}, a new id`);
      for (const { key } of olds.flat())
        assert.equal(accepted.get(key), 0, `rotation ${rotation}, an old id`);
      now = turnedAt;
      history.push(...news.map((batch) => ({ at: now, batch })));
      total += news.flat().length;
    }
    const [{ newest }] = (await query(url, "select max(generation)::int as newest from key_generations")) as [
      { newest: number },
    ];
    assert.equal(newest, ROTATIONS + 1, "each rotation turned the generation once");
    assert.equal((await nodes[0]!.probe({ now })).outboxEvents, total);
    const [{ deadlocks }] = (await query(
      url,
      "select deadlocks::int from pg_stat_database where datname = current_database()",
    )) as [{ deadlocks: number }];
    assert.equal(deadlocks, 0);
    t.diagnostic(`${total} ids, each accepted once by ${CLIENTS} clients over two nodes`);
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
    await remove();
  }
});

it("A node with a wrong clock retires nothing too early, because the database's clock counts", async () => {
  const { url, remove } = await createDatabase();
  const node = await openPostgresLedger({ url });
  try {
    const batch = entries(2);
    const send = async () => [...(await node.commit(aCommit({ entries: batch })))];
    assert.deepEqual(await send(), [1, 1]);
    for (let days = -40; days <= 40; days += 1) {
      const { trustedAt } = await node.deletionClock({ now: Date.now() + days * 86_400_000 });
      await node.maintain({ now: trustedAt });
    }
    assert.deepEqual(await send(), [0, 0]);
    assert.equal((await query(url, "select from key_generations")).length, 1);
  } finally {
    await node.close();
    await remove();
  }
});

it("A full generation is followed by a new one while enough tables are left for generations that become old", async () => {
  const { url, remove } = await createDatabase();
  await setClock(url, START);
  const node = await openPostgresLedger({ url });
  const count = async () => (await query(url, "select from key_generations")).length;
  const turn = "select turn_keys(at => ledger_now(), generation_ms => $1, full_keys => $2, learnable => $3)";
  const sent: CommitEntry[][] = [];
  try {
    for (let generation = 2; generation <= KEY_SLOTS + 1; generation += 1) {
      // each larger than the last, since one that is small beside all is not full
      sent.push(entries(100 * generation));
      await node.commit(aCommit({ receivedAt: START, entries: sent.at(-1)! }));
      await query(url, turn, [GENERATION_MS, 1_000_000, 1_000_000]);
      assert.equal(await count(), Math.min(generation - 1, MOST_FULL), "a small one stays the newest");
      await query(url, turn, [GENERATION_MS, 100, 100]);
      assert.equal(
        await count(),
        Math.min(generation - 1, MOST_FULL),
        "so does a full one while no node has memory for a further filter",
      );
      await query(url, turn, [GENERATION_MS, 100, 1_000_000]);
      assert.equal(await count(), Math.min(generation, MOST_FULL));
      await node.maintain({ now: START });
    }
    const again = async () => {
      for (const batch of sent) {
        const flags = await node.commit(aCommit({ receivedAt: START, entries: batch }));
        assert.deepEqual([...new Set(flags)], [0]);
      }
    };
    await again();
    await setClock(url, START + GENERATION_MS);
    await node.maintain({ now: START + GENERATION_MS });
    assert.equal(await count(), MOST_FULL + 1, "one more came with time");
    await again();
    await setClock(url, START + GENERATION_MS + WINDOW_MS + 1);
    await node.maintain({ now: START + GENERATION_MS + WINDOW_MS + 1 });
    assert.equal(await count(), 2, "all whose keys are past their time were emptied");
    const flags = await node.commit(aCommit({ receivedAt: START, entries: sent[0]! }));
    assert.deepEqual([...new Set(flags)], [1], "and their tables are used again");
  } finally {
    await node.close();
    await remove();
  }
});

it("A table whose rows move while its filter is filled gets no filter until the next time", async () => {
  const { url, remove } = await createDatabase();
  await setClock(url, START);
  const node = await openPostgresLedger({ url });
  const pool = new pg.Pool({ connectionString: url });
  try {
    const batches = Array.from({ length: 40 }, () => entries(500));
    for (const batch of batches) await node.commit(aCommit({ receivedAt: START, entries: batch }));
    // a generation of 0 ms is old at once, so the next one begins
    await query(url, "select turn_keys(ledger_now() + 1, 0, 0, 0)");
    // `cluster` rewrites the table just after the filter has read its first rows by their position
    let isMoved = false;
    const movingPool = {
      query: async (text: string, values: unknown[]) => {
        const result = await pool.query(text, values);
        if (text.includes("ctid") && !isMoved)
          await pool.query("cluster event_keys_1 using event_keys_1_pkey");
        isMoved ||= text.includes("ctid");
        return result;
      },
    };
    const filters = new KeyFilters(movingPool as unknown as pg.Pool);
    const keys = batches.flat().map(({ key }) => key);
    await filters.fill();
    assert.ok(isMoved);
    assert.deepEqual(filters.ruleOutKeys(keys).filteredGenerations, []);
    await filters.fill();
    const { filteredGenerations, possibleKeys } = filters.ruleOutKeys(keys);
    const found = [filteredGenerations.length, new Set(possibleKeys).size];
    assert.deepEqual(found, [1, keys.length], "filled the next time");
  } finally {
    await pool.end();
    await node.close();
    await remove();
  }
});
