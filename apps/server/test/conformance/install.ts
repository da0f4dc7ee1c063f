/** Section 2.2: the install payload. */
import assert from "node:assert/strict";
import { at, cases, rule, type SpecCheck, status, succeeded, text } from "./check.ts";
import { bootstrapBody, ORIGIN, type SpecClient, type SpecSource } from "./client.ts";

type VerifyInstall = (install: unknown, source: SpecSource, client: SpecClient) => unknown;

const PAYLOAD: Record<string, VerifyInstall> = {
  "publicKey: the source public key": (install, { publicKey }) =>
    assert.equal(at(install, "publicKey"), publicKey),
  "apiBaseUrl: string": (install) => text(install, "apiBaseUrl"),
  "apiBaseUrl: base address of the API that the client must use": (install, _, { url }) =>
    assert.equal(at(install, "apiBaseUrl"), url),
  "ingestVersion: integer, value 2": (install) => assert.equal(at(install, "ingestVersion"), 2),
  "browserSnippet: script snippet for browsers": (install) =>
    assert.match(text(install, "browserSnippet"), /<script/),
  "browserSnippet: a closed script": (install) => assert.match(text(install, "browserSnippet"), /<\/script>/),
  "nextjsExample: string": (install) => text(install, "nextjsExample"),
  "reactExample: string": (install) => text(install, "reactExample"),
  "debugUrl: an absolute address": (install) => new URL(text(install, "debugUrl")),
  "debugUrl: at {app_url}/analytics/setup/debug": (install) =>
    assert.match(new URL(text(install, "debugUrl")).pathname, /\/analytics\/setup\/debug$/),
  "debugUrl: taking a sourceId query parameter": (install, { sourceId }) =>
    assert.equal(new URL(text(install, "debugUrl")).searchParams.get("sourceId"), sourceId),
};

const SNIPPETS = {
  browserSnippet: "browserSnippet",
  nextjsExample: "nextjsExample",
  reactExample: "reactExample",
};

export const INSTALL: SpecCheck[] = [
  ...Object.entries(PAYLOAD).flatMap(([sentence, verify]) =>
    rule("2.2", sentence, {
      "GET /api/tracking-sources/:sourceId/install": async (client) => {
        const source = await client.source();
        await verify(await client.view("install", source), source, client);
      },
    }),
  ),
  ...rule(
    "2.2",
    "The install payload keeps the public key aligned",
    cases(SNIPPETS, async (snippet, client) => {
      const source = await client.source();
      assert.ok(text(await client.view("install", source), snippet).includes(source.publicKey));
    }),
  ),
  ...rule(
    "2.2",
    "The install payload keeps the API base address aligned",
    cases(SNIPPETS, async (snippet, client) => {
      const install = await client.view("install", await client.source());
      assert.ok(text(install, snippet).includes(text(install, "apiBaseUrl")), text(install, snippet));
    }),
  ),
  ...rule(
    "2.2",
    "The install payload keeps the public key aligned, after regenerate-key",
    cases({ publicKey: "publicKey", ...SNIPPETS }, async (field, client) => {
      const before = await client.source();
      const after = await client.rotated(before);
      const shown = text(await client.view("install", after), field);
      assert.ok(shown.includes(after.publicKey) && !shown.includes(before.publicKey), shown);
    }),
  ),
  ...rule("2.2", "apiBaseUrl: base address of the API that the client must use", {
    "a bootstrap sent there succeeds": async (client) => {
      const install = await client.view("install", await client.source());
      const url = `${text(install, "apiBaseUrl")}/api/ingest/v2/${text(install, "publicKey")}/bootstrap`;
      const headers = { "content-type": "application/json", origin: ORIGIN };
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(bootstrapBody()) });
      assert.equal(response.status, 200, await response.text());
    },
  }),
  ...rule("4.1", "GET /api/tracking-sources/:sourceId/install", {
    "with organizationId as a query field": async (client) => {
      const { sourceId, organizationId, publicKey } = await client.source();
      const path = `/api/tracking-sources/${sourceId}/install?organizationId=${organizationId}`;
      const answer = await client.call("GET", path);
      succeeded(answer);
      assert.equal(at(answer.body, "publicKey"), publicKey);
    },
    "an unknown query parameter changes nothing": async (client) => {
      const { sourceId } = await client.source();
      succeeded(await client.call("GET", `/api/tracking-sources/${sourceId}/install?cache=no`));
    },
    "two reads give the same payload": async (client) => {
      const source = await client.source();
      assert.deepEqual(await client.view("install", source), await client.view("install", source));
    },
    "two sources have their own payloads": async (client) => {
      const first = await client.view("install", await client.source());
      const second = await client.view("install", await client.source());
      assert.notEqual(at(first, "publicKey"), at(second, "publicKey"));
      assert.notEqual(at(first, "debugUrl"), at(second, "debugUrl"));
    },
    "of a source that does not exist": async (client) =>
      status(await client.call("GET", "/api/tracking-sources/src_nobody/install"), 403, 404),
  }),
];
