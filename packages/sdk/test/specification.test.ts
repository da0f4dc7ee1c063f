/** The clients against a server that does exactly what docs/spec.md says: it knows no events in a bootstrap. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createServerClient } from "../src/server.ts";
import { browserTest } from "./browser.ts";
import { type ReceivedRequest, refusal, type ScriptedResponse, startIngest } from "./server.ts";

const MAX_REQUESTS = 100;
type JsonMembers = Record<string, unknown>;

const isText = (value: unknown) => typeof value === "string" && value !== "";
const isOptional = (value: unknown, type: string) => value === undefined || typeof value === type;
const isObject = (value: unknown): value is JsonMembers =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isTime = (value: unknown) => isText(value) && !Number.isNaN(Date.parse(value as string));

/** Sections 2.4 and 4.2, rule 2. */
const isBootstrap = ({
  ingestVersion,
  sdkVersion,
  anonymousId,
  sessionId,
  userId,
  page,
  context,
}: JsonMembers) =>
  ingestVersion === 2 &&
  isText(sdkVersion) &&
  isText(anonymousId) &&
  (sessionId === null || isOptional(sessionId, "string")) &&
  (userId === null || isOptional(userId, "string")) &&
  isObject(page) &&
  isOptional(context, "object");

/** Sections 2.7 and 4.2, rule 3. */
const isEvent = ({
  id,
  type,
  timestamp,
  name,
  page,
  anonymousId,
  sessionId,
  properties,
  context,
}: JsonMembers) =>
  isText(id) &&
  isTime(timestamp) &&
  (type === "track" ? isText(name) : type === "page" && isObject(page)) &&
  isOptional(anonymousId, "string") &&
  isOptional(sessionId, "string") &&
  isOptional(properties, "object") &&
  isOptional(context, "object");

/** Sections 2.6 and 4.2, rule 3. */
const isBatch = ({
  ingestVersion,
  sdkVersion,
  batchId,
  sentAt,
  sessionId,
  anonymousId,
  userId,
  events,
}: JsonMembers) =>
  ingestVersion === 2 &&
  [sdkVersion, batchId, sessionId, anonymousId].every(isText) &&
  isTime(sentAt) &&
  isOptional(userId, "string") &&
  Array.isArray(events) &&
  events.length > 0 &&
  events.every(isEvent);

/** A service that knows nothing but the specification: its answers have the members of 2.5 and 2.8 and no others. */
function createSpecifiedService() {
  const sessions = new Map<string, string>();
  /** How often each event was accepted, by its id. */
  const stored = new Map<string, JsonMembers>();
  const watchers = new Set<() => void>();
  const common = { ok: true, attemptId: "att_1", sourceId: "src_1" };
  // as text, so that the test server adds nothing
  const succeed = (body: JsonMembers): ScriptedResponse => ({ status: 200, body: JSON.stringify(body) });
  const refuse = (body: JsonMembers) =>
    refusal(422, "invalid_payload", { issues: [{ path: [], message: JSON.stringify(body) }] });

  function bootstrap(body: JsonMembers, key: string): ScriptedResponse {
    if (!isBootstrap(body)) return refuse(body);
    const { anonymousId, userId = null } = body as { anonymousId: string; userId?: string | null };
    const asked = String(body.sessionId);
    const sessionId = sessions.get(asked) === anonymousId ? asked : `ses_${sessions.size + 1}`;
    sessions.set(sessionId, anonymousId);
    const ingestUrl = `/api/ingest/v2/${key}/events`;
    return succeed({
      ...common,
      ingestVersion: 2,
      sessionId,
      anonymousId,
      identifiedUserId: userId,
      ingestUrl,
    });
  }

  function events(body: JsonMembers): ScriptedResponse {
    if (!isBatch(body)) return refuse(body);
    const { sessionId, events } = body as { sessionId: string; events: JsonMembers[] };
    if (!sessions.has(sessionId)) return refusal(403, "invalid_session");
    const results = events.map((event) => {
      const { id, type, name } = event as { id: string; type: string; name?: string };
      const isNew = !stored.has(id);
      if (isNew) stored.set(id, { ...event, userId: body.userId });
      const outcome = isNew
        ? { status: "accepted", code: null, message: null }
        : { status: "duplicate", code: "duplicate", message: "Known." };
      return { eventId: id, analyticsEventId: `evt_${id}`, type, name: name ?? "page_view", ...outcome };
    });
    for (const look of watchers) look();
    const count = (wanted: string) => results.filter(({ status }) => status === wanted).length;
    const counts = { accepted: count("accepted"), duplicates: count("duplicate"), rejected: 0 };
    return succeed({ ...common, sessionId, ...counts, results });
  }

  const answer = ({ route, key, body }: ReceivedRequest): ScriptedResponse => {
    const fields = body as unknown as JsonMembers;
    return route === "bootstrap" ? bootstrap(fields, key) : events(fields);
  };
  const names = () => [...stored.values()].map(({ name, page }) => name ?? (page as { path: string }).path);
  /** Waits until the named events are stored. */
  const untilStored = (...wanted: string[]): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => wanted.every((name) => names().includes(name)) && resolve();
    watchers.add(look);
    look();
    return promise;
  };
  return {
    sessions,
    stored,
    names,
    untilStored,
    answers: Array.from({ length: MAX_REQUESTS }, () => answer),
  };
}

const routesOf = (requests: readonly ReceivedRequest[]) =>
  requests.filter(({ method }) => method === "POST").map(({ route }) => route);

browserTest(
  "The browser client delivers every event once to a server that knows only the specification.",
  async (visit) => {
    const { ingest, page, open, track, warnings } = visit;
    const service = createSpecifiedService();
    ingest.plan(...service.answers);
    await open("/one");
    await service.untilStored("/one");
    assert.deepEqual(routesOf(ingest.requests), ["bootstrap", "events"]);

    await track("first", { none: null });
    await page.evaluate(() => window.headwater?.("flush"));
    await service.untilStored("first");
    assert.deepEqual(routesOf(ingest.requests), ["bootstrap", "events", "events"]);

    await page.evaluate(() => {
      window.headwater?.("identify", "user-1");
      window.headwater?.("track", "signed in");
    });
    await service.untilStored("signed in");
    await page.evaluate(() => {
      window.headwater?.("track", "before the reset");
      window.headwater?.("reset");
      window.headwater?.("track", "after the reset");
    });
    await service.untilStored("before the reset", "after the reset");

    await track("left behind");
    await open("/two");
    await service.untilStored("left behind", "/two");
    assert.deepEqual(service.names().toSorted(), [
      "/one",
      "/two",
      "after the reset",
      "before the reset",
      "first",
      "left behind",
      "signed in",
    ]);
    const visitors = new Set(service.sessions.values());
    assert.equal(visitors.size, 2);
    assert.equal([...service.stored.values()].find(({ name }) => name === "signed in")?.userId, "user-1");
    assert.deepEqual(warnings, []);
  },
);

browserTest(
  "After a failure of the second request the events are sent again, and stored once.",
  async (visit) => {
    const { ingest, page, site } = visit;
    const service = createSpecifiedService();
    ingest.plan(service.answers[0]!, { status: 503 }, "hang up", ...service.answers);
    await page.goto(`${site.url}/one`);
    await service.untilStored("/one");
    assert.deepEqual(service.names(), ["/one"]);
    const { requests } = ingest;
    assert.equal(new Set(requests.map(({ body }) => body.events[0]?.id)).size, 1);
  },
);

test("The server client delivers every event once to a server that knows only the specification.", async (t) => {
  const ingest = await startIngest();
  t.after(() => ingest.close());
  const service = createSpecifiedService();
  ingest.plan(...service.answers);
  const { track } = createServerClient({ publicKey: "pk_test", apiBaseUrl: ingest.url });
  const about = { id: "order:1", userId: "u-1", anonymousId: "visitor-1" };
  const first = await track("order_paid", { total: 12 }, about);
  assert.deepEqual(first, { status: "accepted", code: null, message: null, sessionId: "ses_1" });
  assert.equal((await track("order_paid", { total: 12 }, about)).status, "duplicate");
  assert.equal(service.stored.size, 1);
});
