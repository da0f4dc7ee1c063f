/** What the ledger's suites share: a store that can be reopened, and the plain values that go into it. */
import { createHash } from "node:crypto";
import { it } from "node:test";
import { SOURCE_DEFAULTS } from "@headwater/contract";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { Commit, CommitEntry, SessionRecord, SourceRecord } from "../../src/ledger/records.ts";

/** One empty store that may be opened, closed and opened again. */
export interface LedgerHome {
  open(now: number): Promise<Ledger>;
  remove(): Promise<void>;
}
export type NewHome = () => Promise<LedgerHome>;

export const NOW = Date.UTC(2026, 10, 21, 12);
export const MINUTE = 60_000;
export const DAY = 86_400_000;
export const ORGANIZATION = "org_1";
export const ACTOR = { userId: "usr_1", tokenId: null };

let numbered = 0;
export const fresh = (prefix: string) => `${prefix}_${++numbered}`;
export const keyOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 32);
const entry = (id: string, day: number): CommitEntry => ({
  key: keyOf(id),
  line: Buffer.from(JSON.stringify({ id, text: "ünï ✓" })),
  day,
});
/** Some day, for tests that do not depend on it. */
export const SOME_DAY = Math.floor(NOW / DAY);
export const entries = (count: number, day = SOME_DAY) =>
  Array.from({ length: count }, () => entry(fresh("event"), day));

export const aCommit = (over: Partial<Commit> = {}): Commit => ({
  sourceId: "src_1",
  receivedAt: NOW,
  bootstrap: false,
  bytes: 0,
  open: [],
  touch: [],
  entries: [],
  ...over,
});
export const aSession = (over: Partial<SessionRecord> = {}): SessionRecord => ({
  sourceId: "src_1",
  sessionId: fresh("ses"),
  anonymousId: "visitor",
  userId: null,
  startedAt: NOW,
  lastActivityAt: NOW,
  landing: '{"url":"https://shop.example/ünï"}',
  ...over,
});
const aSource = (over: Partial<SourceRecord> = {}): SourceRecord => ({
  sourceId: fresh("src"),
  organizationId: ORGANIZATION,
  name: "Shop",
  slug: fresh("shop").replace("_", "-"),
  ...SOURCE_DEFAULTS,
  publicKey: fresh("pk"),
  previousKeyExpiresAt: null,
  publicKeyRotatedAt: null,
  allowedOrigins: ["https://shop.example"],
  lastBootstrapAt: null,
  lastEventAt: null,
  createdAt: NOW,
  updatedAt: NOW,
  ...over,
});

/** Runs a test on an open ledger in a home of its own; a test that reopens the ledger leaves the last one open. */
export const testerOf =
  (newHome: NewHome) => (title: string, run: (ledger: Ledger, reopen: Reopen) => Promise<void>) =>
    void it(title, async () => {
      const home = await newHome();
      let ledger = await home.open(NOW);
      const reopen = async (now: number) => {
        await ledger.close();
        ledger = await home.open(now);
        return ledger;
      };
      try {
        await run(ledger, reopen);
      } finally {
        await ledger.close();
        await home.remove();
      }
    });
type Reopen = (now: number) => Promise<Ledger>;

export const outcomes = async (ledger: Ledger, commit: Partial<Commit>) => [
  ...(await ledger.commit(aCommit(commit))),
];
export async function withSource(ledger: Ledger, over: Partial<SourceRecord> = {}): Promise<SourceRecord> {
  const source = aSource(over);
  await ledger.createSource({ actor: ACTOR, now: NOW, source, slugGiven: true });
  return source;
}
export const sessionOf = async (
  ledger: Ledger,
  { sourceId, sessionId }: Pick<SessionRecord, "sourceId" | "sessionId">,
) => (await ledger.sessionsById({ sourceId, sessionIds: [sessionId] }))[0];

export const usageOf = (ledger: Ledger) =>
  ledger.usage({ organizationId: ORGANIZATION, from: "2026-01-01", to: "2027-12-31" });
export const outboxEvents = async (ledger: Ledger) => (await ledger.probe({ now: NOW })).outboxEvents;
