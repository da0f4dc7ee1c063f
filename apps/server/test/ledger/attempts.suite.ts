/** What every AttemptLedger does, whatever it stores in. */
import { deepEqual, equal } from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import type { AttemptKind, AttemptOutcome } from "@headwater/contract";
import { SERVER_LIMITS } from "../../src/core/limits.ts";
import type { AttemptLedger } from "../../src/ledger/ledger.ts";
import type { AttemptCount, AttemptRow } from "../../src/ledger/records.ts";

interface OpenedAttempts {
  ledger: AttemptLedger;
  maintain(at: { now: number }): Promise<unknown>;
  close(): Promise<void>;
}
/** A store of its own for each test. */
type OpenAttempts = (options: { storeBytes: number }) => Promise<OpenedAttempts>;

const NOW = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;
let made = 0;

/** A store may compress: of random letters three quarters are left. */
export const recordOf = (length: number) =>
  JSON.stringify(randomBytes(length).toString("base64").slice(0, length));

function row(changes: Partial<AttemptRow> = {}): AttemptRow {
  const attemptId = `att_${++made}`;
  return {
    attemptId,
    sourceId: "src_1",
    kind: "events",
    receivedAt: NOW,
    outcome: "succeeded",
    code: null,
    origin: "https://shop.example",
    sessionId: "ses_1",
    anonymousId: "anon_1",
    record: JSON.stringify({ attemptId, text: "ünï ✓" }),
    ...changes,
  };
}
const failed = (code: string, changes: Partial<AttemptRow> = {}) =>
  row({ outcome: "failed", code, ...changes });
const rowsOf = (count: number, make: () => AttemptRow) => Array.from({ length: count }, make);
const count = (name: string, changes: Partial<AttemptCount> = {}): AttemptCount => ({
  sourceId: "src_1",
  hour: NOW,
  name,
  count: 1,
  lastSeenAt: NOW,
  ...changes,
});

export function attemptsSuite(name: string, open: OpenAttempts): void {
  const test = (title: string, run: (opened: OpenedAttempts) => Promise<void>, storeBytes = 1e9) =>
    void it(title, async () => {
      const opened = await open({ storeBytes });
      try {
        await run(opened);
      } finally {
        await opened.close();
      }
    });
  const idsOf = async (ledger: AttemptLedger, filter: object = {}) => {
    const found = await ledger.attempts({ sourceId: "src_1", limit: 10_000, ...filter });
    return found.map(({ record }) => (JSON.parse(record) as { attemptId: string }).attemptId);
  };

  describe(`attempts in ${name}`, () => {
    test("are returned as they were recorded, newest first", async ({ ledger }) => {
      const rows = [row(), row({ kind: "bootstrap" }), failed("invalid_payload")];
      await ledger.recordAttempts({ rows, counts: [] });
      const found = await ledger.attempts({ sourceId: "src_1", limit: 10 });
      deepEqual(
        found.map(({ kind, record }) => ({ kind, record })),
        rows.toReversed().map(({ kind, record }) => ({ kind, record })),
      );
      equal(found[0]!.seq > found[1]!.seq && found[1]!.seq > found[2]!.seq, true);
    });

    test("can be filtered by each field and by several fields", async ({ ledger }) => {
      const plain = row();
      const kind: AttemptKind = "bootstrap";
      const outcome: AttemptOutcome = "partial";
      const others = {
        kind: row({ kind }),
        outcome: row({ outcome, code: "event_too_large" }),
        code: failed("origin_not_allowed"),
        origin: row({ origin: "https://other.example" }),
        sessionId: row({ sessionId: "ses_2" }),
        anonymousId: row({ anonymousId: "anon_2" }),
      };
      await ledger.recordAttempts({ rows: [plain, ...Object.values(others)], counts: [] });
      for (const [field, other] of Object.entries(others)) {
        const value = other[field as keyof AttemptRow];
        deepEqual(await idsOf(ledger, { [field]: value }), [other.attemptId], field);
      }
      deepEqual(await idsOf(ledger, { outcome: "failed", code: "origin_not_allowed", kind: "events" }), [
        others.code.attemptId,
      ]);
      deepEqual(await idsOf(ledger, { outcome: "succeeded", code: "origin_not_allowed" }), []);
    });

    test("are counted by origin, outcome and code, as far as a filter selects them", async ({ ledger }) => {
      const old = row({ receivedAt: NOW - HOUR });
      const refused = rowsOf(3, () => failed("origin_not_allowed", { origin: "https://other.example" }));
      const served = row({ origin: null });
      const newest = row({ receivedAt: NOW + HOUR });
      await ledger.recordAttempts({ rows: [old, row(), ...refused, served, newest], counts: [] });
      const all = { sourceId: "src_1", since: NOW - HOUR };
      const group = {
        origin: "https://other.example",
        outcome: "failed",
        code: "origin_not_allowed",
        requests: 3,
        lastSeenAt: NOW,
      };
      const found = await ledger.attemptGroups(all);
      deepEqual(
        found.map(({ origin, requests, lastSeenAt }) => [origin, requests, lastSeenAt]),
        [
          ["https://other.example", 3, NOW],
          ["https://shop.example", 2, NOW + HOUR],
          [null, 1, NOW],
        ],
      );
      deepEqual(found[0], group);
      deepEqual(await ledger.attemptGroups({ ...all, outcome: "failed" }), [group]);
      deepEqual(await ledger.attemptGroups({ ...all, origin: "https://nobody.example" }), []);
    });

    test("of another source are not returned", async ({ ledger }) => {
      await ledger.recordAttempts({
        rows: [row({ sourceId: "src_2" })],
        counts: [count("accepted", { sourceId: "src_2" })],
      });
      deepEqual(await idsOf(ledger), []);
      deepEqual(await ledger.attemptGroups({ sourceId: "src_1", since: 0 }), []);
      deepEqual(await ledger.attemptCounts({ sourceId: "src_1", sinceHour: 0 }), []);
    });

    test("are paged back with `before`, and read oldest first with `after`", async ({ ledger }) => {
      const rows = rowsOf(7, row);
      await ledger.recordAttempts({ rows, counts: [] });
      const [newest, second, third] = await ledger.attempts({ sourceId: "src_1", limit: 3 });
      const back = await ledger.attempts({ sourceId: "src_1", limit: 3, before: third!.seq });
      equal(back[0]!.seq < third!.seq, true);
      deepEqual(
        await idsOf(ledger, { before: third!.seq }),
        rows
          .slice(0, 4)
          .map((one) => one.attemptId)
          .toReversed(),
      );
      const ahead = await ledger.attempts({ sourceId: "src_1", limit: 1, after: third!.seq });
      deepEqual(ahead, [second]);
      deepEqual(await ledger.attempts({ sourceId: "src_1", limit: 9, after: newest!.seq }), []);
    });

    test("keep the newest 200 successes of each source and kind", async ({ ledger }) => {
      const rows = rowsOf(SERVER_LIMITS.attemptsSucceededKept + 30, row);
      const bootstraps = rowsOf(3, () => row({ kind: "bootstrap" }));
      const elsewhere = row({ sourceId: "src_2" });
      await ledger.recordAttempts({ rows: [elsewhere, ...bootstraps, ...rows.slice(0, 150)], counts: [] });
      await ledger.recordAttempts({ rows: rows.slice(150), counts: [] });
      const kept = rows.slice(30).map((one) => one.attemptId);
      deepEqual(await idsOf(ledger, { kind: "events" }), kept.toReversed());
      equal((await idsOf(ledger, { kind: "bootstrap" })).length, 3);
      equal((await idsOf(ledger, { sourceId: "src_2" })).length, 1);
    });

    test("keep the newest 1,000 other attempts, with at least 20 of each code", async ({ ledger }) => {
      const rare = rowsOf(30, () => failed("origin_not_allowed"));
      const few = rowsOf(5, () => row({ outcome: "partial", code: "event_too_large" }));
      const common = rowsOf(1_500, () => failed("rate_limited"));
      await ledger.recordAttempts({ rows: [...rare, ...few, row()], counts: [] });
      for (let at = 0; at < common.length; at += 250) {
        await ledger.recordAttempts({ rows: common.slice(at, at + 250), counts: [] });
      }
      const newestOf = (rows: AttemptRow[], kept: number) => rows.slice(-kept).map((one) => one.attemptId);
      deepEqual((await idsOf(ledger, { code: "origin_not_allowed" })).toReversed(), newestOf(rare, 20));
      deepEqual((await idsOf(ledger, { code: "event_too_large" })).toReversed(), newestOf(few, 5));
      deepEqual((await idsOf(ledger, { code: "rate_limited" })).toReversed(), newestOf(common, 975));
      equal((await idsOf(ledger, { outcome: "succeeded" })).length, 1);
    });

    test("are kept for a week, and counters for one day more", async ({ ledger, maintain }) => {
      const week = SERVER_LIMITS.attemptRetentionSeconds * 1_000;
      const old = row({ receivedAt: NOW - week - 1 });
      const young = row({ receivedAt: NOW - week + 1 });
      const counts = [
        count("failed", { hour: NOW - week - 25 * HOUR }),
        count("failed", { hour: NOW - week }),
      ];
      await ledger.recordAttempts({ rows: [old, young], counts });
      await maintain({ now: NOW });
      deepEqual(await idsOf(ledger), [young.attemptId]);
      deepEqual(await ledger.attemptCounts({ sourceId: "src_1", sinceHour: 0 }), [counts[1]]);
    });

    test("are deleted when the store is full: the oldest successes first", async ({ ledger }) => {
      const record = recordOf(10_000);
      const refusals = rowsOf(4, () => failed("invalid_payload", { record }));
      const successes = rowsOf(6, () => row({ record, kind: "bootstrap" }));
      await ledger.recordAttempts({ rows: [...refusals, ...successes], counts: [] });
      const left = await ledger.attempts({ sourceId: "src_1", limit: 100 });
      equal(left.filter(({ kind }) => kind === "events").length, 4);
      const successesLeft = left.filter(({ kind }) => kind === "bootstrap").length;
      equal(successesLeft > 0 && successesLeft < 6, true);
      await ledger.recordAttempts({
        rows: rowsOf(20, () => failed("invalid_payload", { record })),
        counts: [],
      });
      const last = await ledger.attempts({ sourceId: "src_1", limit: 100 });
      equal(last.length > 4 && last.length < 20, true);
      equal(
        last.every(({ kind }) => kind === "events"),
        true,
      );
    }, 65_000);

    test("that failed are kept as long as there is a success to delete", async ({ ledger, maintain }) => {
      const record = recordOf(600);
      const failures = rowsOf(50, () => failed("invalid_payload", { record }));
      const sources = Array.from({ length: 10 }, (_, index) => `src_many_${index}`);
      const successes = sources.flatMap((sourceId) => rowsOf(200, () => row({ sourceId, record })));
      await ledger.recordAttempts({ rows: [...failures, ...successes], counts: [] });
      equal((await idsOf(ledger)).length, failures.length);
      await maintain({ now: NOW });
      equal((await idsOf(ledger)).length, failures.length);
      let left = 0;
      for (const sourceId of sources) left += (await idsOf(ledger, { sourceId })).length;
      equal(left > 0 && left < 300, true);
    }, 300_000);

    test("of one batch are stored together or not at all", async ({ ledger }) => {
      const broken = {
        ...row(),
        receivedAt: "never" as unknown as number,
        record: null as unknown as string,
      };
      await ledger.recordAttempts({ rows: [row(), broken], counts: [count("accepted")] }).then(
        () => equal("stored", "refused"),
        () => undefined,
      );
      deepEqual(await idsOf(ledger), []);
      deepEqual(await ledger.attemptCounts({ sourceId: "src_1", sinceHour: 0 }), []);
      await ledger.recordAttempts({ rows: rowsOf(SERVER_LIMITS.attemptsSucceededKept + 1, row), counts: [] });
      equal((await idsOf(ledger)).length, SERVER_LIMITS.attemptsSucceededKept);
    });

    test("are counted by hour and name", async ({ ledger }) => {
      await ledger.recordAttempts({ rows: [], counts: [count("accepted", { count: 5 }), count("failed")] });
      const later = count("accepted", { count: 7, lastSeenAt: NOW + 9 });
      await ledger.recordAttempts({ rows: [], counts: [later, count("failed", { lastSeenAt: NOW - 9 })] });
      await ledger.recordAttempts({ rows: [], counts: [count("failed", { hour: NOW - HOUR })] });
      const found = await ledger.attemptCounts({ sourceId: "src_1", sinceHour: NOW });
      deepEqual(
        new Set(found),
        new Set([count("accepted", { count: 12, lastSeenAt: NOW + 9 }), count("failed", { count: 2 })]),
      );
      equal((await ledger.attemptCounts({ sourceId: "src_1", sinceHour: NOW - HOUR })).length, 3);
    });

    test("are summed for several sources since an hour, by name", async ({ ledger }) => {
      const hours = [NOW - 2 * HOUR, NOW - HOUR, NOW];
      await ledger.recordAttempts({
        rows: [],
        counts: hours.map((hour) => count("failed", { hour, count: 2 })),
      });
      await ledger.recordAttempts({
        rows: [],
        counts: [
          count("accepted", { sourceId: "src_2", count: 3 }),
          count("succeeded", { sourceId: "src_2" }),
          count("succeeded", { sourceId: "src_3" }),
        ],
      });
      const asked = { sourceIds: ["src_1", "src_2", "src_none"], sinceHour: NOW - HOUR };
      const sum = { hour: NOW - HOUR };
      const outcomes = [
        count("failed", { ...sum, count: 4 }),
        count("succeeded", { ...sum, sourceId: "src_2" }),
      ];
      const accepted = count("accepted", { ...sum, sourceId: "src_2", count: 3 });
      deepEqual(new Set(await ledger.attemptSums({ ...asked, names: "outcomes" })), new Set(outcomes));
      deepEqual(
        new Set(await ledger.attemptSums({ ...asked, names: "all" })),
        new Set([...outcomes, accepted]),
      );
    });
  });
}
