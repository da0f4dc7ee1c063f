/** Section 2.3: the debug data. Its member names are not shown, so the checks search for values. */
import assert from "node:assert/strict";
import { fresh } from "../support/world.ts";
import {
  at,
  cases,
  contains,
  isObject,
  list,
  namedValuesIn,
  rule,
  type SpecCheck,
  show,
  status,
  succeeded,
  text,
} from "./check.ts";
import {
  type Fields,
  OTHER_ORIGIN,
  PAGE,
  pageEvent,
  rejectedEvent,
  type SpecAnswer,
  type SpecClient,
  type SpecSource,
  trackEvent,
} from "./client.ts";

type MakeAttempt = (client: SpecClient, source: SpecSource) => Promise<SpecAnswer>;

const origin = { origin: OTHER_ORIGIN };
const legacy = ({ publicKey }: SpecSource, kind: string) => `/api/ingest/${publicKey}/${kind}`;

const ATTEMPTS: Record<string, MakeAttempt> = {
  "a bootstrap that succeeded": (client, source) => client.bootstrap(source),
  "a bootstrap that resumed a session": async (client, source) =>
    client.bootstrap(source, { sessionId: await client.session(source) }),
  "a bootstrap with an invalid payload": (client, source) => client.bootstrap(source, { page: undefined }),
  "a bootstrap from another origin": (client, source) => client.bootstrap(source, {}, origin),
  "a bootstrap that is not JSON": (client, source) =>
    client.ingest(`/api/ingest/v2/${source.publicKey}/bootstrap`, "{"),
  "a legacy bootstrap": (client, source) => client.ingest(legacy(source, "bootstrap"), {}),
  "events that were accepted": async (client, source) =>
    client.events(source, await client.session(source), [trackEvent()]),
  "events of which one was rejected": async (client, source) =>
    client.events(source, await client.session(source), [trackEvent(), rejectedEvent()]),
  "events with an invalid payload": (client, source) => client.events(source, "s", []),
  "events for no session": (client, source) => client.events(source, "ses_nobody", [trackEvent()]),
  "legacy events": (client, source) => client.ingest(legacy(source, "events"), {}),
};

async function snapshotOf(
  client: SpecClient,
  send: (source: SpecSource, marker: string) => Promise<unknown>,
) {
  const source = await client.source();
  const marker = fresh("marker");
  await send(source, marker);
  return { debug: await client.view("debug", source), marker };
}

const SNAPSHOTS: Record<
  string,
  (client: SpecClient, source: SpecSource, marker: string) => Promise<unknown>
> = {
  "the title of a bootstrap's page": (client, source, title) =>
    client.bootstrap(source, { page: { ...PAGE, title } }),
  "the context of a bootstrap": (client, source, locale) => client.bootstrap(source, { context: { locale } }),
  "the visitor of a refused bootstrap": (client, source, anonymousId) =>
    client.bootstrap(source, { anonymousId, page: undefined }),
  "the properties of an event": async (client, source, plan) =>
    client.events(source, await client.session(source), [trackEvent({ properties: { plan } })]),
  "the batchId of events": async (client, source, batchId) =>
    client.events(source, await client.session(source), [trackEvent()], { batchId }),
  "the properties of a rejected event": async (client, source, plan) =>
    client.events(source, await client.session(source), [rejectedEvent({ properties: { plan } })]),
};

/** What the debug view says of one event: every object in it that names the event and a status. */
function resultsOf(debug: unknown, eventId: unknown): Fields[] {
  return [...namedValuesIn(debug)]
    .map(([, value]) => value)
    .filter(isObject)
    .filter((value) => Object.values(value).includes(eventId) && typeof value.status === "string");
}

async function outcomes(client: SpecClient) {
  const source = await client.source();
  const sessionId = await client.session(source);
  const known = trackEvent();
  await client.events(source, sessionId, [known]);
  const sent = [trackEvent(), known, rejectedEvent()];
  const { body } = await client.events(source, sessionId, sent);
  return { answer: body, debug: await client.view("debug", source), sent };
}

const OUTCOMES = { accepted: 0, duplicate: 1, rejected: 2 };

const LIMITS = { "maximum batch size": /batch/i, "payload bytes": /payload|bytes/i };

export const DEBUG: SpecCheck[] = [
  ...rule(
    "2.3",
    "The response includes ingest limits",
    cases(LIMITS, async (pattern, client) => {
      const debug = await client.view("debug", await client.source());
      const found = [...namedValuesIn(debug)].filter(
        ([name, value]) => pattern.test(name) && Number.isInteger(value),
      );
      assert.ok(found.length > 0, show(debug));
    }),
  ),
  ...rule(
    "2.3",
    "The response includes source metadata",
    cases({ sourceId: "sourceId", name: "name", organizationId: "organizationId" }, async (field, client) => {
      const source = await client.source({ name: fresh("named") });
      const value = at(await client.shown(source), field);
      assert.ok(contains(await client.view("debug", source), value));
    }),
  ),
  ...rule(
    "2.3",
    "The response includes recent bootstrap attempts and event attempts",
    cases(ATTEMPTS, async (send, client) => {
      const source = await client.source();
      const { body } = await send(client, source);
      assert.ok(contains(await client.view("debug", source), text(body, "attemptId")));
    }),
  ),
  ...rule(
    "2.3",
    "The response includes raw and normalized payload snapshots",
    cases(SNAPSHOTS, async (send, client) => {
      const { debug, marker } = await snapshotOf(client, (source, value) => send(client, source, value));
      assert.ok(JSON.stringify(debug).includes(marker));
    }),
  ),
  ...rule("2.3", "The response includes raw and normalized payload snapshots", {
    "the normalized name of a page event": async (client) => {
      const source = await client.source();
      await client.events(source, await client.session(source), [pageEvent()]);
      assert.ok(contains(await client.view("debug", source), "page_view"));
    },
    "both the raw and the normalized one": async (client) => {
      const { debug } = await snapshotOf(client, async (source, plan) =>
        client.events(source, await client.session(source), [trackEvent({ properties: { plan } })]),
      );
      const names = [...namedValuesIn(debug)].map(([name]) => name);
      assert.ok(
        names.some((name) => /raw/i.test(name)) && names.some((name) => /normali[sz]ed/i.test(name)),
        show(names),
      );
    },
  }),
  ...rule(
    "2.3",
    "The response includes per-event results with outcomes accepted, duplicate or rejected",
    cases(OUTCOMES, async (index, client) => {
      const { debug, sent } = await outcomes(client);
      const wanted = Object.keys(OUTCOMES)[index];
      assert.ok(
        resultsOf(debug, sent[index]?.id).some((one) => one.status === wanted),
        show(debug),
      );
    }),
  ),
  ...rule(
    "2.3",
    "The per-event results are those of the answer",
    cases({ analyticsEventId: 0, name: 0, code: 2, message: 2 }, async (index, client) => {
      const { debug, sent, answer } = await outcomes(client);
      const wanted = at(answer, "results", index);
      const statusWanted = at(wanted, "status");
      const found = resultsOf(debug, sent[index]?.id).filter((one) => one.status === statusWanted);
      const field = (value: unknown) =>
        ["analyticsEventId", "code", "message"].map((name) => at(value, name));
      assert.ok(found.length > 0, show(debug));
      for (const one of found) assert.deepEqual(field(one), field(wanted));
    }),
  ),
  ...rule("2.3", "recent attempts", {
    "a new source has none": async (client) => {
      const debug = await client.view("debug", await client.source());
      assert.deepEqual(
        [...namedValuesIn(debug)].filter(([name]) => name === "attemptId"),
        [],
      );
    },
    "ten attempts are all shown": async (client) => {
      const source = await client.source();
      const made: string[] = [];
      for (let count = 0; count < 10; count += 1)
        made.push(text((await client.bootstrap(source)).body, "attemptId"));
      const debug = await client.view("debug", source);
      assert.deepEqual(
        made.filter((id) => !contains(debug, id)),
        [],
      );
    },
    "a bootstrap and its events are both shown": async (client) => {
      const source = await client.source();
      const first = (await client.bootstrap(source)).body;
      const second = (await client.events(source, text(first, "sessionId"), [trackEvent()])).body;
      const debug = await client.view("debug", source);
      assert.ok(contains(debug, text(first, "attemptId")) && contains(debug, text(second, "attemptId")));
    },
    "the origin of a refused attempt is shown": async (client) => {
      const source = await client.source();
      await client.bootstrap(source, {}, origin);
      assert.ok(JSON.stringify(await client.view("debug", source)).includes(OTHER_ORIGIN));
    },
    "the session of an attempt is shown": async (client) => {
      const source = await client.source();
      const sessionId = await client.session(source);
      assert.ok(contains(await client.view("debug", source), sessionId));
    },
    "the issues of an invalid payload are shown": async (client) => {
      const source = await client.source();
      const { body } = await client.bootstrap(source, { sdkVersion: undefined });
      const debug = JSON.stringify(await client.view("debug", source));
      for (const issue of list(body, "issues")) assert.ok(debug.includes(text(issue, "message")), debug);
    },
  }),
  ...rule("4.1", "GET /api/tracking-sources/:sourceId/debug", {
    "with organizationId as a query field": async (client) => {
      const { sourceId, organizationId } = await client.source();
      const path = `/api/tracking-sources/${sourceId}/debug?organizationId=${organizationId}`;
      succeeded(await client.call("GET", path));
    },
    "an unknown query parameter changes nothing": async (client) => {
      const { sourceId } = await client.source();
      succeeded(await client.call("GET", `/api/tracking-sources/${sourceId}/debug?cache=no`));
    },
    "of a source that does not exist": async (client) =>
      status(await client.call("GET", "/api/tracking-sources/src_nobody/debug"), 403, 404),
    "reading it is not an attempt": async (client) => {
      const source = await client.source();
      await client.bootstrap(source);
      const first = await client.view("debug", source);
      const count = (debug: unknown) =>
        [...namedValuesIn(debug)].filter(([name]) => name === "attemptId").length;
      assert.equal(count(await client.view("debug", source)), count(first));
    },
  }),
];
