/** Section 4.2, rule 2, and the types of section 2.4. */
import { fresh } from "../support/world.ts";
import { cases, invalidPayload, rule, type SpecCheck, succeeded } from "./check.ts";
import { bootstrapBody, bootstrapPath, type Fields, ORIGIN, PAGE, trackEvent } from "./client.ts";
import { notA } from "./values.ts";

const FIELDS: Record<string, Record<string, unknown>> = {
  "ingestVersion must be 2": {
    ...notA("number", "ingestVersion"),
    "ingestVersion 1": { ingestVersion: 1 },
    "ingestVersion 3": { ingestVersion: 3 },
    "ingestVersion 2.5": { ingestVersion: 2.5 },
    "ingestVersion '2'": { ingestVersion: "2" },
    "ingestVersion 0": { ingestVersion: 0 },
  },
  "sdkVersion present": { ...notA("string", "sdkVersion"), "sdkVersion empty": { sdkVersion: "" } },
  "anonymousId present": { ...notA("string", "anonymousId"), "anonymousId empty": { anonymousId: "" } },
  "page present and JSON-compatible": notA("object", "page"),
};

const TYPES: Record<string, Fields> = {
  "page.url a number": { page: { ...PAGE, url: 1 } },
  "page.url an object": { page: { ...PAGE, url: {} } },
  "page.path a number": { page: { ...PAGE, path: 1 } },
  "page.path an array": { page: { ...PAGE, path: [] } },
  "page.title a number": { page: { ...PAGE, title: 1 } },
  "page.title an object": { page: { ...PAGE, title: {} } },
  "page.referrer a number": { page: { ...PAGE, referrer: 1 } },
  "page.referrer an array": { page: { ...PAGE, referrer: [] } },
  "sessionId a number": { sessionId: 1 },
  "sessionId an object": { sessionId: {} },
  "sessionId a boolean": { sessionId: true },
  "userId a number": { userId: 1 },
  "userId an array": { userId: [] },
  "userId a boolean": { userId: false },
  "context a string": { context: "en" },
  "context an array": { context: [] },
  "context a number": { context: 1 },
};

export const NOT_BODIES: Record<string, string> = {
  "not JSON": "{",
  empty: "",
  null: "null",
  "an array": "[]",
  "a string": '"body"',
  "a number": "2",
};

export const BOOTSTRAP_VALIDATION: SpecCheck[] = [
  ...Object.entries(FIELDS).flatMap(([sentence, table]) =>
    rule(
      "4.2",
      `Bootstrap validation: ${sentence}; 422 with an issues array`,
      cases(table, async (over, client) => {
        invalidPayload(await client.bootstrap(await client.shared(), Object(over)));
      }),
    ),
  ),
  ...rule(
    "2.4",
    "The types of the bootstrap body; 422 with an issues array",
    cases(TYPES, async (over, client) => invalidPayload(await client.bootstrap(await client.shared(), over))),
  ),
  ...rule(
    "7",
    "422: invalid bootstrap payload; the body includes an issues array",
    cases(NOT_BODIES, async (body, client) =>
      invalidPayload(await client.ingest(bootstrapPath(await client.shared()), body)),
    ),
  ),
  ...rule("7", "422: invalid bootstrap payload", {
    "the corrected body succeeds at once": async (client) => {
      const source = await client.shared();
      const anonymousId = fresh("anon");
      invalidPayload(await client.bootstrap(source, { anonymousId, page: undefined }));
      succeeded(await client.bootstrap(source, { anonymousId }));
    },
    "every member missing": async (client) =>
      invalidPayload(await client.ingest(bootstrapPath(await client.shared()), {})),
    "the members of an events body": async (client) => {
      const { sdkVersion, anonymousId } = bootstrapBody();
      const body = { ingestVersion: 2, sdkVersion, anonymousId, events: [trackEvent()] };
      invalidPayload(await client.ingest(bootstrapPath(await client.shared()), body, { origin: ORIGIN }));
    },
  }),
];
