/** What is remembered of the ledger's answers: nothing older than the last word about it, and one look-up for all who ask. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { createRemembered } from "../../src/core/cache.ts";

interface Thing {
  of: string;
  version: number;
}

/** A ledger that answers when it is told to. */
function slowLedger() {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  let version = 1;
  const lookUp = (key: string) => {
    asked.push(key);
    const found = key === "none" ? null : { of: key, version };
    return new Promise<Thing | null>((resolve) => answers.push(() => resolve(found)));
  };
  return {
    asked,
    lookUp,
    change: () => (version += 1),
    answer: () => {
      for (const give of answers.splice(0)) give();
    },
  };
}

it("Whoever asks for the same at once shares one look-up, before a change and after it", async () => {
  const ledger = slowLedger();
  const remembered = createRemembered<Thing>({ lookUp: ledger.lookUp, max: 10 });
  const before = Array.from({ length: 100 }, () => remembered.ask("a"));
  ledger.change();
  remembered.forget();
  const after = Array.from({ length: 100 }, () => remembered.ask("a"));
  ledger.answer();
  assert.deepEqual(new Set((await Promise.all(before)).map((one) => one?.version)), new Set([1]));
  assert.deepEqual(new Set((await Promise.all(after)).map((one) => one?.version)), new Set([2]));
  assert.deepEqual(ledger.asked, ["a", "a"]);
});

it("An answer from before a change is used once and not kept", async () => {
  const ledger = slowLedger();
  const remembered = createRemembered<Thing>({ lookUp: ledger.lookUp, max: 10, maxAbsent: 10 });
  for (const outdate of [() => remembered.forget(({ of }) => of === "b"), () => remembered.outdate("a")]) {
    const asked = remembered.ask("a");
    outdate();
    ledger.answer();
    assert.equal((await asked)?.of, "a");
    assert.equal(remembered.get("a"), undefined);
  }
  const asked = remembered.ask("none");
  remembered.forget(() => false);
  ledger.answer();
  assert.equal(await asked, null);
  assert.equal(remembered.get("none"), undefined);
});

it("A change of one thing leaves the others remembered", async () => {
  const ledger = slowLedger();
  const remembered = createRemembered<Thing>({ lookUp: ledger.lookUp, max: 10, maxAbsent: 10 });
  const all = ["a", "b", "none"].map((key) => remembered.ask(key));
  ledger.answer();
  await Promise.all(all);
  assert.equal(remembered.get("none"), null);
  remembered.forget(({ of }) => of === "a");
  assert.deepEqual([remembered.get("a"), remembered.get("b")?.of], [undefined, "b"]);
});

it("A look-up that failed is no answer: the next one asks again", async () => {
  let fails = true;
  const lookUp = async (of: string) => {
    if (fails) throw new Error("no ledger");
    return { of, version: 1 };
  };
  const remembered = createRemembered<Thing>({ lookUp, max: 10 });
  await assert.rejects(remembered.ask("a"), /no ledger/);
  fails = false;
  assert.equal((await remembered.ask("a"))?.version, 1);
});
