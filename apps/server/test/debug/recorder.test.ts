import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { DebugAttempt } from "@headwater/contract";
import { compile } from "../../src/core/validate.ts";
import { createRecorder } from "../../src/debug/recorder.ts";
import { SNAPSHOT_BYTES } from "../../src/debug/render.ts";
import type { RecorderLimits } from "../../src/debug/sampling.ts";
import { ATTEMPT_FLUSH_MS } from "../../src/debug/sampling.ts";
import type { Attempt } from "../../src/ingest/attempt.ts";
import type { AttemptLedger } from "../../src/ledger/ledger.ts";
import type { AttemptCount, AttemptRow } from "../../src/ledger/records.ts";
import { bodyOf, bootstrapped, fakeClock, NOW, refused, silent, source, taken } from "./fixtures.ts";

const startOf = (bodyStart: string) => () => ({ bodyText: null, bodyStart });
const fitsContract = compile(DebugAttempt);

/** A recorder with a ledger that collects its batches and fails on request. */
function world(limits: Partial<RecorderLimits> = {}) {
  const batches: { rows: AttemptRow[]; counts: AttemptCount[] }[] = [];
  const clock = fakeClock();
  const state = { failing: false, warnings: 0 };
  const ledger: AttemptLedger = {
    async recordAttempts(batch) {
      if (state.failing) throw new Error("disk gone");
      batches.push(batch);
    },
    attempts: async () => [],
    attemptGroups: async () => [],
    attemptCounts: async () => [],
    attemptSums: async () => [],
  };
  const log = { warn: () => state.warnings++ };
  const recorder = createRecorder({ ledger, clock, log, limits });
  const rows = () => batches.flatMap((batch) => batch.rows);
  const records = () => rows().map((row) => JSON.parse(row.record));
  const counted = (name: string) =>
    batches
      .flatMap((batch) => batch.counts)
      .reduce((sum, one) => (one.name === name ? sum + one.count : sum), 0);
  const recordMany = (count: number, make: () => Attempt) => {
    for (let index = 0; index < count; index++) recorder.record(make());
  };
  return { recorder, batches, clock, state, rows, records, counted, recordMany };
}

async function recordOf(attempt: Attempt) {
  const { recorder, records } = world();
  recorder.record(attempt);
  await recorder.flush();
  const [record] = records();
  equal(fitsContract(record), true, JSON.stringify(fitsContract.issues(record)));
  return record;
}

describe("The record of an attempt", () => {
  it("contains the events, normal forms and results of a success, and no code", async () => {
    const record = await recordOf(taken([null, "duplicate_event"]));
    equal(record.outcome, "succeeded");
    deepEqual([record.code, record.message, record.hint, record.httpStatus], [null, null, null, 200]);
    deepEqual([record.accepted, record.duplicates, record.rejected], [1, 1, 0]);
    equal(record.raw.events.length, 2);
    deepEqual(record.normalized, [{ id: "e_0" }, null]);
    equal(record.results[1].code, "duplicate_event");
    equal(record.receivedAt, new Date(NOW).toISOString());
    equal(record.truncated, false);
  });

  it("is partial when some events were rejected, with the reason of the first", async () => {
    const record = await recordOf(taken([null, "timestamp_too_old", "event_too_large"]));
    deepEqual([record.outcome, record.code, record.message], ["partial", "timestamp_too_old", "why 1"]);
    ok(record.hint.includes("400 days"));
  });

  it("is failed when all events were rejected, unless the attempt opened a session", async () => {
    equal((await recordOf(taken(["timestamp_too_old"]))).outcome, "failed");
    equal((await recordOf(taken(["timestamp_too_old"], { kind: "bootstrap" }))).outcome, "partial");
  });

  it("contains the session that a bootstrap opened", async () => {
    const record = await recordOf(bootstrapped());
    equal(record.normalized.sessionId, "ses_new");
    equal(record.sessionId, "ses_new");
  });

  it("contains the code, message, hint and issues of a refusal", async () => {
    const issues = [
      { path: ["events", 0, "id"], code: "required" as const, message: "events.0.id is required" },
    ];
    const hint = "Add https://other.example to allowedOrigins.";
    const text = '{"batchId":"b"}';
    const record = await recordOf(
      refused("origin_not_allowed", { body: bodyOf(text), keyState: "retired" }, { hint, issues }),
    );
    deepEqual([record.outcome, record.httpStatus, record.code], ["failed", 403, "origin_not_allowed"]);
    deepEqual([record.hint, record.keyState], [hint, "retired"]);
    deepEqual(record.issues, issues);
    deepEqual([record.raw, record.normalized, record.results], [{ batchId: "b" }, null, []]);
  });

  it("contains the start of a body that is not JSON or was not read to its end", async () => {
    const malformed = { issues: [{ path: [], code: "invalid_json" as const, message: "not JSON" }] };
    equal((await recordOf(refused("invalid_payload", { body: bodyOf('{"a":') }, malformed))).raw, '{"a":');
    equal((await recordOf(refused("source_inactive", { body: bodyOf("<xml>") }))).raw, "<xml>");
    const large = await recordOf(
      refused("payload_too_large", { body: startOf('{"events":['), payloadBytes: 600_000 }),
    );
    deepEqual([large.raw, large.truncated, large.payloadBytes], ['{"events":[', true, 600_000]);
  });

  it("is masked in every part", async () => {
    const address = "joe@example.com";
    const personal = {
      sdkVersion: address,
      ingestVersion: 2,
      batchId: address,
      sentAt: address,
      sessionId: address,
      anonymousId: address,
      userId: address,
    };
    const attempt = taken(["invalid_event"], {
      envelope: personal,
      origin: "https://joe@example.com",
      userAgent: `agent ${address} token=Q7Z`,
      body: bodyOf(JSON.stringify({ userId: address, events: [{ properties: { password: "Q7Z" } }] })),
    });
    if (attempt.outcome?.kind === "answered") {
      Object.assign(attempt.outcome.results[0]!, {
        eventId: address,
        message: `of ${address}`,
        name: "?secret=Q7Z",
      });
      Object.assign(attempt.outcome, {
        normalized: () => [JSON.stringify({ userId: address, api_key: "Q7Z" })],
      });
    }
    const { recorder, rows } = world();
    recorder.record(attempt);
    const issues = [{ path: [address], code: "invalid_type" as const, message: address, eventId: address }];
    recorder.record(
      refused("invalid_payload", { body: startOf(`${address} token: Q7Z`) }, { hint: address, issues }),
    );
    await recorder.flush();
    const stored = JSON.stringify(rows());
    equal(stored.includes("joe@"), false);
    equal(stored.includes("Q7Z"), false);
    equal(stored.includes("[email]") && stored.includes("[masked]"), true);
  });

  it("contains no part of an address across the cut of a long header", async () => {
    for (let length = 1_000; length <= 1_024; length++) {
      const userAgent = `${"x".repeat(length - 1)} joe.bloggs@mail.example.com`;
      const record = await recordOf(taken([null], { userAgent }));
      equal(record.userAgent.includes("joe"), false, `after ${length} characters`);
      equal(record.userAgent.length <= 1_024, true);
    }
  });

  it("contains the rejected results first when there are too many", async () => {
    const record = await recordOf(taken([...Array(499).fill(null), "event_too_large"]));
    equal(record.truncated, true);
    deepEqual([record.accepted, record.rejected], [499, 1]);
    deepEqual([record.results[0].index, record.results[0].code], [499, "event_too_large"]);
    ok(record.results.length > 50 && JSON.stringify(record.results).length <= SNAPSHOT_BYTES);
  });
});

describe("The recorder", () => {
  it("counts every attempt, and keeps up to the limit for each source and second", async () => {
    const { recorder, clock, recordMany, rows, counted } = world({
      successesPerSecond: 3,
      successBurst: 10,
      failuresPerSecond: 20,
    });
    recordMany(100, () => taken());
    recordMany(100, () => refused("origin_not_allowed"));
    recordMany(100, () => refused("rate_limited"));
    recordMany(5, () => taken([null], { source: source("src_2") }));
    await recorder.flush();
    const kept = (code: string | null, sourceId = "src_1") =>
      rows().filter((row) => row.code === code && row.sourceId === sourceId).length;
    deepEqual(
      [kept(null), kept("origin_not_allowed"), kept("rate_limited"), kept(null, "src_2")],
      [10, 20, 1, 5],
    );
    deepEqual(
      [counted("accepted"), counted("failed"), counted("origin_not_allowed"), counted("rate_limited")],
      [105, 200, 100, 100],
    );
    equal(counted("not_listed"), 90 + 80 + 99);
    recordMany(3, () => taken());
    await recorder.flush();
    equal(kept(null), 10, "a flush does not start a new second");
    clock.advance(1_000);
    recordMany(4, () => taken());
    await recorder.flush();
    equal(kept(null), 13);
    equal(recorder.droppedTotal(), 0);
  });

  it("keeps one attempt per source and second that was refused as overloaded, and counts them all", async () => {
    const { recorder, recordMany, rows, counted } = world({ failuresPerSecond: 20, assuredPerSecond: 3 });
    recordMany(100, () => refused("overloaded"));
    await recorder.flush();
    equal(rows().length, 1);
    equal(counted("overloaded"), 100);
  });

  it("keeps one success per source in the rest of a second in which a request was refused as overloaded", async () => {
    const { recorder, clock, recordMany, rows } = world({ successBurst: 50 });
    const kept = () => rows().filter(({ outcome }) => outcome === "succeeded").length;
    recordMany(10, () => taken());
    recordMany(1, () => refused("overloaded", { source: source("src_2") }));
    recordMany(10, () => taken());
    recordMany(10, () => taken([null], { source: source("src_3") }));
    await recorder.flush();
    equal(kept(), 10 + 1);
    clock.advance(1_000);
    recordMany(10, () => taken());
    await recorder.flush();
    equal(kept(), 21, "the next second has the full limit again");
  });

  it("keeps the first few attempts of each code, even during a flood of another code", async () => {
    const { recorder, clock, recordMany, rows } = world({ failuresPerSecond: 20, assuredPerSecond: 3 });
    const kept = (code: string) => rows().filter((row) => row.code === code).length;
    recordMany(1_000, () => refused("origin_not_allowed"));
    recordMany(5, () => refused("source_inactive"));
    recordMany(2, () => taken(["event_too_large", null]));
    await recorder.flush();
    deepEqual(["origin_not_allowed", "source_inactive", "event_too_large"].map(kept), [20, 3, 2]);
    clock.advance(1_000);
    recordMany(1_000, () => refused("origin_not_allowed"));
    recordMany(5, () => refused("source_inactive"));
    await recorder.flush();
    deepEqual(["origin_not_allowed", "source_inactive"].map(kept), [40, 6]);
  });

  it("keeps the first few attempts of a code when other sources have filled the queue", async () => {
    const { recorder, recordMany, rows } = world({ pendingAttempts: 100, assuredPerSecond: 3 });
    for (const flooded of ["src_1", "src_2", "src_3"])
      recordMany(60, () => refused("origin_not_allowed", { source: source(flooded) }));
    recordMany(10, () => refused("source_inactive", { source: source("src_4") }));
    await recorder.flush();
    equal(rows().filter(({ code }) => code === "source_inactive").length, 3);
    equal(rows().length, 100);
    equal(recorder.droppedTotal(), 90);
  });

  it("counts events by their outcome, and rejected events by their code", async () => {
    const { recorder, counted } = world();
    recorder.record(taken([null, null, "duplicate_event", "event_too_large", "event_too_large"]));
    recorder.record(bootstrapped());
    await recorder.flush();
    const names = [
      "accepted",
      "duplicates",
      "rejected",
      "event_too_large",
      "duplicate_event",
      "failed",
      "succeeded",
    ];
    deepEqual(names.map(counted), [2, 1, 2, 2, 0, 0, 2]);
  });

  it("counts by the hour in which an attempt ended", async () => {
    const { recorder, batches, clock } = world();
    recorder.record(taken());
    clock.advance(3_600_000);
    recorder.record(taken());
    await recorder.flush();
    const hours = batches[0]!.counts.filter(({ name }) => name === "accepted").map(({ hour }) => hour);
    deepEqual(hours, [NOW, NOW + 3_600_000]);
  });

  it("keeps a limited number of all sources' successes, with room for sources that had none for a while", async () => {
    const { recorder, clock, rows, recordMany, counted } = world({
      successesPerSecond: 1_000,
      successBurst: 1_000,
      successesPerSecondTotal: 50,
      quietSuccessesPerSecond: 10,
    });
    const kept = (sourceId: string) => rows().filter((row) => row.sourceId === sourceId).length;
    const recordBoth = async () => {
      recordMany(500, () => taken());
      recordMany(5, () => taken([null], { source: source("src_quiet") }));
      await recorder.flush();
    };
    await recordBoth();
    deepEqual([kept("src_1"), kept("src_quiet")], [40, 1], "src_1 counts as busy after its first success");
    clock.advance(1_000);
    await recordBoth();
    deepEqual([kept("src_1"), kept("src_quiet")], [80, 1], "the quiet source was seen a second ago");
    for (let second = 0; second < 20; second++) {
      clock.advance(1_000);
      recordMany(50, () => taken());
    }
    await recordBoth();
    deepEqual([kept("src_1"), kept("src_quiet")], [80 + 20 * 40, 2]);
    equal(counted("not_listed"), 3 * 505 + 20 * 50 - rows().length);
    equal(recorder.droppedTotal(), 0);
  });

  it("evicts successes to make room for failures, by number and by bytes", async () => {
    const byNumber = world({ pendingAttempts: 10, successBurst: 100 });
    byNumber.recordMany(10, () => taken());
    byNumber.recordMany(4, () => refused("source_inactive"));
    await byNumber.recorder.flush();
    equal(byNumber.rows().length, 10);
    equal(byNumber.rows().filter(({ code }) => code === "source_inactive").length, 4);
    equal(byNumber.recorder.droppedTotal(), 4);
    const byBytes = world({ pendingBytes: 100_000, successBurst: 100 });
    byBytes.recordMany(10, () => taken([null], { payloadBytes: 10_000 }));
    byBytes.recordMany(3, () => refused("source_inactive", { payloadBytes: 30_000 }));
    await byBytes.recorder.flush();
    deepEqual(
      byBytes.rows().map(({ code }) => code),
      ["source_inactive"],
    );
    equal(byBytes.counted("failed"), 3);
  });

  it("renders in slices, and writes batches with the counts in the first", async () => {
    const { recorder, batches, recordMany } = world({ batchRows: 50, sliceAttempts: 10 });
    recordMany(120, () => refused("source_inactive"));
    let turns = 0;
    let over = false;
    const tick = () => {
      turns++;
      if (!over) setImmediate(tick);
    };
    setImmediate(tick);
    await recorder.flush();
    over = true;
    deepEqual(
      batches.map(({ rows }) => rows.length),
      [50, 50, 20],
    );
    deepEqual(
      batches.map(({ counts }) => counts.length > 0),
      [true, false, false],
    );
    ok(turns >= 9, `other work ran ${turns} times`);
  });

  it("keeps the counts of a failed flush, gives up its rows, and logs one warning", async () => {
    const { recorder, state, counted, rows, recordMany } = world();
    state.failing = true;
    recordMany(3, () => refused("source_inactive"));
    await recorder.flush();
    recordMany(4, () => refused("source_inactive"));
    await recorder.flush();
    deepEqual([recorder.droppedTotal(), state.warnings], [7, 1]);
    state.failing = false;
    recordMany(1, () => refused("source_inactive"));
    await recorder.flush();
    deepEqual([rows().length, counted("failed"), counted("source_inactive")], [1, 8, 8]);
    await recorder.flush();
    equal(counted("failed"), 8);
  });

  it("ignores attempts that no source has the key of", async () => {
    const { recorder, batches } = world();
    recorder.record(refused("unknown_public_key", { source: null, keyState: null }));
    await recorder.flush();
    deepEqual([batches.length, recorder.droppedTotal()], [0, 0]);
  });

  it("flushes everything recorded before the call, even while another flush is running", async () => {
    const { recorder, rows } = world();
    recorder.record(taken());
    const first = recorder.flush();
    recorder.record(taken());
    await Promise.all([recorder.flush(), recorder.flush(), first]);
    equal(rows().length, 2);
  });

  it("flushes on a timer", async (t: TestContext) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { recorder, rows } = world();
    recorder.record(taken());
    t.mock.timers.tick(ATTEMPT_FLUSH_MS);
    await new Promise(setImmediate);
    equal(rows().length, 1);
  });

  it("flushes when it is closed, and ignores later attempts", async () => {
    const { recorder, rows } = world();
    recorder.record(taken());
    await recorder.close();
    recorder.record(taken());
    await recorder.flush();
    equal(rows().length, 1);
  });

  it("gives up an attempt that cannot be rendered, and keeps the others", async () => {
    const rows: AttemptRow[] = [];
    const ledger: AttemptLedger = {
      recordAttempts: async (batch) => void rows.push(...batch.rows),
      attempts: async () => [],
      attemptGroups: async () => [],
      attemptCounts: async () => [],
      attemptSums: async () => [],
    };
    const recorder = createRecorder({ ledger, clock: fakeClock(), log: silent });
    recorder.record(taken([null], { receivedAt: Number.NaN }));
    recorder.record(taken());
    await recorder.flush();
    deepEqual([rows.length, recorder.droppedTotal()], [1, 1]);
  });
});
