import { deepEqual, equal } from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { AttemptRow } from "../../src/ledger/records.ts";
import { openAttempts } from "../../src/ledger/sqlite/attempts.ts";
import { attemptsSuite, recordOf } from "../ledger/attempts.suite.ts";

const folder = () => mkdtempSync(join(tmpdir(), "headwater-attempts-"));

attemptsSuite("SQLite", async (options) => {
  const directory = folder();
  const store = openAttempts(join(directory, "attempts.sqlite"), options);
  return {
    ledger: {
      recordAttempts: async (batch) => store.recordAttempts(batch),
      attempts: async (filter) => store.attempts(filter),
      attemptGroups: async (asked) => store.attemptGroups(asked),
      attemptCounts: async (asked) => store.attemptCounts(asked),
      attemptSums: async (asked) => store.attemptSums(asked),
    },
    maintain: async ({ now }) => store.maintain({ now }),
    close: async () => {
      store.close();
      rmSync(directory, { recursive: true });
    },
  };
});

describe("the attempts' file", () => {
  const rows = (count: number, record = "{}"): AttemptRow[] =>
    Array.from({ length: count }, (_, index) => ({
      attemptId: `att_${index}`,
      sourceId: "src_1",
      kind: "events",
      receivedAt: index,
      outcome: "succeeded",
      code: null,
      origin: null,
      sessionId: null,
      anonymousId: null,
      record,
    }));

  it("is made with its folder, and goes on where it ended", () => {
    const directory = folder();
    const path = join(directory, "data", "attempts.sqlite");
    const first = openAttempts(path, { storeBytes: 1e9 });
    first.recordAttempts({ rows: rows(200), counts: [] });
    const before = first.attempts({ sourceId: "src_1", limit: 1 });
    first.close();
    const second = openAttempts(path, { storeBytes: 1e9 });
    deepEqual(second.attempts({ sourceId: "src_1", limit: 1 }), before);
    second.recordAttempts({ rows: rows(50), counts: [] });
    equal(second.attempts({ sourceId: "src_1", limit: 1_000 }).length, 200, "what it had is counted");
    second.close();
    rmSync(directory, { recursive: true });
  });

  it("shrinks in slices to a smaller bound", () => {
    const directory = folder();
    const path = join(directory, "attempts.sqlite");
    const large = openAttempts(path, { storeBytes: 1e9 });
    large.recordAttempts({ rows: rows(200, recordOf(5_000)), counts: [] });
    large.close();
    const small = openAttempts(path, { storeBytes: 60_000 });
    equal(small.maintain({ now: 0 }), false);
    equal(small.attempts({ sourceId: "src_1", limit: 1_000 }).length, 14);
    small.close();
    rmSync(directory, { recursive: true });
  });
});
