/**
 * Sends mutated requests to each compatible endpoint. None may be answered with a 5xx, and the service answers afterwards. 400
 * requests per endpoint; 20,000 with TEST_LONG=1, or FUZZ_REQUESTS. A failure prints its seed; FUZZ_SEED repeats it.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { CompatEndpoint } from "@headwater/contract";
import fc from "fast-check";
import { asText, mutated } from "../api/mutation.ts";
import { BROWSER, ORIGIN, openWorld, type TestSource, type World } from "../support/world.ts";

const RUNS = Number(process.env.FUZZ_REQUESTS ?? (process.env.TEST_LONG === "1" ? 20_000 : 400));
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() & 0x7fffffff);
const PARALLEL = 4;
/** At least this share of the requests is accepted. Others are refused before their events are read. */
const MIN_ACCEPTED = 0.3;
const now = new Date().toISOString();

interface ForeignText {
  readonly path: string;
  readonly method: "GET" | "POST";
  readonly body?: string;
  readonly contentType?: string;
}

const page = { url: `${ORIGIN}/a?utm_source=x`, path: "/a", title: "A", referrer: "https://news.example/" };
const SEGMENT = {
  messageId: "m",
  anonymousId: "visitor",
  userId: 17,
  event: "Ordered",
  name: "Home",
  properties: { revenue: "49.90", currency: "EUR", list: [1, { a: null }] },
  traits: { plan: "pro" },
  groupId: "g",
  previousId: "p",
  context: { page, locale: "de", screen: { width: 1, innerWidth: 2, innerHeight: 3 }, sessionId: 5 },
  timestamp: now,
  sentAt: now,
};
const PLAUSIBLE = {
  n: "Bought",
  u: page.url,
  r: page.referrer,
  p: { a: 1 },
  $: { amount: "1", currency: "EUR" },
};
const UMAMI = {
  type: "event",
  payload: {
    website: "w",
    hostname: "shop.example",
    url: "/u",
    name: "click",
    data: { a: [1] },
    id: "user",
    timestamp: Math.floor(Date.now() / 1_000),
    screen: "1x1",
    lcp: 5,
  },
};
const GA4 = {
  client_id: "1.2",
  user_id: "u",
  timestamp_micros: String(Date.now() * 1_000),
  user_properties: { plan: { value: "pro" } },
  device: { language: "de", screen_resolution: "1x1" },
  events: [
    { name: "purchase", params: { value: 5, currency: "EUR", session_id: "7", page_location: page.url } },
    { name: "user_engagement", params: { engagement_time_msec: 1_200 } },
  ],
};
const HIT = {
  idsite: "1",
  rec: "1",
  _id: "0123456789abcdef",
  url: page.url,
  e_c: "a",
  e_a: "b",
  e_v: "3",
  idgoal: "0",
  revenue: "5",
  ec_items: '[["sku","name","cat",5,1]]',
  cdt: now.slice(0, 19).replace("T", " "),
  rand: "1",
};

const json = (path: fc.Arbitrary<string>, valid: unknown): fc.Arbitrary<ForeignText> =>
  fc
    .tuple(
      path,
      fc.oneof(
        { weight: 1, arbitrary: fc.constant(JSON.stringify(valid)) },
        { weight: 3, arbitrary: mutated(valid).chain(asText) },
      ),
      fc.constantFrom("application/json", "text/plain"),
    )
    .map(([at, body, contentType]) => ({ path: at, method: "POST", body, contentType }));

const queryText = (value: unknown): string =>
  new URLSearchParams(
    Object.entries(Object(value)).map(([name, one]): [string, string] => [
      name,
      (typeof one === "string" ? one : (JSON.stringify(one) ?? "")).toWellFormed().slice(0, 4_000),
    ]),
  ).toString();
const query = (valid: unknown) =>
  fc.oneof(fc.constant(valid), mutated(valid)).chain((params) => {
    const text = queryText(params);
    // cut anywhere, even within an escape
    return fc.oneof(
      { weight: 4, arbitrary: fc.constant(text) },
      { weight: 1, arbitrary: fc.nat({ max: text.length }).map((end) => `${text.slice(0, end)}%`) },
    );
  });
const hit = query(HIT);
const matomo = "matomo/matomo.php";
const MATOMO: fc.Arbitrary<ForeignText> = fc.oneof(
  hit.map((text): ForeignText => ({ path: `${matomo}?${text}`, method: "GET" })),
  hit.map(
    (body): ForeignText => ({
      path: matomo,
      method: "POST",
      body,
      contentType: "application/x-www-form-urlencoded",
    }),
  ),
  hit.chain((text) => json(fc.constant(matomo), { requests: [`?${text}`, HIT, text], token_auth: "x" })),
);

const CALLS = ["track", "page", "screen", "identify", "group", "alias", "t", "p"];
const ENDPOINTS: Readonly<Record<CompatEndpoint, fc.Arbitrary<ForeignText>>> = {
  segment: fc.oneof(
    json(
      fc.constantFrom(...CALLS).map((call) => `segment/v1/${call}`),
      SEGMENT,
    ),
    json(fc.constantFrom("segment/v1/batch", "segment/v1/import/"), {
      batch: CALLS.slice(0, 6).map((type) => ({ ...SEGMENT, type })),
      context: SEGMENT.context,
      sentAt: now,
    }),
  ),
  plausible: json(fc.constant("plausible/api/event"), PLAUSIBLE),
  umami: fc.oneof(
    json(fc.constant("umami/api/send"), UMAMI),
    json(fc.constant("umami/api/batch"), [
      UMAMI,
      { ...UMAMI, type: "identify" },
      { type: "performance", payload: {} },
    ]),
  ),
  ga4: json(fc.constant("ga4/mp/collect?measurement_id=G-1&api_secret=x"), GA4),
  matomo: MATOMO,
};

describe("Mutated requests to the compatible endpoints", () => {
  let world: World;
  let source: TestSource;
  before(async () => {
    const unlimited = { CLIENT_RATE_PER_SECOND: "100000", CLIENT_RATE_BURST: "100000" };
    world = await openWorld({ ...unlimited, SOURCE_RATE_PER_SECOND: "100000", SOURCE_RATE_BURST: "100000" });
    source = await world.createSource();
  });
  after(() => world[Symbol.asyncDispose]());

  async function statusOf(
    { path, method, body, contentType }: ForeignText,
    isPage: boolean,
  ): Promise<number> {
    const type: Record<string, string> = contentType === undefined ? {} : { "content-type": contentType };
    const sender: Record<string, string> = isPage
      ? { origin: ORIGIN, "user-agent": BROWSER }
      : { "user-agent": "node" };
    const response = await fetch(`${world.url}/api/compat/${source.publicKey}/${path}`, {
      method,
      headers: { ...type, ...sender },
      ...(body === undefined ? {} : { body }),
    });
    await response.arrayBuffer();
    return response.status;
  }

  for (const [endpoint, requests] of Object.entries(ENDPOINTS))
    it(`${endpoint}: ${RUNS} requests, no 5xx`, async (t) => {
      const statuses = new Map<number, number>();
      const several = fc.array(fc.tuple(requests, fc.boolean()), {
        minLength: PARALLEL,
        maxLength: PARALLEL,
      });
      const property = fc.asyncProperty(several, async (given) => {
        const answered = await Promise.all(given.map(([request, isPage]) => statusOf(request, isPage)));
        for (const [index, status] of answered.entries()) {
          assert.ok(status < 500, `${status} for ${JSON.stringify(given[index])}`);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      });
      await fc.assert(property, { seed: SEED, numRuns: Math.ceil(RUNS / PARALLEL), endOnFailure: true });
      const counts = Object.fromEntries([...statuses].sort());
      t.diagnostic(`seed ${SEED}, by status ${JSON.stringify(counts)}`);
      const accepted = [200, 202, 204].reduce((sum, status) => sum + (statuses.get(status) ?? 0), 0);
      assert.ok(accepted >= RUNS * MIN_ACCEPTED, JSON.stringify(counts));
      assert.equal((await world.ask("/readyz")).status, 200);
    });
});
