/** Which debug attempts an erasure takes out of every ledger, and which it leaves. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { AttemptRow } from "../../src/ledger/records.ts";
import { ODD, visitorOf, walk } from "./ledger-erasure.suite.ts";
import { fresh, type NewHome, NOW, testerOf } from "./ledger-home.suite.ts";

/** As some clients write JSON. */
const asciiOf = (text: string) =>
  JSON.stringify(text).replace(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

export function visitorAttemptsSuite(name: string, newHome: NewHome): void {
  const test = testerOf(newHome);

  describe(`erasing visitors' debug attempts in ${name}`, () => {
    test("deletes the debug attempts that name the visitor, in any JSON spelling, up to the time of the request", async (ledger) => {
      const row = (over: Partial<AttemptRow>, told: object): AttemptRow => ({
        attemptId: fresh("att"),
        sourceId: "src_1",
        kind: "events",
        receivedAt: NOW,
        outcome: "succeeded",
        code: null,
        origin: null,
        sessionId: null,
        anonymousId: null,
        record: JSON.stringify({ ...told, raw: { deep: ["x", told] } }),
        ...over,
      });
      const body = (told: object, indent?: number) => ({ raw: `${JSON.stringify(told, null, indent)}}` });
      const gone = [
        row({}, { userId: ODD }),
        row({}, { identifiedUserId: ODD }),
        row({ anonymousId: ODD }, {}),
        row({}, body({ userId: ODD })),
        row({}, body({ events: [{ anonymousId: ODD }] }, 2)),
        row({}, { raw: `{"userId":${asciiOf(ODD)}, ` }),
      ];
      const kept = [
        row({}, { userId: `${ODD}2`, path: ODD, page: { name: ODD }, [ODD]: 1 }),
        row({}, body({ userId: `2${ODD}`, path: ODD })),
        row({}, { raw: `"${ODD}" ${JSON.stringify(ODD)}` }),
        row({ receivedAt: NOW + 1 }, { userId: ODD }),
        row({ anonymousId: "1" }, { anonymousId: "1", page: "1", events: ["1"] }),
        ...Array.from({ length: 250 }, () => row({ outcome: "failed" }, {})),
      ];
      const rows = [...kept, ...gone, row({ sourceId: "src_2" }, { userId: ODD })];
      await ledger.recordAttempts({ rows, counts: [] });
      const visitors = [
        visitorOf(["src_1", "src_3"], { kind: "userId", id: ODD }),
        visitorOf(["src_1"], { id: ODD }),
        visitorOf(["src_1"], { kind: "userId", id: "1" }),
      ];
      await walk((after) => ledger.eraseAttempts({ visitors, after }));
      const left = async (sourceId: string) =>
        (await ledger.attempts({ sourceId, limit: 1_000 })).map(({ record }) => record).sort();
      assert.deepEqual(await left("src_1"), kept.map(({ record }) => record).sort());
      assert.equal((await left("src_2")).length, 1);
      await ledger.recordAttempts({ rows: [row({}, {})], counts: [] });
      assert.equal((await left("src_1")).length, kept.length + 1);
    });
  });
}
