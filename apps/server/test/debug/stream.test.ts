import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { describe, it } from "node:test";
import type { DebugQuery } from "@headwater/contract";
import { Refusal } from "../../src/core/refusal.ts";
import { createRecorder } from "../../src/debug/recorder.ts";
import {
  createDebugStreams,
  MAX_STREAMS_PER_SOURCE,
  MAX_STREAMS_PER_WORKSPACE,
} from "../../src/debug/stream.ts";
import { bodyOf, bootstrapped, fakeClock, memoryLedger, refused, silent, source, taken } from "./fixtures.ts";

function world(heartbeatMs = 60_000) {
  const ledger = memoryLedger();
  const recorder = createRecorder({
    ledger,
    clock: fakeClock(),
    log: silent,
    limits: { successBurst: 1_000, successesPerSecondTotal: 1_000 },
  });
  const openStream = createDebugStreams({ ledger, recorder, pollMs: 5, heartbeatMs });
  const open = async (query: DebugQuery = {}, lastEventId: string | null = null) => {
    const controller = new AbortController();
    const stream = await openStream(source(), query, { lastEventId, signal: controller.signal });
    const iterator = stream[Symbol.asyncIterator]();
    const next = async (): Promise<string | undefined> => (await iterator.next()).value;
    match((await next())!, /^:/, "it starts with a comment, so that the headers are sent");
    return { abort: () => controller.abort(), next, iterator };
  };
  return { ledger, recorder, openStream, open };
}
const idOf = (frame: string | undefined) => JSON.parse(/^data: (.*)$/m.exec(frame!)![1]!).attemptId;

describe("The debug stream", () => {
  it("sends each new attempt as an event with its sequence number", async () => {
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

  it("sends no attempts of other sources", async () => {
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

  it("continues after Last-Event-ID, in order and without gaps", async () => {
    const { recorder, open } = world();
    const attempts = Array.from({ length: 45 }, () => taken());
    for (const attempt of attempts) recorder.record(attempt);
    await recorder.flush();
    const { next } = await open({}, "3");
    for (const attempt of attempts.slice(3)) equal(idOf(await next()), attempt.attemptId);
  });

  it("starts with the next attempt if Last-Event-ID is invalid or from a store that was emptied", async () => {
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

  it("applies the filters of the view", async () => {
    const { recorder, open } = world();
    const { next } = await open({ outcome: "failed", kind: "events" });
    const wanted = refused("source_inactive");
    for (const attempt of [taken(), refused("source_inactive", { kind: "bootstrap" }), wanted])
      recorder.record(attempt);
    await recorder.flush();
    equal(idOf(await next()), wanted.attemptId);
  });

  it("sends a body with line breaks as one event", async () => {
    const { recorder, open } = world();
    const { next } = await open();
    recorder.record(taken([null], { body: bodyOf('{\n "a": 1,\r\n "b":\r2\n}') }));
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

  it("sends comments while there are no attempts", async () => {
    const { open } = world(20);
    const { next } = await open();
    for (let beat = 0; beat < 2; beat++) match((await next())!, /^:.*\n\n$/);
  });

  it("sends attempts that another node recorded", async () => {
    const { ledger, open } = world();
    const { next } = await open();
    const otherNode = createRecorder({ ledger, clock: fakeClock(), log: silent });
    const attempt = taken();
    otherNode.record(attempt);
    await otherNode.flush();
    equal(idOf(await next()), attempt.attemptId);
  });

  it("sends `end` and stops when it is aborted", async () => {
    const { recorder, open } = world();
    const waiting = await open();
    const frame = waiting.next();
    waiting.abort();
    equal(await frame, "event: end\ndata: {}\n\n");
    equal((await waiting.iterator.next()).done, true);
    const busy = await open();
    for (const attempt of [taken(), taken()]) recorder.record(attempt);
    await recorder.flush();
    await busy.next();
    busy.abort();
    equal(await busy.next(), "event: end\ndata: {}\n\n");
  });

  it("is refused while the source has the maximum number of streams", async () => {
    const { openStream, open } = world();
    const opened = [];
    for (let index = 0; index < MAX_STREAMS_PER_SOURCE; index++) opened.push(await open());
    const isOverloaded = (error: unknown) => error instanceof Refusal && error.code === "overloaded";
    await rejects(open(), isOverloaded);
    const other = new AbortController();
    await openStream(source("src_2"), {}, { lastEventId: null, signal: other.signal });
    await opened[0]!.iterator.return?.();
    opened[1]!.abort();
    await open();
    await open();
    await rejects(open(), isOverloaded);
  });

  it("is refused while the sources of the workspace together have the maximum number of streams", async () => {
    const { openStream } = world();
    const { signal } = new AbortController();
    const openOf = (sourceId: string, organizationId: string) =>
      openStream(source(sourceId, { organizationId }), {}, { lastEventId: null, signal });
    for (let index = 0; index < MAX_STREAMS_PER_WORKSPACE; index++) await openOf(`src_${index}`, "org_1");
    await rejects(
      openOf("src_more", "org_1"),
      (error) => error instanceof Refusal && error.code === "overloaded",
    );
    await openOf("src_other", "org_2");
  });
});
