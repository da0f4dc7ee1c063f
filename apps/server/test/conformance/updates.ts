/** Sections 2.1, 3 and 4.1: updating a source. */
import assert from "node:assert/strict";
import { fresh } from "../support/world.ts";
import { at, cases, invalidInput, isObject, rule, type SpecCheck, status, succeeded } from "./check.ts";
import { type Fields, ORIGIN, type SpecClient } from "./client.ts";

const FIELDS = ["name", "slug", "allowedOrigins", "frameworkHint", "isActive"] as const;

const CHANGES: Record<string, () => Fields> = {
  name: () => ({ name: "New name" }),
  slug: () => ({ slug: fresh("new-slug") }),
  allowedOrigins: () => ({ allowedOrigins: ["https://new.example"] }),
  "allowedOrigins, to none": () => ({ allowedOrigins: [] }),
  frameworkHint: () => ({ frameworkHint: "react" }),
  isActive: () => ({ isActive: false }),
  "all at once": () => ({
    name: "All new",
    slug: fresh("all-new"),
    allowedOrigins: ["https://all.example"],
    frameworkHint: "react",
    isActive: false,
  }),
};

async function changed(client: SpecClient, fields: Fields) {
  const source = await client.source({ slug: fresh("before"), frameworkHint: "nextjs" });
  const before = await client.shown(source);
  const answer = await client.patch(source, fields);
  succeeded(answer);
  return { source, before, body: answer.body, after: await client.shown(source) };
}

const REFUSED: Record<string, Fields> = {
  "organizationId missing": { organizationId: undefined },
  "organizationId null": { organizationId: null },
  "name null": { name: null },
  "name a number": { name: 1 },
  "name an array": { name: [] },
  "name empty": { name: "" },
  "slug a number": { slug: 1 },
  "slug an object": { slug: {} },
  "allowedOrigins a string": { allowedOrigins: ORIGIN },
  "allowedOrigins null": { allowedOrigins: null },
  "allowedOrigins with an object": { allowedOrigins: [{}] },
  "frameworkHint a number": { frameworkHint: 1 },
  "frameworkHint an array": { frameworkHint: [] },
  "isActive a string": { isActive: "false" },
  "isActive a number": { isActive: 0 },
  "isActive null": { isActive: null },
};

export const UPDATES: SpecCheck[] = [
  ...rule(
    "4.1",
    "PATCH /api/tracking-sources/:sourceId: any of name, slug, allowedOrigins, frameworkHint, isActive; the updated source",
    cases(CHANGES, async (make, client) => {
      const fields = make();
      const { body } = await changed(client, fields);
      for (const [field, value] of Object.entries(fields)) assert.deepEqual(at(body, field), value);
    }),
  ),
  ...rule(
    "2.1",
    "Updatable: the list has the new value",
    cases(CHANGES, async (make, client) => {
      const fields = make();
      const { after } = await changed(client, fields);
      for (const [field, value] of Object.entries(fields)) assert.deepEqual(at(after, field), value);
    }),
  ),
  ...rule(
    "4.1",
    "PATCH with any of the fields: those not supplied stay as they were",
    cases(CHANGES, async (make, client) => {
      const fields = make();
      const { before, after } = await changed(client, fields);
      for (const field of ["sourceId", "publicKey", "organizationId", ...FIELDS]) {
        if (!(field in fields)) assert.deepEqual([field, at(after, field)], [field, at(before, field)]);
      }
    }),
  ),
  ...rule(
    "4.1",
    "PATCH: body organizationId (required), types of the fields; an invalid body changes nothing",
    cases(REFUSED, async (fields, client) => {
      const source = await client.source({ slug: fresh("kept") });
      const before = await client.shown(source);
      invalidInput(await client.patch(source, fields));
      assert.deepEqual(await client.shown(source), before);
    }),
  ),
  ...rule("3", "PATCH of a source with isActive: isActive takes the supplied value", {
    "false, then true": async (client) => {
      const source = await client.source();
      await client.patch(source, { isActive: false });
      const { body } = await client.patch(source, { isActive: true });
      assert.equal(at(body, "isActive"), true);
      assert.equal(at(await client.shown(source), "isActive"), true);
    },
    "true on an active source": async (client) => {
      const { body } = await changed(client, { isActive: true });
      assert.equal(at(body, "isActive"), true);
    },
    "false twice": async (client) => {
      const source = await client.source();
      await client.patch(source, { isActive: false });
      const { body } = await client.patch(source, { isActive: false });
      assert.equal(at(body, "isActive"), false);
    },
    "false does not change the key": async (client) => {
      const { before, after } = await changed(client, { isActive: false });
      assert.equal(at(after, "publicKey"), at(before, "publicKey"));
    },
    "an inactive source stays in the list": async (client) => {
      const { after } = await changed(client, { isActive: false });
      assert.ok(after);
    },
    "a source that is active again takes bootstraps": async (client) => {
      const source = await client.source();
      await client.patch(source, { isActive: false });
      await client.patch(source, { isActive: true });
      succeeded(await client.bootstrap(source));
    },
  }),
  ...rule("2.1", "allowedOrigins: replaced on update", {
    "the old origins are gone": async (client) => {
      const { body } = await changed(client, {
        allowedOrigins: ["https://new.example", "https://a.new.example"],
      });
      assert.deepEqual(at(body, "allowedOrigins"), ["https://new.example", "https://a.new.example"]);
    },
  }),
  ...rule("4.1", "PATCH: organizationId, plus any of the fields", {
    "none of them: nothing changes": async (client) => {
      const { before, after } = await changed(client, {});
      for (const field of FIELDS) assert.deepEqual(at(after, field), at(before, field));
    },
    "the source as it was read, with another name": async (client) => {
      const source = await client.source();
      const shown = await client.shown(source);
      const answer = await client.patch(source, { ...(isObject(shown) ? shown : {}), name: "Echoed" });
      succeeded(answer);
      assert.equal(at(answer.body, "name"), "Echoed");
    },
    "two updates after each other both stay": async (client) => {
      const source = await client.source();
      await client.patch(source, { name: "First" });
      await client.patch(source, { frameworkHint: "react" });
      const shown = await client.shown(source);
      assert.deepEqual([at(shown, "name"), at(shown, "frameworkHint")], ["First", "react"]);
    },
    "another source stays as it was": async (client) => {
      const other = await client.source();
      const before = await client.shown(other);
      await changed(client, { name: "Changed" });
      assert.deepEqual(await client.shown(other), before);
    },
    "of a source that does not exist": async (client) => {
      const { organizationId } = client;
      const nobody = { sourceId: "src_nobody", publicKey: "", organizationId };
      status(await client.patch(nobody, { name: "X" }), 403, 404);
    },
    "with the organizationId of another workspace": async (client) => {
      const source = await client.source();
      const { organizationId } = client.stranger;
      status(await client.patch(source, { organizationId, name: "Taken" }), 403, 404);
      assert.equal(at(await client.shown(source), "name"), "Shop");
    },
  }),
];
