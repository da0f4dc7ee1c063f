import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { describe, it } from "node:test";
import {
  CONTENT_LIMIT_VALUES,
  DebugData,
  type DebugQuery,
  ERRORS,
  EVENT_CODES,
  LIMITS,
} from "@headwater/contract";
import { compile } from "../../src/core/validate.ts";
import { createRecorder } from "../../src/debug/recorder.ts";
import { ATTEMPT_FAILURES_PER_SECOND } from "../../src/debug/sampling.ts";
import { createDebugView } from "../../src/debug/view.ts";
import type { AttemptLedger } from "../../src/ledger/ledger.ts";
import { bootstrapped, fakeClock, memoryLedger, NOW, refused, silent, source, taken } from "./fixtures.ts";

const HOUR = 3_600_000;
const fitsContract = compile(DebugData);
const { maxEventAgeSeconds, sessionTimeoutSeconds } = LIMITS;
const sharedLimits = { maxEventAgeSeconds, sessionTimeoutSeconds, ...CONTENT_LIMIT_VALUES };

function world(changes: Partial<AttemptLedger> = {}) {
  const ledger = { ...memoryLedger(), ...changes };
  const clock = fakeClock();
  const recorder = createRecorder({
    ledger,
    clock,
    log: silent,
    limits: { successBurst: 1_000, successesPerSecondTotal: 1_000 },
  });
  const debugView = createDebugView({
    ledger: { ...ledger, planViolations: async () => [] },
    recorder,
    clock,
    limitsOf: () => ({
      maxBatchSize: 500,
      maxPayloadBytes: 524_288,
      maxEventBytes: 32_768,
      dedupWindowSeconds: 777_600,
      requestRate: { client: { perSecond: 50, burst: 200 }, source: { perSecond: 2_000, burst: 4_000 } },
      clientBytesPerSecond: null,
      dailyQuota: { source: { events: null, bytes: 1_000 }, workspace: { events: null, bytes: null } },
      ...sharedLimits,
    }),
  });
  const view = async (query: DebugQuery = {}, shown = source()) => {
    const data: DebugData = JSON.parse(await debugView(shown, query));
    equal(fitsContract(data), true, JSON.stringify(fitsContract.issues(data)));
    return data;
  };
  const health = async (shown = source()) => (await view({}, shown)).health;
  return { recorder, clock, debugView, view, health };
}

describe("The debug view", () => {
  it("shows attempts right after they were recorded, by kind, newest first", async () => {
    const { recorder, view } = world();
    const attempts = [bootstrapped(), taken(), taken([null, "event_too_large"])];
    for (const attempt of attempts) recorder.record(attempt);
    const data = await view();
    deepEqual(
      data.bootstrapAttempts.map((one) => one.attemptId),
      [attempts[0]!.attemptId],
    );
    deepEqual(
      data.eventAttempts.map((one) => one.attemptId),
      [attempts[2]!.attemptId, attempts[1]!.attemptId],
    );
    equal(data.nextCursor, null);
    equal(data.source.sourceId, "src_1");
    equal(data.limits.maxBatchSize, 500);
  });

  it("filters by kind, outcome, code, origin, session and visitor", async () => {
    const { recorder, view } = world();
    recorder.record(bootstrapped());
    recorder.record(taken());
    recorder.record(taken([null, "event_too_large"], { origin: "https://joe@example.com" }));
    recorder.record(refused("origin_not_allowed", { origin: "https://evil.example" }));
    const found = async (query: DebugQuery) => {
      const { bootstrapAttempts, eventAttempts } = await view(query);
      return [bootstrapAttempts.length, eventAttempts.length];
    };
    deepEqual(await found({ kind: "bootstrap" }), [1, 0]);
    deepEqual(await found({ outcome: "succeeded" }), [1, 1]);
    deepEqual(await found({ code: "event_too_large" }), [0, 1]);
    deepEqual(await found({ origin: "https://evil.example", outcome: "failed" }), [0, 1]);
    deepEqual(await found({ origin: "https://joe@example.com" }), [0, 1]);
    deepEqual(await found({ sessionId: "ses_new" }), [1, 0]);
    deepEqual(await found({ anonymousId: "anon_1" }), [1, 2]);
    deepEqual(await found({ anonymousId: "nobody" }), [0, 0]);
  });

  it("shows no attempts of other sources", async () => {
    const { recorder, view } = world();
    recorder.record(taken([null], { source: source("src_2") }));
    const { eventAttempts, health } = await view();
    deepEqual([eventAttempts.length, health.last24h.accepted], [0, 0]);
  });

  it("pages through both kinds at once without repeating or skipping an attempt", async () => {
    const { recorder, view } = world();
    const ids = { bootstrap: new Set<string>(), events: new Set<string>() };
    for (let index = 0; index < 40; index++) {
      const attempt = index % 8 === 3 ? bootstrapped() : taken();
      ids[attempt.kind].add(attempt.attemptId);
      recorder.record(attempt);
    }
    let cursor: string | null = null;
    let pages = 0;
    do {
      const data: DebugData = await view({ limit: 3, ...(cursor === null ? {} : { cursor }) });
      if (pages === 0) deepEqual([data.bootstrapAttempts.length, data.eventAttempts.length], [3, 3]);
      for (const one of data.bootstrapAttempts) equal(ids.bootstrap.delete(one.attemptId), true);
      for (const one of data.eventAttempts) equal(ids.events.delete(one.attemptId), true);
      cursor = data.nextCursor;
      ok(cursor === null || /^[0-9]{1,15}$/.test(cursor));
      pages++;
    } while (cursor !== null);
    deepEqual([ids.bootstrap.size, ids.events.size, pages], [0, 0, 12]);
  });

  it("answers an unknown cursor with an empty page", async () => {
    const { recorder, view } = world();
    recorder.record(taken());
    for (const cursor of ["0", "7", "999999999999999", "000"]) {
      const data = await view({ cursor });
      deepEqual([data.eventAttempts.length, data.nextCursor], [0, null]);
    }
  });
});

describe("The health of a source", () => {
  it("is waiting before the first attempt, then receiving or failing", async () => {
    const { recorder, clock, health } = world();
    equal((await health()).status, "waiting");
    recorder.record(refused("origin_not_allowed"));
    equal((await health()).status, "failing", "nothing ever succeeded");
    clock.advance(1_000);
    recorder.record(bootstrapped());
    equal((await health()).status, "receiving");
    clock.advance(1_000);
    recorder.record(refused("origin_not_allowed"));
    equal((await health()).status, "failing", "the last attempt failed, and so did two of three");
    for (let index = 0; index < 5; index++) recorder.record(taken());
    clock.advance(1_000);
    recorder.record(refused("origin_not_allowed"));
    equal((await health()).status, "receiving", "one failure among many successes");
    clock.advance(2 * HOUR);
    equal((await health()).status, "receiving");
    clock.advance(48 * HOUR);
    recorder.record(refused("origin_not_allowed"));
    equal((await health()).status, "failing");
  });

  it("considers successes that are older than the counters", async () => {
    const { recorder, clock, health } = world();
    equal((await health(source("src_1", { lastEventAt: NOW - 30 * 24 * HOUR }))).status, "receiving");
    clock.advance(1);
    recorder.record(refused("source_inactive"));
    const shown = await health(source("src_1", { lastBootstrapAt: NOW - HOUR }));
    deepEqual([shown.status, shown.lastBootstrapAt], ["failing", new Date(NOW - HOUR).toISOString()]);
  });

  it("counts the last 24 hours, and lists the most frequent codes with hints", async () => {
    const { recorder, clock, health } = world();
    recorder.record(refused("source_inactive"));
    clock.advance(26 * HOUR);
    recorder.record(taken([null, "duplicate_event", "event_too_large", "event_too_large"]));
    recorder.record(refused("origin_not_allowed", {}, { hint: "Add https://other.example." }));
    for (let index = 0; index < 300; index++) recorder.record(refused("rate_limited"));
    const { last24h, topCodes } = await health();
    deepEqual(last24h, {
      accepted: 1,
      duplicates: 1,
      rejected: 2,
      failed: 301,
      planViolations: 0,
      notListed: 299,
    });
    const seen = { lastSeenAt: new Date(clock()).toISOString() };
    deepEqual(topCodes, [
      { code: "rate_limited", count: 300, ...seen, hint: ERRORS.rate_limited.hint },
      { code: "event_too_large", count: 2, ...seen, hint: EVENT_CODES.event_too_large },
      { code: "origin_not_allowed", count: 1, ...seen, hint: "Add https://other.example." },
    ]);
  });

  it("warns of a proxy that TRUST_PROXY does not include, for an hour after its last request", async () => {
    const { recorder, clock, health } = world();
    recorder.record(taken([null], { proxyUntrusted: true }));
    const { warnings } = await health();
    deepEqual(
      warnings.map(({ code }) => code),
      ["proxy_untrusted"],
    );
    ok(warnings[0]!.hint.includes("TRUST_PROXY="));
    clock.advance(2 * HOUR);
    deepEqual((await health()).warnings, []);
  });

  it("counts attempts that are not kept", async () => {
    const { recorder, health, view } = world();
    for (let index = 0; index < 900; index++) recorder.record(refused("source_inactive"));
    const { failed, notListed } = (await health()).last24h;
    deepEqual([failed, notListed], [900, 900 - ATTEMPT_FAILURES_PER_SECOND]);
    equal((await view({ limit: LIMITS.maxDebugPageSize })).eventAttempts.length, ATTEMPT_FAILURES_PER_SECOND);
  });

  it("is rendered once at a time for a workspace, and twice for all; a client that leaves gives up its turn", async () => {
    const open = Promise.withResolvers<void>();
    const asked: string[] = [];
    const { debugView } = world({
      attempts: async ({ sourceId, kind }) => {
        if (kind === "events") asked.push(sourceId);
        await open.promise;
        return [];
      },
    });
    const left = new AbortController();
    const ofWorkspace = (sourceId: string, organizationId: string, signal?: AbortSignal) =>
      debugView(source(sourceId, { organizationId }), {}, signal);
    const views = [
      ofWorkspace("src_1", "org_1"),
      ofWorkspace("src_2", "org_1", left.signal),
      ofWorkspace("src_3", "org_1"),
      ofWorkspace("src_4", "org_2"),
      ofWorkspace("src_5", "org_3"),
    ];
    await new Promise(setImmediate);
    deepEqual(asked, ["src_1", "src_4"]);
    left.abort(new Error("left"));
    open.resolve();
    await rejects(views[1]!, /left/);
    await Promise.all(views.toSpliced(1, 1));
    deepEqual(asked.toSorted(), ["src_1", "src_3", "src_4", "src_5"]);
  });
});
