/** The cache of ledger look-ups: it never caches an outdated value, and makes equal look-ups once. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { createCache } from "../../src/core/cache.ts";

interface Thing {
  id: string;
  version: number;
}

/** A ledger whose look-ups end when `answer` is called. */
function slowLedger() {
  const lookedUp: string[] = [];
  const answers: (() => void)[] = [];
  let version = 1;
  const lookUp = (key: string) => {
    lookedUp.push(key);
    const found = key === "none" ? null : { id: key, version };
    return new Promise<Thing | null>((resolve) => answers.push(() => resolve(found)));
  };
  return {
    lookedUp,
    lookUp,
    change: () => (version += 1),
    answer: () => {
      for (const give of answers.splice(0)) give();
    },
  };
}

it("concurrent loads of one key share a look-up, before and after a change", async () => {
  const ledger = slowLedger();
  const cache = createCache<Thing>({ lookUp: ledger.lookUp, maxEntries: 10 });
  const before = Array.from({ length: 100 }, () => cache.load("a"));
  ledger.change();
  cache.clear();
  const after = Array.from({ length: 100 }, () => cache.load("a"));
  ledger.answer();
  assert.deepEqual(new Set((await Promise.all(before)).map((one) => one?.version)), new Set([1]));
  assert.deepEqual(new Set((await Promise.all(after)).map((one) => one?.version)), new Set([2]));
  assert.deepEqual(ledger.lookedUp, ["a", "a"]);
});

it("the result of a look-up that began before a change is returned but not cached", async () => {
  const ledger = slowLedger();
  const cache = createCache<Thing>({ lookUp: ledger.lookUp, maxEntries: 10, maxAbsent: 10 });
  for (const change of [() => cache.clear(({ id }) => id === "b"), () => cache.discardPending("a")]) {
    const loading = cache.load("a");
    change();
    ledger.answer();
    assert.equal((await loading)?.id, "a");
    assert.equal(cache.get("a"), undefined);
  }
  const loading = cache.load("none");
  cache.clear(() => false);
  ledger.answer();
  assert.equal(await loading, null);
  assert.equal(cache.get("none"), undefined);
});

it("clearing one value keeps the others", async () => {
  const ledger = slowLedger();
  const cache = createCache<Thing>({ lookUp: ledger.lookUp, maxEntries: 10, maxAbsent: 10 });
  const all = ["a", "b", "none"].map((key) => cache.load(key));
  ledger.answer();
  await Promise.all(all);
  assert.equal(cache.get("none"), null);
  cache.clear(({ id }) => id === "a");
  assert.deepEqual([cache.get("a"), cache.get("b")?.id], [undefined, "b"]);
});

it("a failed look-up is not cached: the next load looks up again", async () => {
  let fails = true;
  const lookUp = async (id: string) => {
    if (fails) throw new Error("no ledger");
    return { id, version: 1 };
  };
  const cache = createCache<Thing>({ lookUp, maxEntries: 10 });
  await assert.rejects(cache.load("a"), /no ledger/);
  fails = false;
  assert.equal((await cache.load("a"))?.version, 1);
});
