import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import {
  ERRORS,
  OPERATIONS,
  type OpenApiRef,
  type OpenApiResponse,
  type OpenApiSchema,
  type Operation,
  openApiDocument,
  PERMISSIONS,
} from "@headwater/contract";

const specification = readFileSync(new URL("../../../docs/spec.md", import.meta.url), "utf8");

describe("The table of operations", () => {
  const operations = OPERATIONS as readonly Operation[];
  const document = openApiDocument(
    { baseUrl: "https://stats.test", appUrl: "https://console.test" },
    "0.0.0",
  );
  const { paths, components } = document;
  const documentedOperations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const resolved = (response: OpenApiResponse | OpenApiRef): OpenApiResponse =>
    "$ref" in response
      ? (components.responses[response.$ref.split("/").at(-1)!] ?? assert.fail(response.$ref))
      : response;

  it("has every endpoint of the specification's sections 4.1 to 4.3", () => {
    const endpoints = [...specification.matchAll(/^\| (GET|POST|PATCH) \| `([^`]+)` \|/gm)].map(
      ([, method, path]) => `${method} ${path}`,
    );
    assert.equal(endpoints.length, 10);
    const served = new Set(operations.map(({ method, path }) => `${method} ${path}`));
    for (const endpoint of endpoints) assert.ok(served.has(endpoint), endpoint);
  });

  it("is the OpenAPI document: each operation, and each status with its codes as an enum", () => {
    assert.equal(documentedOperations.length, operations.length);
    for (const one of operations) {
      const { responses } = paths[one.path.replace(/:(\w+)/g, "{$1}")]![one.method.toLowerCase()]!;
      const statuses = new Set([
        one.status,
        ...(one.isDocument ? [304] : []),
        ...Object.keys(one.otherStatuses ?? {}).map(Number),
        ...one.codes.map((code) => ERRORS[code].status),
      ]);
      assert.deepEqual(Object.keys(responses).map(Number).sort(), [...statuses].sort(), one.id);
      const text = JSON.stringify(Object.values(responses).map(resolved));
      for (const code of one.codes) assert.ok(text.includes(`"${code}"`), `${one.id} ${code}`);
    }
  });

  it("has a description for each operation, parameter and member of a schema", () => {
    const without: string[] = [];
    for (const { operationId, description, parameters } of documentedOperations) {
      if (description === "") without.push(operationId);
      for (const one of parameters) if (one.description === "") without.push(`${operationId} ${one.name}`);
    }
    const look = (schema: OpenApiSchema, at: string): void => {
      for (const [name, member] of Object.entries(schema.properties ?? {})) {
        if (!member.description && !member.$ref) without.push(`${at}.${name}`);
        look(member, `${at}.${name}`);
      }
      for (const part of [schema.items, ...(schema.anyOf ?? [])]) if (part) look(part, at);
    };
    for (const [name, schema] of Object.entries(components.schemas)) look(schema, name);
    assert.deepEqual(without, []);
  });

  it("has each named schema once: bodies and responses refer to it", () => {
    const texts = Object.entries(components.schemas).map(([name, schema]) => [name, JSON.stringify(schema)]);
    assert.deepEqual(
      texts.filter(([, text]) => texts.filter((other) => other[1] === text).length > 1),
      [],
    );
    const unnamed = documentedOperations.flatMap(({ operationId, requestBody, responses }) => {
      const contents = [requestBody, ...Object.values(responses).map(resolved)].map((one) => one?.content);
      const schemas = contents.flatMap((content) => Object.values(content ?? {}).map(({ schema }) => schema));
      return schemas.some(({ $ref, properties }) => !$ref && properties) ? [operationId] : [];
    });
    assert.deepEqual(unnamed, []);
    const sizeBytes = JSON.stringify(document).length;
    assert.ok(sizeBytes < 460_000, `${sizeBytes} bytes`);
  });

  it("has closed response schemas, but for the named free-form members", () => {
    const open: string[] = [];
    const look = (schema: unknown, at: string): void => {
      if (typeof schema !== "object" || schema === null) return;
      const { type, properties, additionalProperties } = schema as Record<string, unknown>;
      if (type === "object" && properties && additionalProperties !== false) open.push(at);
      for (const [key, part] of Object.entries(schema)) look(part, `${at}.${key}`);
    };
    for (const one of operations) look(one.answer, one.id);
    assert.deepEqual(open, []);
  });

  it("says in words what it wants wherever it wants a pattern: an issue repeats them", () => {
    const unsaid: string[] = [];
    const look = (schema: unknown, at: string): void => {
      if (typeof schema !== "object" || schema === null) return;
      const { pattern, description } = schema as Record<string, unknown>;
      if (typeof pattern === "string" && description === undefined) unsaid.push(at);
      for (const [key, part] of Object.entries(schema)) look(part, `${at}.${key}`);
    };
    for (const { id, query, body } of operations) look({ query, body }, id);
    assert.deepEqual(unsaid, []);
  });

  it("asks a permission, a token or a public key of everybody who reaches data", () => {
    const open = operations.filter(({ access }) => access === "public").map(({ id }) => id);
    const accounts = [
      "restoreEmail",
      "readInvitation",
      "acceptInvitation",
      "getSignInMethods",
      "requestSignInLink",
    ];
    const oidc = ["startOidc", "finishOidc"];
    const passkeys = ["startPasskeySignIn", "signInWithPasskey"];
    assert.deepEqual(open, [
      "unlockStats",
      "askReportConsent",
      "giveReportConsent",
      "confirmUnsubscribe",
      "unsubscribe",
      "readSignInCode",
      "signIn",
      "refreshToken",
      "forgetSignIn",
      ...accounts,
      ...oidc,
      ...passkeys,
      "healthz",
      "readyz",
      "metrics",
      "openapi",
      "docs",
      "securityTxt",
      "sdk",
      "sdkExtra",
    ]);
    for (const { id, access } of operations) {
      const known = ["public", "public-key", "person", "token", "member", ...PERMISSIONS] as string[];
      assert.ok(known.includes(access), id);
    }
  });
});
