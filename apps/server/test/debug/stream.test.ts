import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { DebugQuery } from "@headwater/contract";
import { SERVER_LIMITS } from "../../src/core/limits.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { createRecorder } from "../../src/debug/recorder.ts";
import { createDebugStreams } from "../../src/debug/stream.ts";
import { bootstrapped, fakeClock, memoryLedger, refused, silent, source, taken } from "./fixtures.ts";

function world(pollMs?: number) {
  const ledger = memoryLedger();
  const recorder = createRecorder({
    ledger,
    clock: fakeClock(),
    log: silent,
    limits: { assuredPerSecond: 1_000, successesPerSecond: 1_000 },
  });
  const streams = createDebugStreams({ ledger, recorder, pollMs });
  const open = async (query: DebugQuery = {}, lastEventId?: string) => {
    const gone = new AbortController();
    const stream = await streams.open(source(), query, { lastEventId, signal: gone.signal });
    const iterator = stream[Symbol.asyncIterator]();
    const next = async () => (await iterator.next()).value as string | undefined;
    match((await next())!, /^:/, "it begins with a comment, so that its headers leave");
    return { gone, next, iterator };
  };
  return { ledger, recorder, streams, open };
}
const idOf = (frame: string | undefined) => JSON.parse(/^data: (.*)$/m.exec(frame!)![1]!).attemptId;

describe("the debug stream", () => {
  it("sends what is recorded from now on, each as an event with its number", async () => {
    const { recorder, open } = world();
    recorder.record(taken());
    const { next } = await open();
    const attempts = [taken(), bootstrapped(), refused("source_inactive")];
    for (const attempt of attempts) recorder.record(attempt);
    await recorder.flush();
    for (const attempt of attempts) {
      const frame = await next();
      match(frame!, /^id: \d+\nevent: attempt\ndata: \{.*\}\n\n$/);
      equal(idOf(frame), attempt.attemptId);
    }
  });

  it("waits for the next flush of its source", async () => {
    const { recorder, open } = world();
    const { next } = await open();
    const frame = next();
    recorder.record(taken([null], { source: source("src_2") }));
    await recorder.flush();
    const mine = taken();
    recorder.record(mine);
    await recorder.flush();
    equal(idOf(await frame), mine.attemptId);
  });

  it("goes on after Last-Event-ID, in order and whole", async () => {
    const { recorder, open } = world();
    const attempts = Array.from({ length: 45 }, () => taken());
    for (const attempt of attempts) recorder.record(attempt);
    await recorder.flush();
    const { next } = await open({}, "3");
    for (const attempt of attempts.slice(3)) equal(idOf(await next()), attempt.attemptId);
  });

  it("begins now with a Last-Event-ID that is none, or of a store that was emptied", async () => {
    const { recorder, open } = world();
    recorder.record(taken());
    for (const id of ["x", "", "999999"]) {
      const { next } = await open({}, id);
      const fresh = taken();
      recorder.record(fresh);
      await recorder.flush();
      equal(idOf(await next()), fresh.attemptId);
    }
  });

  it("filters as the view does", async () => {
    const { recorder, open } = world();
    const { next } = await open({ outcome: "failed", kind: "events" });
    const wanted = refused("source_inactive");
    for (const attempt of [taken(), refused("source_inactive", { kind: "bootstrap" }), wanted])
      recorder.record(attempt);
    await recorder.flush();
    equal(idOf(await next()), wanted.attemptId);
  });

  it("keeps a body that was written over several lines in one event", async () => {
    const { recorder, open } = world();
    const { next } = await open();
    recorder.record(taken([null], { text: '{\n "a": 1,\r\n "b":\r2\n}' }));
    await recorder.flush();
    const frame = (await next())!;
    const data = frame.trimEnd().split("\n").slice(2);
    equal(
      data.every((line) => line.startsWith("data: ")),
      true,
    );
    equal(frame.includes("\r"), false);
    deepEqual(JSON.parse(data.map((line) => line.slice(6)).join("\n")).raw, { a: 1, b: 2 });
  });

  it("sends a comment when nothing happens", async (t: TestContext) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const { open } = world();
    const { next } = await open();
    for (let beat = 0; beat < 2; beat++) {
      const comment = next();
      t.mock.timers.tick(SERVER_LIMITS.streamHeartbeatMs);
      match((await comment)!, /^:.*\n\n$/);
    }
  });

  it("looks by itself where other nodes record", async (t: TestContext) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const { ledger, open } = world(500);
    const { next } = await open();
    const frame = next();
    const elsewhere = createRecorder({ ledger, clock: fakeClock(), log: silent });
    const attempt = taken();
    elsewhere.record(attempt);
    await elsewhere.flush();
    t.mock.timers.tick(500);
    equal(idOf(await frame), attempt.attemptId);
  });

  it("says `end` when it is aborted, waiting or not, and stops", async () => {
    const { recorder, open } = world();
    const waiting = await open();
    const frame = waiting.next();
    waiting.gone.abort();
    equal(await frame, "event: end\ndata: {}\n\n");
    equal((await waiting.iterator.next()).done, true);
    const busy = await open();
    for (const attempt of [taken(), taken()]) recorder.record(attempt);
    await recorder.flush();
    await busy.next();
    busy.gone.abort();
    equal(await busy.next(), "event: end\ndata: {}\n\n");
  });

  it("is refused beyond the number a source may have, until one ends", async () => {
    const { streams, open } = world();
    const opened = [];
    for (let index = 0; index < SERVER_LIMITS.streamsPerSource; index++) opened.push(await open());
    await rejects(open(), (error) => error instanceof Refusal && error.code === "overloaded");
    const other = new AbortController();
    await streams.open(source("src_2"), {}, { signal: other.signal });
    equal(streams.openTotal(), SERVER_LIMITS.streamsPerSource + 1);
    other.abort();
    await opened[0]!.iterator.return?.();
    opened[1]!.gone.abort();
    equal(streams.openTotal(), SERVER_LIMITS.streamsPerSource - 2);
    await open();
  });
});
