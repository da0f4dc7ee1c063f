/** Coalescing: equal concurrent calls share an answer, and the answer is never older than the call. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createCoalescer } from "../../src/overload/coalesce.ts";

const { signal: neverAborted } = new AbortController();

/** Runs of work that end when a test ends them, in the order in which they began. */
function openCoalescer() {
  const coalesce = createCoalescer<string>();
  const begun: { name: string; signal: AbortSignal; end: (error?: Error) => Promise<void> }[] = [];
  return {
    begun,
    names: () => begun.map(({ name }) => name),
    call: async (key: string, name: string, signal = neverAborted) => {
      const answer = coalesce(key, signal, (abandoned) => {
        const { promise, resolve, reject } = Promise.withResolvers<string>();
        const end = async (error?: Error) => {
          if (error) reject(error);
          else resolve(name);
          await nextTurn();
        };
        begun.push({ name, signal: abandoned, end });
        return promise;
      });
      answer.catch(() => undefined);
      await nextTurn();
      return { answer };
    },
  };
}

test("Calls that arrive during a run share the next run; a call with another key runs beside it.", async () => {
  const { call, begun, names } = openCoalescer();
  const first = await call("a", "a1");
  const [second, third] = [await call("a", "a2"), await call("a", "a3")];
  const other = await call("b", "b1");
  assert.deepEqual(names(), ["a1", "b1"]);
  await begun[0]!.end();
  assert.deepEqual(names(), ["a1", "b1", "a2"]);
  await begun[2]!.end();
  await begun[1]!.end();
  const answers = await Promise.all([first, second, third, other].map(({ answer }) => answer));
  assert.deepEqual(answers, ["a1", "a2", "a2", "b1"]);
  await call("a", "a4");
  assert.deepEqual(names(), ["a1", "b1", "a2", "a4"], "a call after the answer starts a new run");
});

test("A caller that leaves is rejected at once; the work aborts when the last caller has left.", async () => {
  const { call, begun, names } = openCoalescer();
  const [early, late] = [new AbortController(), new AbortController()];
  await call("a", "a1");
  const leaves = await call("a", "a2", early.signal);
  const stays = await call("a", "a3", late.signal);
  early.abort();
  await assert.rejects(leaves.answer, { name: "AbortError" });
  await begun[0]!.end();
  assert.deepEqual(names(), ["a1", "a2"]);
  assert.equal(begun[1]!.signal.aborted, false);
  late.abort();
  await assert.rejects(stays.answer, { name: "AbortError" });
  assert.equal(begun[1]!.signal.aborted, true);
});

test("A call is answered although all earlier callers of the waiting run have left.", async () => {
  const { call, begun, names } = openCoalescer();
  const waiting = new AbortController();
  await call("a", "a1");
  await call("a", "a2", waiting.signal);
  waiting.abort();
  await nextTurn();
  const late = await call("a", "a3");
  await begun[0]!.end();
  assert.deepEqual(names(), ["a1", "a3"]);
  assert.equal(begun[1]!.signal.aborted, false);
  await begun[1]!.end();
  assert.equal(await late.answer, "a3");
});

test("A failure rejects every caller of its run, and no caller of the next run.", async () => {
  const { call, begun } = openCoalescer();
  await call("a", "a1");
  const [second, third] = [await call("a", "a2"), await call("a", "a3")];
  const fourth = begun[0]!.end(new Error("lost")).then(() => call("a", "a4"));
  await fourth;
  await begun[1]!.end(new Error("lost again"));
  for (const { answer } of [second, third]) await assert.rejects(answer, /lost again/);
  await begun[2]!.end();
  assert.equal(await (await fourth).answer, "a4");
});
