/** What the browser client's queue reports of events that are lost, and which events share a sequence. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createQueue } from "../src/queue.ts";
import type { ClientStore } from "../src/storage.ts";

function openQueue() {
  const values = new Map<string, string>();
  const store: ClientStore = {
    read: (name) => values.get(name) ?? null,
    write: (name, value) => void values.set(name, value),
    remove: (name) => void values.delete(name),
    owner: () => undefined,
    persist: () => {},
    names: (prefix) => [...values.keys()].filter((name) => name.startsWith(prefix)),
  };
  const queue = createQueue(store, "headwater.pk_1.");
  /** Adds an event. @returns its name and what it reports */
  const put = (userId: string | null = null) => {
    const timestamp = new Date().toISOString();
    const known = new Set(queue.own.keys());
    queue.put({ type: "track", name: "order", timestamp, anonymousId: "v".repeat(32), userId } as never);
    const [name, event] = [...queue.own].find(([one]) => !known.has(one))!;
    return { name, id: String(event.id), lost: event.lost };
  };
  return { queue, put };
}

test("An event that a server refuses passes its report on no more: the report may be why it was refused.", () => {
  const { queue, put } = openQueue();
  const [first, second] = [put(), put()];
  queue.remove(first.name, "plan_violation");
  const reporting = put();
  assert.match(reporting.lost!, /plan_violation/);
  queue.remove(reporting.name, "too_old");
  const passedOn = put();
  assert.match(passedOn.lost!, /plan_violation.*too_old/);
  queue.remove(passedOn.name, "refused");
  const next = put();
  assert.match(next.lost!, /refused/);
  assert.doesNotMatch(next.lost!, /plan_violation|too_old/);
  assert.equal(second.lost, undefined);
});

test("Another user of the same visitor begins another sequence.", () => {
  const { put } = openQueue();
  const sequenceOf = ({ id }: { id: string }) => id.split("~")[0];
  const [first, same, other] = [put("ada"), put("ada"), put("bob")].map(sequenceOf);
  assert.equal(same, first);
  assert.notEqual(other, first);
});
