/** Requests in the form in which Segment's clients that are not on npm send them, as their source code and documentation say. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { storedEvents } from "../ledger/reader.ts";
import { openWorld, type TestSource, type World } from "../support/world.ts";

interface SdkRequest {
  readonly name: string;
  readonly path: string;
  readonly userAgent: string | null;
  readonly contentType?: string;
  readonly gzip?: true;
  /** Whether the write key is the user of Basic authentication. */
  readonly basic?: true;
  /** Whether the client belongs to an app of a person, and not to a server. */
  readonly isApp: boolean;
  /** Members that the client adds to each message. */
  readonly message: Readonly<Record<string, unknown>>;
}

const app = {
  app: { name: "Shop", version: "2.1", build: "7" },
  device: { id: "d", manufacturer: "Google", model: "Pixel 8", type: "android" },
  network: { wifi: true, cellular: false },
  os: { name: "Android", version: "14" },
  screen: { width: 1080, height: 2400, density: 2.6 },
  locale: "de-DE",
  timezone: "Europe/Berlin",
};
const mobile = (library: string) => ({
  anonymousId: "phone",
  userId: "",
  integrations: {},
  context: { ...app, library: { name: library, version: "1.0.0" }, instanceId: "i" },
  _metadata: { bundled: [], unbundled: [], bundledIds: [] },
});
const server = (library: string) => ({
  userId: "user-1",
  anonymousId: null,
  integrations: {},
  context: { library: { name: library, version: "2.0.0" } },
});

const REQUESTS: readonly SdkRequest[] = [
  {
    name: "Kotlin",
    path: "v1/b",
    userAgent: "analytics-kotlin/1.19.1",
    contentType: "text/plain",
    gzip: true,
    isApp: true,
    message: mobile("analytics-kotlin"),
  },
  {
    name: "Swift",
    path: "v1/b",
    userAgent: "analytics-ios/1.7.3",
    isApp: true,
    message: mobile("analytics-swift"),
  },
  {
    name: "Flutter",
    path: "v1/b",
    userAgent: "analytics-flutter/1.1.6",
    isApp: true,
    message: mobile("analytics_flutter"),
  },
  {
    name: "React Native on Android",
    path: "v1/b",
    userAgent: "okhttp/4.12.0",
    isApp: true,
    message: mobile("@segment/analytics-react-native"),
  },
  {
    name: "React Native on iOS",
    path: "v1/b",
    userAgent: "Shop/7 CFNetwork/1490.0.4 Darwin/23.2.0",
    isApp: true,
    message: mobile("@segment/analytics-react-native"),
  },
  {
    name: "C#",
    path: "v1/b",
    userAgent: null,
    gzip: true,
    isApp: false,
    message: mobile("Analytics-CSharp"),
  },
  {
    name: "Python",
    path: "v1/batch",
    userAgent: "analytics-python/2.4.0",
    gzip: true,
    isApp: false,
    message: server("analytics-python"),
  },
  {
    name: "Go",
    path: "v1/batch",
    userAgent: "analytics-go (version: 3.0.0)",
    basic: true,
    isApp: false,
    message: server("analytics-go"),
  },
  {
    name: "Ruby",
    path: "v1/import",
    userAgent: "analytics-ruby/2.5.0",
    basic: true,
    isApp: false,
    message: server("analytics-ruby"),
  },
  {
    name: "PHP",
    path: "v1/batch",
    userAgent: "analytics-php/3.8.0",
    basic: true,
    gzip: true,
    isApp: false,
    message: server("analytics-php"),
  },
  {
    name: "Java",
    path: "v1/import/",
    userAgent: "analytics-java/3.5.1",
    basic: true,
    isApp: false,
    message: server("analytics-java"),
  },
  {
    name: "RudderStack's Kotlin",
    path: "v1/batch",
    userAgent: "Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/UD1A)",
    basic: true,
    gzip: true,
    isApp: true,
    message: mobile("com.rudderstack.sdk.kotlin.android"),
  },
];

describe("A batch as a client sends it", () => {
  let world: World;
  let source: TestSource;
  before(async () => {
    world = await openWorld();
    source = await world.createSource();
  });
  after(() => world[Symbol.asyncDispose]());

  for (const { name, path, userAgent, contentType, gzip, basic, isApp, message } of REQUESTS)
    it(`${name}: each event is stored once, and its retry is a duplicate`, async () => {
      const timestamp = new Date().toISOString();
      const events = ["track", "identify", "screen"].map((type) => {
        const named = type === "screen" ? { name: "Home" } : { event: name };
        return {
          type,
          ...named,
          messageId: `${name} ${type}`,
          timestamp,
          properties: {},
          traits: {},
          ...message,
        };
      });
      const text = JSON.stringify({ batch: events, sentAt: timestamp, writeKey: "old-key", sequence: 1 });
      const body = gzip ? gzipSync(text) : text;
      const headers = {
        "content-type": contentType ?? "application/json; charset=utf-8",
        "user-agent": userAgent ?? "",
        ...(gzip ? { "content-encoding": "gzip" } : {}),
        ...(basic ? { authorization: `Basic ${btoa("old-key:")}` } : {}),
      };
      for (const outcome of ["accepted", "duplicates"]) {
        const asked = `/api/compat/${source.publicKey}/segment/${path}`;
        const reply = await world.ask(asked, { method: "POST", token: null, body, headers });
        assert.deepEqual([reply.status, reply.body[outcome], reply.body.rejected], [200, 3, 0], reply.text);
        // Ruby's client parses every answer, and retries what has an `error`
        assert.equal(reply.body.error, undefined);
      }
      const stored = storedEvents(world.dataDir).filter(({ eventId }) => eventId.startsWith(`${name} `));
      assert.equal(stored.length, events.length);
      for (const { sentBy, device, userId, anonymousId } of stored) {
        assert.deepEqual([sentBy, device.isBot], [isApp ? "browser" : "server", false]);
        assert.deepEqual(
          [anonymousId, userId],
          isApp || name === "C#" ? ["phone", null] : ["user-1", "user-1"],
        );
      }
    });
});
