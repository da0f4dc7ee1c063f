/** Whose question is put to the warehouse next: no workspace keeps another from its turn. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Refusal } from "../../src/core/refusal.ts";
import { createTurns } from "../../src/stats/turns.ts";

const { signal: forEver } = new AbortController();

/** Questions that end when they are told to. */
function openTurns(atWork: number, waiting: number) {
  const inTurn = createTurns(atWork, waiting);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    ask: (workspace: string, name: string, signal = forEver) =>
      inTurn(workspace, signal, () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      }),
    end: async (name: string) => {
      ends.get(name)!();
      await turn();
    },
  };
}
const isBusy = (error: unknown) => error instanceof Refusal && error.code === "overloaded";

test("One workspace has half of the places, and another's question begins at once beside it.", async () => {
  const { ask, begun, end } = openTurns(4, 10);
  const asked = ["a1", "a2", "a3"].map((name) => ask("a", name));
  asked.push(ask("b", "b1"));
  assert.deepEqual(begun, ["a1", "a2", "b1"]);
  for (const name of ["a1", "a2", "a3", "b1"]) await end(name);
  await Promise.all(asked);
  assert.deepEqual(begun, ["a1", "a2", "b1", "a3"]);
});

test("Those who wait come by turns, whoever asked more.", async () => {
  const { ask, begun, end } = openTurns(2, 20);
  const asked = ["a1", "a2", "a3"].map((name) => ask("a", name));
  asked.push(...["b1", "b2"].map((name) => ask("b", name)), ask("c", "c1"));
  assert.deepEqual(begun, ["a1", "b1"]);
  for (const name of ["a1", "b1", "a2", "b2", "c1", "a3"]) await end(name);
  await Promise.all(asked);
  assert.deepEqual(begun.toSorted(), ["a1", "a2", "a3", "b1", "b2", "c1"]);
  assert.ok(begun.indexOf("c1") < begun.indexOf("a3"), begun.join());
});

test("One workspace fills half of the room to wait; then it is refused, and no other.", async () => {
  const { ask, begun, end } = openTurns(2, 4);
  const asked = ["a1", "a2", "a3"].map((name) => ask("a", name));
  await assert.rejects(ask("a", "a4"), isBusy);
  asked.push(ask("b", "b1"), ask("b", "b2"), ask("b", "b3"));
  await assert.rejects(ask("c", "c1"), isBusy, "all of the room is full");
  while (begun.length < 6) for (const name of begun.slice()) await end(name);
  for (const name of begun) await end(name);
  await Promise.all(asked);
});

test("Whose client goes waits no more, and leaves its place to others.", async () => {
  const { ask, begun, end } = openTurns(2, 2);
  const gone = new AbortController();
  const first = ask("a", "a1");
  const second = ask("a", "a2", gone.signal);
  gone.abort();
  await assert.rejects(second, (error) => error instanceof Refusal);
  const third = ask("a", "a3");
  await end("a1");
  assert.deepEqual(begun, ["a1", "a3"]);
  await end("a3");
  await Promise.all([first, third]);
});
