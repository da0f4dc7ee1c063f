/** Sections 2.1 and 4.1: creating and listing sources. */
import assert from "node:assert/strict";
import { fresh } from "../support/world.ts";
import {
  at,
  cases,
  invalidInput,
  isObject,
  list,
  rule,
  type SpecCheck,
  show,
  status,
  succeeded,
  text,
} from "./check.ts";
import { type Fields, ORIGIN, type SpecClient, type SpecSource } from "./client.ts";

interface Shown {
  sent: Fields;
  source: SpecSource;
  body: unknown;
}

const fullFields = (): Fields => ({
  name: "Web shop",
  slug: fresh("web-shop"),
  allowedOrigins: [ORIGIN, "http://localhost:3000"],
  frameworkHint: "nextjs",
});

/** The four answers that contain a source. */
const VIEWS: Record<string, (client: SpecClient) => Promise<Shown>> = {
  "the created source": async (client) => {
    const sent = fullFields();
    const { body } = await client.create(sent);
    return { sent, source: sourceOf(body), body };
  },
  "a source of the list": async (client) => {
    const sent = fullFields();
    const source = await client.source(sent);
    return { sent, source, body: await client.shown(source) };
  },
  "the updated source": async (client) => {
    const sent = fullFields();
    const source = await client.source({ ...sent, name: "Old name" });
    const { body } = await client.patch(source, { name: sent.name });
    return { sent, source, body };
  },
  "the source with a rotated key": async (client) => {
    const sent = fullFields();
    const source = await client.source(sent);
    const { body } = await client.regenerate(source);
    return { sent, source: { ...source, publicKey: text(body, "publicKey") }, body };
  },
};

const sourceOf = (body: unknown): SpecSource => ({
  sourceId: text(body, "sourceId"),
  publicKey: text(body, "publicKey"),
  organizationId: text(body, "organizationId"),
});

function everyView(sentence: string, verify: (shown: Shown, client: SpecClient) => void): SpecCheck[] {
  return rule(
    "2.1",
    sentence,
    cases(VIEWS, async (view, client) => verify(await view(client), client)),
  );
}

const sameAsSent =
  (field: string) =>
  ({ sent, body }: Shown) =>
    assert.deepEqual(at(body, field), sent[field]);

const FIELDS: SpecCheck[] = [
  ...everyView("sourceId: string, identifier of the source", ({ source, body }) =>
    assert.equal(at(body, "sourceId"), source.sourceId),
  ),
  ...everyView("organizationId: string, workspace identifier", ({ body }, { organizationId }) =>
    assert.equal(at(body, "organizationId"), organizationId),
  ),
  ...everyView("name: string", sameAsSent("name")),
  ...everyView("slug: string", sameAsSent("slug")),
  ...everyView("allowedOrigins: array of strings", sameAsSent("allowedOrigins")),
  ...everyView("frameworkHint: string", sameAsSent("frameworkHint")),
  ...everyView("isActive: boolean", ({ body }) => assert.equal(typeof at(body, "isActive"), "boolean")),
  ...everyView("publicKey: string, identifies the source in ingest paths", ({ source, body }) =>
    assert.equal(text(body, "publicKey"), source.publicKey),
  ),
];

const ACCEPTED: Record<string, Fields> = {
  "slug omitted": { slug: undefined },
  "slug given": { slug: fresh("given") },
  "frameworkHint omitted": { frameworkHint: undefined },
  "frameworkHint react": { frameworkHint: "react" },
  "frameworkHint nextjs": { frameworkHint: "nextjs" },
  "allowedOrigins omitted": { allowedOrigins: undefined },
  "a name with other scripts": { name: "Café 日本語" },
};

const REFUSED: Record<string, Fields> = {
  "organizationId missing": { organizationId: undefined },
  "organizationId null": { organizationId: null },
  "organizationId a number": { organizationId: 7 },
  "name missing": { name: undefined },
  "name null": { name: null },
  "name a number": { name: 42 },
  "name an object": { name: {} },
  "name an array": { name: ["Shop"] },
  "name empty": { name: "" },
  "slug a number": { slug: 5 },
  "slug an object": { slug: {} },
  "slug an array": { slug: ["shop"] },
  "allowedOrigins a string": { allowedOrigins: ORIGIN },
  "allowedOrigins a number": { allowedOrigins: 1 },
  "allowedOrigins an object": { allowedOrigins: { 0: ORIGIN } },
  "allowedOrigins with a number": { allowedOrigins: [ORIGIN, 3] },
  "allowedOrigins with null": { allowedOrigins: [null] },
  "frameworkHint a number": { frameworkHint: 1 },
  "frameworkHint an object": { frameworkHint: {} },
};

const ORIGIN_LISTS: Record<string, string[]> = {
  none: [],
  "scheme plus host": ["https://shop.example"],
  "scheme plus host plus port": ["https://shop.example:8443"],
  "http and localhost": ["http://localhost:3000"],
  "an IPv4 address": ["http://127.0.0.1:5173"],
  several: ["https://shop.example", "https://www.shop.example", "http://localhost:3000"],
};

const notJson: Record<string, string> = {
  "not JSON": "{name",
  "an array": "[]",
  "a string": '"x"',
  null: "null",
  empty: "",
};

export const SOURCES: SpecCheck[] = [
  ...FIELDS,
  ...rule(
    "4.1",
    "POST /api/tracking-sources: slug (optional), frameworkHint (optional), the created source",
    cases(ACCEPTED, async (fields, client) => {
      const answer = await client.create(fields);
      succeeded(answer);
      text(answer.body, "sourceId");
    }),
  ),
  ...rule(
    "2.1",
    "allowedOrigins: set on create, for example scheme plus host plus optional port",
    cases(ORIGIN_LISTS, async (allowedOrigins, client) => {
      const { body } = await client.create({ allowedOrigins });
      assert.deepEqual(at(body, "allowedOrigins"), allowedOrigins);
    }),
  ),
  ...rule(
    "4.1",
    "POST /api/tracking-sources: organizationId (required), name (required), types of the fields",
    cases(REFUSED, async (fields, client) => invalidInput(await client.create(fields))),
  ),
  ...rule(
    "4",
    "Bodies are JSON",
    cases(notJson, async (body, client) =>
      invalidInput(await client.call("POST", "/api/tracking-sources", { body })),
    ),
  ),
  ...rule("2.1", "sourceId: identifier of the source", {
    "two sources of the same name": async (client) =>
      assert.notEqual((await client.source()).sourceId, (await client.source()).sourceId),
  }),
  ...rule("2.1", "publicKey: identifies the source", {
    "two sources have two keys": async (client) =>
      assert.notEqual((await client.source()).publicKey, (await client.source()).publicKey),
    "it is not the sourceId": async (client) => {
      const { sourceId, publicKey } = await client.source();
      assert.notEqual(sourceId, publicKey);
    },
  }),
  ...rule("4.1", "GET /api/tracking-sources: list of sources of the workspace", {
    "a created source is in it at once": async (client) =>
      assert.ok(await client.shown(await client.source())),
    "a source is in it once": async (client) => {
      const { sourceId } = await client.source();
      const found = (await client.listed()).filter((one) => at(one, "sourceId") === sourceId);
      assert.equal(found.length, 1);
    },
    "all of 120 sources": async (client) => {
      const { organizationId, token } = client.stranger;
      const made: string[] = [];
      for (let count = 0; count < 120; count += 1) {
        made.push((await client.source({ organizationId, name: `Shop ${count}` }, token)).sourceId);
      }
      const found = (await client.listed(organizationId, token)).map((one) => at(one, "sourceId"));
      assert.deepEqual(
        made.filter((id) => !found.includes(id)),
        [],
      );
    },
    "every entry belongs to the workspace": async (client) => {
      await client.source();
      for (const one of await client.listed()) assert.equal(at(one, "organizationId"), client.organizationId);
    },
    "every entry is an object with a sourceId": async (client) => {
      await client.source();
      for (const one of await client.listed()) assert.ok(isObject(one) && text(one, "sourceId"), show(one));
    },
    "every entry has its list of origins": async (client) => {
      await client.source();
      for (const one of await client.listed()) list(one, "allowedOrigins");
    },
    "the entry is the source as it was created": async (client) => {
      const { body } = await client.create();
      const fields = ["name", "slug", "allowedOrigins", "frameworkHint", "isActive", "publicKey"];
      const shown = await client.shown(sourceOf(body));
      for (const field of fields) assert.deepEqual([field, at(shown, field)], [field, at(body, field)]);
    },
    "an unknown query parameter changes nothing": async (client) => {
      const { sourceId } = await client.source();
      const path = `/api/tracking-sources?organizationId=${client.organizationId}&_=1`;
      const answer = await client.call("GET", path);
      succeeded(answer);
      assert.ok(answer.text.includes(sourceId));
    },
  }),
  ...rule("4.1", "GET /api/tracking-sources: query organizationId (required)", {
    missing: async (client) => invalidInput(await client.call("GET", "/api/tracking-sources")),
    empty: async (client) =>
      status(await client.call("GET", "/api/tracking-sources?organizationId="), 400, 403, 422),
    "of no workspace": async (client) =>
      status(await client.call("GET", "/api/tracking-sources?organizationId=org_nobody"), 403, 404),
  }),
];
