/** Admission control: it is bounded and fair between keys, and a caller that leaves frees its slot. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Admission, AdmissionFull, createAdmission } from "../../src/overload/admission.ts";

/** Callers that work until a test ends them. `started` lists them in the order in which they started. */
function createCallers(admission: Admission) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const call = (name: string, key: string, signal?: AbortSignal) =>
    admission.run(
      key,
      () =>
        new Promise<void>((resolve) => {
          started.push(name);
          ends.set(name, resolve);
        }),
      signal,
    );
  return { started, call, end: (name: string) => ends.get(name)?.() };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("Admission", () => {
  it("runs at most maxActive callers at once and starts the next one when a slot is free", async () => {
    const { started, call, end } = createCallers(createAdmission({ maxActive: 2 }));
    const all = ["a1", "a2", "a3"].map((name) => call(name, "a"));
    await settle();
    assert.deepEqual(started, ["a1", "a2"]);
    end("a1");
    await settle();
    assert.deepEqual(started, ["a1", "a2", "a3"]);
    for (const name of ["a2", "a3"]) end(name);
    await Promise.all(all);
  });

  it("lets keys take turns, so that one key's queue keeps no other key waiting", async () => {
    const { started, call, end } = createCallers(createAdmission({ maxActive: 1 }));
    const all = ["a1", "a2", "a3"].map((name) => call(name, "a"));
    all.push(call("b1", "b"));
    for (const name of ["a1", "a2", "b1", "a3"]) {
      await settle();
      end(name);
    }
    await Promise.all(all);
    assert.deepEqual(started, ["a1", "a2", "b1", "a3"]);
  });

  it("leaves slots for other keys when one key has its maxActivePerKey", async () => {
    const { started, call, end } = createCallers(createAdmission({ maxActive: 3, maxActivePerKey: 2 }));
    const all = ["a1", "a2", "a3"].map((name) => call(name, "a"));
    all.push(call("b1", "b"));
    await settle();
    assert.deepEqual(started, ["a1", "a2", "b1"]);
    for (const name of ["a1", "a2", "b1"]) end(name);
    await settle();
    end("a3");
    await Promise.all(all);
  });

  it("rejects a caller when maxAdmitted is reached, unless its key is below its fair share", async () => {
    const admission = createAdmission({ maxActive: 1, maxAdmitted: 4 });
    const { call, end } = createCallers(admission);
    const all = ["a1", "a2", "a3", "a4"].map((name) => call(name, "a"));
    await assert.rejects(call("a5", "a"), AdmissionFull);
    all.push(call("b1", "b"));
    assert.equal(admission.isFull("a"), true);
    assert.equal(admission.isFull("b"), false);
    for (const name of ["a1", "a2", "a3", "a4", "b1", "a2", "a3", "a4"]) {
      await settle();
      end(name);
    }
    await Promise.all(all);
    assert.equal(admission.admitted(), 0);
  });

  it("never admits more than twice maxAdmitted, however many keys there are", () => {
    const admission = createAdmission({ maxActive: 1, maxAdmitted: 3 });
    const entered = Array.from({ length: 10 }, (_, at) => admission.enter(`key ${at}`));
    assert.equal(admission.admitted(), 6);
    for (const one of entered) one.catch(() => undefined);
  });

  it("rejects a caller of a key that has its maxAdmittedPerKey", async () => {
    const admission = createAdmission({ maxAdmittedPerKey: 1 });
    const release = admission.tryEnter("a");
    assert.equal(admission.tryEnter("a"), null);
    await assert.rejects(admission.enter("a"), AdmissionFull);
    assert.ok(admission.tryEnter("b"));
    release?.();
    release?.();
    assert.ok(admission.tryEnter("a"));
  });

  it("rejects a waiting caller with the signal's reason and forgets it", async () => {
    const admission = createAdmission({ maxActive: 1 });
    const release = await admission.enter("a");
    const leaving = new AbortController();
    const waiting = admission.enter("b", leaving.signal);
    leaving.abort(new Error("gone"));
    await assert.rejects(waiting, /gone/);
    assert.equal(admission.waiting(), 0);
    release();
    assert.equal(admission.admitted(), 0);
  });

  it("rejects callers that have waited for maxWaitMs, the oldest first, and no others", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const admission = createAdmission({ maxActive: 1, maxWaitMs: 1_000 });
    const { call, end } = createCallers(admission);
    const rejected: string[] = [];
    const wait = (name: string, key: string) =>
      call(name, key).catch((error: unknown) => {
        assert.ok(error instanceof AdmissionFull);
        rejected.push(name);
      });
    const active = wait("a1", "a");
    const first = [wait("a2", "a"), wait("b1", "b")];
    await settle();
    test.mock.timers.tick(600);
    const later = wait("a3", "a");
    await settle();
    test.mock.timers.tick(500);
    await Promise.all(first);
    assert.deepEqual(rejected, ["a2", "b1"]);
    assert.deepEqual([admission.waiting(), admission.admitted()], [1, 2]);
    end("a1");
    await active;
    await settle();
    end("a3");
    await later;
    assert.deepEqual([rejected.length, admission.admitted()], [2, 0]);
  });

  it("starts no caller while isOpen returns false; resume starts the waiting callers", async () => {
    let open = false;
    const admission = createAdmission({ isOpen: () => open });
    const { started, call, end } = createCallers(admission);
    const done = call("a1", "a");
    await settle();
    assert.deepEqual(started, []);
    open = true;
    admission.resume();
    await settle();
    assert.deepEqual(started, ["a1"]);
    end("a1");
    await done;
  });

  it("gives the slot back when the work fails", async () => {
    const admission = createAdmission({ maxActive: 1 });
    await assert.rejects(
      admission.run("a", () => Promise.reject(new Error("failed"))),
      /failed/,
    );
    assert.equal(admission.admitted(), 0);
  });
});
