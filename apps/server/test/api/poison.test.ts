import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { storedEvents } from "../ledger/reader.ts";
import {
  type CreatedSource,
  eventsBody,
  eventsPath,
  INGEST_ROUTES,
  MINUTE,
  ORGANIZATION_ID,
  openWorld,
  outcomesOf,
  refused,
  trackEvent,
  type World,
} from "../support/world.ts";
import { corpusFor, ORIGINS, type Poison, SAME_ORIGIN } from "./poison-corpus.ts";

/** Every request is answered without a 5xx and in the shape of the contract (`World` checks that), and does not hang. */
async function answered(asked: Promise<{ status: number; body: unknown }>, what: string) {
  const startedAt = performance.now();
  const { status, body } = await asked;
  assert.ok(status < 500, `${what}: ${status} ${JSON.stringify(body)}`);
  assert.ok(performance.now() - startedAt < MINUTE, `${what} took ${performance.now() - startedAt} ms`);
  return { status, body };
}

describe("Hostile input is answered with a status of the contract, never with a 5xx, and without delay", () => {
  let world: World;
  let source: CreatedSource;
  let sessionId: string;
  before(async () => {
    world = await openWorld({ TRUST_PROXY: "2", GEO_HEADER: "X-Country" });
    source = await world.createSource();
    sessionId = await world.openSession(source);
  });
  after(() => world[Symbol.asyncDispose]());

  /** Checks that the service still works. */
  async function stillWell() {
    assert.equal((await world.ask("/readyz")).status, 200);
    assert.deepEqual(
      outcomesOf(await world.send(eventsPath(source), eventsBody(sessionId, [trackEvent()]))),
      ["accepted"],
    );
    assert.equal(({} as { polluted?: unknown; isAdmin?: unknown }).polluted, undefined);
    assert.equal(({} as { isAdmin?: unknown }).isAdmin, undefined);
  }

  for (const route of INGEST_ROUTES) {
    it(`${route.path({ publicKey: ":publicKey" })}: bodies and headers`, async () => {
      const corpus = corpusFor(route.body(sessionId));
      assert.ok(corpus.length > 250, String(corpus.length));
      for (const { what, body, headers } of corpus) {
        const { status } = await answered(world.send(route.path(source), body, headers), what);
        assert.ok([200, 403, 413, 422].includes(status), `${what}: ${status}`);
      }
      await stillWell();
    });
  }

  it("events: each member of an event, of its page, its properties and its context", async () => {
    const event = {
      ...trackEvent(),
      page: { url: "https://shop.example/", title: "T" },
      context: { locale: "de" },
    };
    const wrap = (text: string) => JSON.stringify(eventsBody(sessionId, ["@@"])).replace('"@@"', () => text);
    const inside = (member: "page" | "properties" | "context") =>
      corpusFor(event[member]).map(({ what, body }) => {
        const text = JSON.stringify({ ...event, [member]: "@@" }).replace('"@@"', () => String(body));
        return { what: `${member} ${what}`, body: text };
      });
    const poisons = [...corpusFor(event), ...inside("page"), ...inside("properties"), ...inside("context")];
    const texts = poisons.filter(
      (one): one is Poison & { body: string } => typeof one.body === "string" && !("headers" in one),
    );
    for (const [index, { what, body }] of texts.entries()) {
      const own = body.replace(event.id, `poison-${index}`);
      for (const headers of [{}, { prefer: "handling=lenient" }]) {
        const { status } = await answered(world.send(eventsPath(source), wrap(own), headers), what);
        assert.ok([200, 413, 422].includes(status), `${what}: ${status}`);
      }
    }
    await stillWell();
    for (const stored of storedEvents(world.dataDir)) {
      assert.doesNotMatch(
        JSON.stringify(stored),
        /\\u0000|\\ud[89a-f]/,
        "the ledger holds well-formed text only",
      );
    }
  });

  it("afterwards the debug view still shows every attempt, in the contract's shape", async () => {
    for (const kind of ["bootstrap", "events"]) {
      let cursor: string | null = "";
      let pages = 0;
      while (cursor !== null && pages < 20) {
        const query = `kind=${kind}&limit=200${cursor === "" ? "" : `&cursor=${cursor}`}`;
        const { status, body } = await world.ask(`/api/tracking-sources/${source.sourceId}/debug?${query}`);
        assert.equal(status, 200);
        cursor = body.nextCursor;
        pages += 1;
      }
      assert.ok(pages > 1);
    }
  });

  it("an origin with another port, dot, suffix, prefix or script is not an allowed origin; case does not matter", async () => {
    for (const origin of ORIGINS) {
      for (const route of INGEST_ROUTES) {
        const { status } = await answered(
          world.send(route.path(source), route.body(sessionId), { origin }),
          origin,
        );
        assert.equal(status, SAME_ORIGIN.has(origin) ? 200 : 403, origin.slice(0, 60));
      }
    }
  });

  describe("workspace routes", () => {
    const sourcePath = () => `/api/tracking-sources/${source.sourceId}`;
    const routes: [name: string, method: string, path: () => string, body: Record<string, unknown>][] = [
      [
        "create a source",
        "POST",
        () => "/api/tracking-sources",
        { organizationId: ORGANIZATION_ID, name: "N", slug: null, allowedOrigins: [], frameworkHint: "next" },
      ],
      ["update a source", "PATCH", sourcePath, { organizationId: ORGANIZATION_ID, frameworkHint: "vue" }],
      [
        "add a member",
        "POST",
        () => "/api/members",
        { organizationId: ORGANIZATION_ID, role: "viewer", name: "A" },
      ],
      [
        "make a token",
        "POST",
        () => "/api/tokens",
        { organizationId: ORGANIZATION_ID, label: "L", expiresAt: "2030-01-01T00:00:00Z" },
      ],
      ["create a workspace", "POST", () => "/api/organizations", { name: "W" }],
      ["complete the set-up", "POST", () => "/api/onboarding", { organizationId: ORGANIZATION_ID }],
    ];
    for (const [name, method, path, body] of routes) {
      it(`${name}: bodies and headers`, async () => {
        const token = await world.ownerSession();
        for (const poison of corpusFor(body)) {
          const ask = { method, token, body: poison.body, headers: poison.headers ?? {} };
          await answered(world.ask(path(), ask), poison.what);
        }
        await stillWell();
      });
    }

    it("paths, queries and tokens", async () => {
      const odd = [
        "%00",
        "%zz",
        "%ff",
        "..%2f",
        "'",
        "%F0%9F%98%80",
        "x".repeat(8_000),
        "__proto__",
        "constructor",
        "%ed%a0%80",
        "*",
        ";",
      ];
      for (const text of odd) {
        for (const path of [
          `/api/tracking-sources/${text}`,
          `/api/tracking-sources/${text}/debug`,
          `/api/tracking-sources?organizationId=${text}`,
          `/api/tracking-sources?organizationId=${ORGANIZATION_ID}&organizationId=${text}`,
          `/api/audit?organizationId=${ORGANIZATION_ID}&cursor=${text}&limit=${text}`,
          `/api/visitors/erase/${text}?organizationId=${ORGANIZATION_ID}`,
          `/api/usage?organizationId=${ORGANIZATION_ID}&from=${text}&to=${text}`,
          `${sourcePath()}/debug?cursor=${text}&origin=${text}&sessionId=${text}`,
          `/${text}`,
          `/sdk/${text}`,
        ]) {
          await answered(world.ask(path), path);
        }
        for (const path of [`/api/members/${text}`, `/api/tokens/${text}`]) {
          const asked = `${path}?organizationId=${ORGANIZATION_ID}`;
          await answered(world.ask(asked, { method: "DELETE" }), `DELETE ${path}`);
        }
      }
      for (const token of [
        "x",
        "x".repeat(8_000),
        "hwt_",
        "a.b.c",
        "\u00e9",
        "eyJhbGciOiJub25lIn0.e30.",
        "null",
      ]) {
        refused(await world.ask("/api/organizations", { token }), 401, "invalid_token");
      }
      for (const authorization of [
        "",
        "Bearer",
        "Basic eDp5",
        "Bearer  ",
        "bearer a b",
        ", ,",
        "Bearer \u00ff",
      ]) {
        assert.equal(
          (await world.ask("/api/organizations", { token: null, headers: { authorization } })).status,
          401,
        );
      }
      await stillWell();
    });
  });
});
