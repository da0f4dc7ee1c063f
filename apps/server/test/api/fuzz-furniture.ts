/** The data that exists for the fuzzer, and how its requests refer to it. */
import { ROLES } from "@headwater/contract";
import fc from "fast-check";
import { ORGANIZATION_ID, ORIGIN, OWNER_TOKEN, type World } from "../support/world.ts";
import type { Real } from "./mutation.ts";

/** Existing ids. The generator sends them where a schema only says `string`. */
export interface Known {
  organizations: string[];
  sources: string[];
  keys: string[];
  /** A session, and the key of its source. */
  visits: { publicKey: string; sessionId: string }[];
  users: string[];
  tokens: string[];
  receipts: string[];
  secrets: string[];
}

export async function furnish(world: World): Promise<Known> {
  const known: Known = {
    organizations: [ORGANIZATION_ID],
    sources: [],
    keys: [],
    visits: [],
    users: [],
    tokens: [],
    receipts: [],
    secrets: [OWNER_TOKEN],
  };
  const make = async (path: string, body: object) => (await world.ask(path, { method: "POST", body })).body;
  for (let count = 0; count < 30; count += 1) {
    const source = await world.createSource({ requireOrigin: false, allowedOrigins: ["*"] });
    known.sources.push(source.sourceId);
    known.keys.push(source.publicKey);
    known.visits.push({ publicKey: source.publicKey, sessionId: await world.openSession(source) });
    const { userId, tokenId } = await world.serviceAccount("viewer");
    known.users.push(userId);
    known.tokens.push(tokenId);
    const erasure = { organizationId: ORGANIZATION_ID, anonymousId: `visitor-${count}` };
    known.receipts.push((await make("/api/visitors/erase", erasure)).receiptId);
  }
  for (const role of ROLES) known.secrets.push((await world.serviceAccount(role)).token);
  known.secrets.push((await world.person("viewer")).token);
  return known;
}

export const often = (likely: fc.Arbitrary<unknown>, seldom: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 9, arbitrary: likely }, { weight: 1, arbitrary: seldom });
/** Anything but `.` and `..`, which no client sends within a path. */
const words = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
  .filter((word) => !/^\.+$/.test(word));
export const wild = fc.oneof(words, fc.constantFrom("__proto__", "null", "0", "x".repeat(300)));

/** One of the newest ids, because requests delete and create things all the time. */
export const newest = <T>(of: T[]) => fc.nat(29).map((back) => of.at(-1 - (back % of.length))!);

/** Values by member name: mostly real ids where the schema only says `string`, sometimes other text. */
export function realOf(known: Known): Real {
  const one = (of: string[]) => often(newest(of), wild);
  const time = fc
    .integer({ min: -9 * 86_400_000, max: 60_000 })
    .map((ago) => new Date(Date.now() + ago).toISOString());
  const now = fc.constant(null).map(() => new Date().toISOString());
  const title = fc
    .string({ minLength: 1, maxLength: 40 })
    .map((text) => `n${text.replace(/[^\x20-\x7e]/g, "")}`);
  return {
    organizationId: fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom(...known.organizations) },
      { weight: 1, arbitrary: wild },
    ),
    sourceId: one(known.sources),
    publicKey: one(known.keys),
    call: often(fc.constantFrom("track", "page", "identify", "b", "batch", "send"), wild),
    sessionId: one(known.visits.map(({ sessionId }) => sessionId)),
    userId: one(known.users),
    tokenId: one(known.tokens),
    receiptId: one(known.receipts),
    timestamp: often(time, wild),
    sentAt: often(now, time),
    expiresAt: fc.constantFrom("2099-01-01T00:00:00Z", null),
    email: fc.constantFrom("ann@mail.example", null),
    allowedOrigins: fc.constantFrom(["*"], [ORIGIN], []),
    type: fc.constantFrom("page", "track", "track", "identify"),
    page: fc.record({
      url: fc.constantFrom(`${ORIGIN}/a?utm_source=x`, "/b", ""),
      title,
      referrer: fc.constantFrom(null, "https://a.example"),
    }),
    id: fc.oneof(fc.uuid(), fc.constantFrom("known-1", "known-2")),
    name: title,
    // it is not requested
    url: fc.constant("http://10.0.0.1/"),
    label: title,
    from: fc.constant("2026-01-01"),
    to: fc.constant("2026-12-31"),
    dateRange: fc.constantFrom(
      "7d",
      "today",
      ["2026-11-01", "2026-12-01"],
      ["2026-12-01", "2026-11-01"],
      ["x", "y"],
    ),
    timezone: fc.constantFrom("Europe/Berlin", "UTC", "Mars/Olympus"),
    filters: fc.constantFrom(
      [],
      [{ dimension: "page", operator: "is", value: "/a" }],
      [{ not: { or: [{ sessionHas: { dimension: "event", operator: "matches", value: "(" } }] } }],
      [{ and: [] }],
      [{ dimension: "page", operator: "gt", value: {} }],
    ),
    cursor: fc.constantFrom("1", "999", "1.YQ"),
    isActive: fc.constant(true),
    limits: fc.constantFrom({ maxBatchSize: 10 }, {}),
  };
}
