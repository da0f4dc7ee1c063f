/** Who asks the same as others is given the answer that they are given, and never one that is older than the question. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createShared } from "../../src/core/coalesce.ts";
import { Refusal } from "../../src/core/refusal.ts";

const { signal: forEver } = new AbortController();

/** Works that end when they are told to, in the order in which they began. */
function openShared() {
  const shared = createShared();
  const begun: { name: string; signal: AbortSignal; end: (error?: Error) => Promise<void> }[] = [];
  return {
    begun,
    names: () => begun.map(({ name }) => name),
    ask: async (key: string, name: string, signal = forEver) => {
      const answer = shared(key, signal, (ended) => {
        const { promise, resolve, reject } = Promise.withResolvers<string>();
        const end = async (error?: Error) => {
          if (error) reject(error);
          else resolve(name);
          await turn();
        };
        begun.push({ name, signal: ended, end });
        return promise;
      });
      answer.catch(() => undefined);
      await turn();
      return { answer };
    },
  };
}

test("Those who ask while it is being answered share the next answer; another question is asked beside it.", async () => {
  const { ask, begun, names } = openShared();
  const first = await ask("a", "a1");
  const [second, third] = [await ask("a", "a2"), await ask("a", "a3")];
  const other = await ask("b", "b1");
  assert.deepEqual(names(), ["a1", "b1"]);
  await begun[0]!.end();
  assert.deepEqual(names(), ["a1", "b1", "a2"]);
  await begun[2]!.end();
  await begun[1]!.end();
  const answers = await Promise.all([first, second, third, other].map(({ answer }) => answer));
  assert.deepEqual(answers, ["a1", "a2", "a2", "b1"]);
  await ask("a", "a4");
  assert.deepEqual(names(), ["a1", "b1", "a2", "a4"], "what has been answered is asked anew");
});

test("Who goes is answered at once and takes nothing from the others; when the last has gone, the work is told.", async () => {
  const { ask, begun, names } = openShared();
  const [early, late] = [new AbortController(), new AbortController()];
  await ask("a", "a1");
  const gone = await ask("a", "a2", early.signal);
  const stays = await ask("a", "a3", late.signal);
  early.abort();
  await assert.rejects(gone.answer, Refusal);
  await begun[0]!.end();
  assert.deepEqual(names(), ["a1", "a2"]);
  assert.equal(begun[1]!.signal.aborted, false);
  late.abort();
  await assert.rejects(stays.answer, Refusal);
  assert.equal(begun[1]!.signal.aborted, true);
});

test("Who asks after all have gone who waited for the same is answered.", async () => {
  const { ask, begun, names } = openShared();
  const waiting = new AbortController();
  await ask("a", "a1");
  await ask("a", "a2", waiting.signal);
  waiting.abort();
  const late = await ask("a", "a3");
  await begun[0]!.end();
  assert.deepEqual(names(), ["a1", "a3"]);
  assert.equal(begun[1]!.signal.aborted, false);
  await begun[1]!.end();
  assert.equal(await late.answer, "a3");
});

test("What fails, fails for all who share it, and the next who asks is answered.", async () => {
  const { ask, begun } = openShared();
  await ask("a", "a1");
  const [second, third] = [await ask("a", "a2"), await ask("a", "a3")];
  const fourth = begun[0]!.end(new Error("lost")).then(() => ask("a", "a4"));
  await fourth;
  await begun[1]!.end(new Error("lost again"));
  for (const { answer } of [second, third]) await assert.rejects(answer, /lost again/);
  await begun[2]!.end();
  assert.equal(await (await fourth).answer, "a4");
});
