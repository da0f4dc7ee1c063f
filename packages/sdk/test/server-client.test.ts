/** The server client, against the real server and a scripted one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  eventsBody,
  eventsPath,
  ORGANIZATION_ID,
  openWorld,
  trackEvent,
} from "../../../apps/server/test/support/world.ts";
import { createServerClient } from "../src/server.ts";
import { refusal, startIngest } from "./server.ts";

test("A source without a required origin accepts an event once per id, and not as a bot's.", async () => {
  await using world = await openWorld();
  const source = await world.createSource({ allowedOrigins: [] });
  const { track } = createServerClient({ publicKey: source.publicKey, apiBaseUrl: `${world.url}/` });

  const about = { id: "order:1", userId: "u-1" };
  const first = await track("order_paid", { total: 12 }, about);
  assert.deepEqual(
    { ...first, sessionId: null },
    { status: "accepted", code: null, message: null, sessionId: null },
  );
  const second = await track("order_paid", { total: 12 }, about);
  assert.deepEqual([second.status, second.code], ["duplicate", "duplicate_event"]);

  const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}/debug`);
  const { normalized, results } = body.bootstrapAttempts.at(-1);
  const { name, userId, anonymousId, properties } = normalized[0];
  assert.deepEqual(
    { name, userId, anonymousId, properties, warnings: results[0].warnings },
    { name: "order_paid", userId: "u-1", anonymousId: "user:u-1", properties: { total: 12 }, warnings: [] },
  );
});

test("With a token an event is a server's: it needs no Origin, and its id is not the page's.", async () => {
  await using world = await openWorld();
  const source = await world.createSource();
  const { sourceId, publicKey } = source;
  const minted = { organizationId: ORGANIZATION_ID, label: "server", scope: "ingest", sourceId };
  const { token } = (await world.ask("/api/tokens", { method: "POST", body: minted })).body;
  const sessionId = await world.openSession(source);
  const claimed = eventsBody(sessionId, [trackEvent({ id: "order:1" })]);
  assert.equal((await world.send(eventsPath(source), claimed)).body.accepted, 1);

  const { track } = createServerClient({ publicKey, apiBaseUrl: world.url, token });
  const send = () => track("order_paid", { total: 12 }, { id: "order:1", userId: "u-1" });
  assert.deepEqual([(await send()).status, (await send()).status], ["accepted", "duplicate"]);
  const other = createServerClient({ publicKey, apiBaseUrl: world.url, token: "hwt_typo" });
  assert.equal((await other.track("order_paid", {}, { userId: "u-1" })).code, "invalid_token");
});

test("An event with the ids of a page joins that page's visit.", async () => {
  await using world = await openWorld();
  const source = await world.createSource();
  const sessionId = await world.openSession(source, { anonymousId: "visitor-1" });
  const { track } = createServerClient({ publicKey: source.publicKey, apiBaseUrl: world.url });
  const sent = await track("order_paid", undefined, { anonymousId: "visitor-1", sessionId });
  assert.deepEqual([sent.status, sent.sessionId], ["accepted", sessionId]);
});

test("A user with an id of any allowed length is one visitor, the same each time.", async () => {
  await using world = await openWorld();
  const source = await world.createSource();
  const { track } = createServerClient({ publicKey: source.publicKey, apiBaseUrl: world.url });
  const users = [195, 196, 200].flatMap((length) => ["a", "b"].map((end) => end.padStart(length, "u")));
  const visitors = new Set<string>();
  for (const userId of [...users, ...users]) {
    const { status, message } = await track("order_paid", undefined, { userId });
    assert.equal(status, "accepted", `${userId.length}: ${message}`);
    const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}/debug`);
    visitors.add(body.bootstrapAttempts[0].normalized[0].anonymousId);
  }
  assert.equal(visitors.size, users.length);
});

test("A call without a visitor or user fails and sends nothing.", async () => {
  const ingest = await startIngest();
  try {
    const { track } = createServerClient({ publicKey: "pk_test", apiBaseUrl: ingest.url });
    for (const about of [undefined, null, {}, { userId: "" }]) {
      const { status, code, message } = await track("order_paid", undefined, about as { userId: string });
      assert.deepEqual([status, code], ["failed", "about_missing"]);
      assert.match(message ?? "", /userId/);
    }
    assert.equal(ingest.requests.length, 0);
  } finally {
    ingest.close();
  }
});

test("A source that requires an Origin header refuses a server and says what to change.", async () => {
  await using world = await openWorld();
  const source = await world.createSource({ requireOrigin: true });
  const { track } = createServerClient({ publicKey: source.publicKey, apiBaseUrl: world.url });
  const { status, code, message } = await track("order_paid", undefined, { userId: "u-1" });
  assert.deepEqual([status, code], ["failed", "origin_missing"]);
  assert.match(message ?? "", /requireOrigin/);
});

test("After an overload or a closed connection the same event is sent again.", async () => {
  const ingest = await startIngest();
  try {
    ingest.plan(refusal(503, "overloaded"), "hang up", {
      status: 200,
      body: { ok: true, sessionId: "ses_1", results: [{ status: "accepted", code: null, message: null }] },
    });
    const { track } = createServerClient({ publicKey: "pk_test", apiBaseUrl: ingest.url });
    const { status } = await track("order_paid", undefined, { userId: "u-1" });
    assert.equal(status, "accepted");
    assert.equal(ingest.requests.length, 3);
    assert.equal(new Set(ingest.events().map(({ id }) => id)).size, 1);
  } finally {
    ingest.close();
  }
});

test("A permanent refusal is not retried.", async () => {
  const ingest = await startIngest();
  try {
    ingest.plan(refusal(404, "rotated_public_key"));
    const { track } = createServerClient({ publicKey: "pk_old", apiBaseUrl: ingest.url });
    const sent = await track("order_paid", undefined, { userId: "u-1" });
    assert.deepEqual(sent, {
      status: "failed",
      code: "rotated_public_key",
      message: "What is wrong: rotated_public_key. What to do about rotated_public_key.",
      sessionId: null,
    });
    assert.equal(ingest.requests.length, 1);
  } finally {
    ingest.close();
  }
});

test("Properties that are not JSON fail at once, and say so.", async () => {
  const { track } = createServerClient({ publicKey: "pk_test", apiBaseUrl: "http://127.0.0.1:9" });
  const sent = await track("order_paid", { total: 1n } as never, { userId: "u-1" });
  assert.deepEqual([sent.status, sent.code], ["failed", "properties_not_json"]);
});

test("A report that is too large for the server gets smaller with each event that is refused for it.", async () => {
  const ingest = await startIngest();
  try {
    ingest.plan(...Array.from({ length: 8 }, () => refusal(403, "source_inactive")));
    ingest.plan(...Array.from({ length: 4 }, () => refusal(413, "payload_too_large")));
    const { track } = createServerClient({ publicKey: "pk_test", apiBaseUrl: ingest.url });
    for (let event = 0; event < 13; event += 1) await track(`event ${event}`, {}, { userId: "u-1" });
    const counts = ingest.events().map(({ lost }) => (lost ? lost.split("event.").length - 1 : 0));
    assert.deepEqual(counts, [0, 1, 2, 3, 4, 5, 6, 7, 8, 5, 3, 2, 2]);
  } finally {
    ingest.close();
  }
});

test("The next event reports the events that failed, each with why, until one of these reports is stored.", async () => {
  const ingest = await startIngest();
  try {
    const rejected = { status: "rejected", code: "plan_violation", message: null };
    ingest.plan(
      refusal(403, "source_inactive"),
      { status: 200, body: { ok: true, sessionId: "ses_1", results: [rejected] } },
      "hang up",
      "hang up",
      "hang up",
      "hang up",
      refusal(403, "source_inactive"),
    );
    const { track } = createServerClient({ publicKey: "pk_test", apiBaseUrl: ingest.url });
    for (const name of ["refused", "rejected", "unreachable"]) await track(name, {}, { userId: "u-1" });
    await track("repeated by the application", {}, { userId: "u-1", id: "order:1" });
    await track("first", {}, { userId: "u-1" });
    await track("second", {}, { userId: "u-1" });
    const reported = (name: string) => {
      const event = ingest.events().findLast((one) => one.name === name);
      return [...(event?.lost ?? "").matchAll(/(\w+),event\.\d{13}([0-9a-f]{32}~1000000)/g)].map(
        ([, cause, id]) => [cause, ingest.events().find((lost) => lost.id === id)?.name],
      );
    };
    assert.deepEqual(reported("first"), [
      ["refused", "refused"],
      ["plan_violation", "rejected"],
      ["unreachable", "unreachable"],
    ]);
    assert.deepEqual(reported("second"), []);
  } finally {
    ingest.close();
  }
});
