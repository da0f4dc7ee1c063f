/** The same traffic to a service on each ledger: the same answers, the same events, the same debug view, but for ids. */
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { corpusFor } from "../api/poison-corpus.ts";
import { storedEvents } from "../ledger/reader.ts";
import {
  drivenClock,
  INGEST_ROUTES,
  ORGANIZATION_ID,
  openWorld,
  type TestReply,
  type TestRequest,
  type World,
} from "../support/world.ts";
import { databaseOf, removeDatabaseOf } from "./databases.ts";

/** Ids and tokens are random, and the ids of events are derived from them. */
const ID = /\b(src|ses|att|req|pk|tok|usr|svc|evt|aud)_[A-Za-z0-9_-]{8,}/g;
const TOKEN_HINT = /"hint":"[A-Za-z0-9]{4}"/g;
/** The hash of a snippet, which contains the key. */
const HASH = /'sha256-[A-Za-z0-9+/=]+'/g;
const DURATION = /"durationMs":[\d.]+/g;
const withoutIds = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replace(ID, "$1_")
      .replace(TOKEN_HINT, '"hint":""')
      .replace(HASH, "")
      .replace(DURATION, '"durationMs":0'),
  );
const facts = ({ status, body, headers }: TestReply) =>
  withoutIds({ status, body, retryAfter: headers.get("retry-after"), location: headers.get("location") });

const SETTINGS = { BASE_URL: "https://stats.example.com" };

interface Side {
  name: string;
  world: World;
  source: { sourceId: string; publicKey: string };
  sessionId: string;
}

describe("The same traffic on SQLite and on PostgreSQL", () => {
  const time = drivenClock();
  const sides: Side[] = [];
  before(async () => {
    for (const name of ["SQLite", "PostgreSQL"]) {
      const options = { clock: time.clock };
      const world =
        name === "SQLite"
          ? await openWorld({ ...SETTINGS, DATABASE_URL: "" }, options)
          : await openWorldOnPostgres(options);
      const source = await world.createSource();
      sides.push({ name, world, source, sessionId: await world.openSession(source) });
    }
  });
  after(async () => {
    for (const { name, world } of sides) {
      await world.close();
      if (name === "PostgreSQL" && process.env.TEST_LEDGER !== "postgres")
        await removeDatabaseOf(world.dataDir);
      await world[Symbol.asyncDispose]();
    }
  });

  const same = async (what: string, ask: (side: Side) => Promise<unknown>) => {
    const [one, other] = await Promise.all(sides.map(ask));
    assert.deepEqual(other, one, what);
  };

  it("gets the same answers at every ingest route, including malformed requests", async () => {
    let requests = 0;
    for (const route of INGEST_ROUTES) {
      // ids of events and batches are made once, so that both are sent the same
      const body = route.body("@session");
      for (const { what, body: poisoned, headers } of corpusFor(body)) {
        await same(`${route.kind} ${what}`, async ({ world, source, sessionId }) => {
          const own = typeof poisoned === "string" ? poisoned.replaceAll("@session", sessionId) : poisoned;
          return facts(await world.send(route.path(source), own, headers));
        });
        requests += 1;
        // each in a moment of its own, so that none of the debug history is sampled away
        time.advance(250);
      }
    }
    assert.ok(requests > 1_000, String(requests));
  });

  it("stores the same events", async () => {
    const order = (events: { eventId: string }[]) =>
      events.toSorted((one, other) => (one.eventId < other.eventId ? -1 : 1));
    await same("events", async ({ world }) => withoutIds(order(storedEvents(world.dataDir))));
  });

  it("shows the same debug view and the same usage", async () => {
    for (const kind of ["bootstrap", "events"]) {
      await same(`the debug view of ${kind}`, async ({ world, source }) =>
        facts(await world.ask(`/api/tracking-sources/${source.sourceId}/debug?kind=${kind}&limit=200`)),
      );
    }
    await same("usage", async ({ world }) =>
      facts(await world.ask(`/api/usage?organizationId=${ORGANIZATION_ID}`)),
    );
  });

  it("gets the same answers at the workspace API", async () => {
    const post = (body: object): TestRequest => ({ method: "POST", body });
    const organizationId = ORGANIZATION_ID;
    const traffic: [string, TestRequest][] = [
      ["/api/tracking-sources", post({ organizationId, name: "Café — ünï 🛒 \0 \ud800", slug: "shop" })],
      ["/api/tracking-sources", post({ organizationId, name: "Café — ünï 🛒" })],
      ["/api/tracking-sources", post({ organizationId, name: "Café — ünï 🛒" })],
      ["/api/tracking-sources", post({ organizationId, name: "Twice", slug: "cafe-uni" })],
      ["/api/tracking-sources/@source", { method: "PATCH", body: { isActive: false, frameworkHint: "vue" } }],
      ["/api/tracking-sources/@source/regenerate-key", post({ gracePeriodSeconds: 60 })],
      ["/api/tracking-sources/@source/install", {}],
      ["/api/members", post({ organizationId, name: "Вася", role: "viewer" })],
      [`/api/members?organizationId=${organizationId}`, {}],
      ["/api/tokens", post({ organizationId, label: "a token" })],
      [`/api/onboarding?organizationId=${organizationId}`, {}],
      [`/api/tracking-sources?organizationId=${organizationId}`, {}],
      ["/api/tracking-sources/@source", { method: "DELETE" }],
      [`/api/audit?organizationId=${organizationId}`, {}],
    ];
    for (const [path, ask] of traffic) {
      await same(`${ask.method ?? "GET"} ${path}`, async ({ world, source }) => {
        const reply = await world.ask(path.replace("@source", source.sourceId), ask);
        const { token: _, ...body } = reply.body ?? {};
        return facts({ ...reply, body });
      });
      time.advance(1_000);
    }
  });
});

async function openWorldOnPostgres(options: { clock: () => number }): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-test-"));
  return openWorld({ ...SETTINGS, DATABASE_URL: await databaseOf(dataDir) }, options, dataDir);
}
