/** Section 7: the failures of ingest are structured. */
import assert from "node:assert/strict";
import { at, cases, isObject, rule, type SpecCheck, status, text } from "./check.ts";
import { OTHER_ORIGIN, type SpecAnswer, type SpecClient, trackEvent } from "./client.ts";

interface Failure {
  status: number;
  send(client: SpecClient): Promise<SpecAnswer>;
}

const origin = { origin: OTHER_ORIGIN };
const NOBODY = { sourceId: "", publicKey: "pk_nobody", organizationId: "" };
const huge = "x".repeat(1_000_000);

const FAILURES_OF_INGEST: Record<string, Failure> = {
  "bootstrap, invalid payload": {
    status: 422,
    send: async (client) => client.bootstrap(await client.shared(), { page: undefined }),
  },
  "bootstrap, not JSON": {
    status: 422,
    send: async (client) =>
      client.ingest(`/api/ingest/v2/${(await client.shared()).publicKey}/bootstrap`, "{"),
  },
  "bootstrap, origin mismatch": {
    status: 403,
    send: async (client) => client.bootstrap(await client.shared(), {}, origin),
  },
  "bootstrap, unknown key": { status: 404, send: (client) => client.bootstrap(NOBODY) },
  "bootstrap, too large": {
    status: 413,
    send: async (client) => client.bootstrap(await client.shared(), { context: { huge } }),
  },
  "events, invalid payload": {
    status: 422,
    send: async (client) => client.events(await client.shared(), "ses", []),
  },
  "events, not JSON": {
    status: 422,
    send: async (client) => client.ingest(`/api/ingest/v2/${(await client.shared()).publicKey}/events`, "{"),
  },
  "events, origin mismatch": {
    status: 403,
    send: async (client) =>
      client.ingest(`/api/ingest/v2/${(await client.shared()).publicKey}/events`, {}, origin),
  },
  "events, invalid session": {
    status: 403,
    send: async (client) => client.events(await client.shared(), "ses_nobody", [trackEvent()]),
  },
  "events, unknown key": { status: 404, send: (client) => client.events(NOBODY, "ses", [trackEvent()]) },
  "events, too large": {
    status: 413,
    send: async (client) =>
      client.events(await client.shared(), "ses", [trackEvent({ properties: { huge } })]),
  },
};

const rows = (check: (answer: SpecAnswer, failure: Failure) => void) =>
  cases(FAILURES_OF_INGEST, async (failure, client) => check(await failure.send(client), failure));

export const FAILURES: SpecCheck[] = [
  ...rule(
    "7",
    "The status of an ingest failure",
    rows((answer, failure) => status(answer, failure.status)),
  ),
  ...rule(
    "7",
    "Ingest failures are structured responses: a JSON object",
    rows(({ body, headers, text: shown }) => {
      assert.match(headers.get("content-type") ?? "", /json/);
      assert.ok(isObject(body) && !Array.isArray(body), shown);
    }),
  ),
  ...rule(
    "2.5",
    "ok: true on success, so not on failure",
    rows(({ body }) => assert.notEqual(at(body, "ok"), true)),
  ),
  ...rule("7", "422: the body includes an issues array; it says what is wrong", {
    "each issue is an object": async (client) => {
      const { body } = await client.bootstrap(await client.shared(), {
        page: undefined,
        sdkVersion: undefined,
      });
      const issues = at(body, "issues");
      assert.ok(Array.isArray(issues) && issues.every(isObject));
    },
    "the issues name the member": async (client) => {
      const { body } = await client.bootstrap(await client.shared(), { sdkVersion: undefined });
      assert.match(JSON.stringify(at(body, "issues")), /sdkVersion/);
    },
    "two missing members are two issues": async (client) => {
      const { body } = await client.bootstrap(await client.shared(), {
        anonymousId: undefined,
        sdkVersion: undefined,
      });
      const shown = JSON.stringify(at(body, "issues"));
      assert.ok(shown.includes("sdkVersion") && shown.includes("anonymousId"), shown);
    },
    "an attempt that fails has an attemptId": async (client) => {
      const { body } = await client.bootstrap(await client.shared(), { page: undefined });
      text(body, "attemptId");
    },
  }),
];
