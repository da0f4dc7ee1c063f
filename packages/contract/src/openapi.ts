/** Builds the OpenAPI 3.1 document from the table of operations. Pure. */
import type { TSchema } from "typebox";
import { FailureOf } from "./debug.ts";
import { ERRORS, type ErrorCode } from "./errors.ts";
import type { Operation } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";

type Json = Record<string, unknown>;

const content = (schema: TSchema | Json, mediaTypes: readonly string[] = ["application/json"]) =>
  Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));

const mediaTypesOf = ({ mediaType = "application/json", otherMediaTypes = [] }: Operation) => [
  mediaType,
  ...otherMediaTypes,
];

/** `/a/:b` as OpenAPI writes it, `/a/{b}`. */
const openApiPath = (path: string) => path.replace(/:(\w+)/g, "{$1}");

function parameters(one: Operation): Json[] {
  const inPath = [...one.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const query = one.query as undefined | { properties: Record<string, TSchema>; required?: string[] };
  const inQuery = Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: query?.required?.includes(name) ?? false,
    schema,
  }));
  return [...inPath, ...inQuery];
}

function failures(codes: readonly ErrorCode[]): Json {
  const byStatus = Map.groupBy([...new Set(codes)], (code) => ERRORS[code].status);
  const responses = [...byStatus].map(([status, ofStatus]) => [
    String(status),
    {
      description: ofStatus.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join(" "),
      content: content(FailureOf(ofStatus)),
    },
  ]);
  return Object.fromEntries(responses);
}

function security(one: Operation): Json {
  return one.access === "public" || one.access === "public-key"
    ? { security: [] }
    : { security: [{ bearer: [] }] };
}

/** Who can call an operation, as a sentence. */
function accessText(access: Operation["access"]): string {
  switch (access) {
    case "public":
      return "No authentication is required.";
    case "public-key":
      return "The public key in the path identifies the source. No token is required.";
    case "token":
      return "Requires a valid token.";
    case "member":
      return "Requires a token of a member of the workspace.";
    default:
      return `Requires the permission \`${access}\`.`;
  }
}

function render(one: Operation): Json {
  return {
    operationId: one.id,
    summary: one.summary,
    description: accessText(one.access),
    ...(one.deprecated ? { deprecated: true } : {}),
    ...security(one),
    parameters: parameters(one),
    ...(one.body ? { requestBody: { required: !one.bodyOptional, content: content(one.body) } } : {}),
    responses: {
      [one.status]: { description: "Success.", content: content(one.answer, mediaTypesOf(one)) },
      ...(one.isTagged
        ? { 304: { description: "Not modified: `If-None-Match` contains the current `ETag`.", content: {} } }
        : {}),
      ...failures(one.codes),
    },
  };
}

/**
 * @param baseUrl the public address of the API
 * @param version of the service
 */
export function openApiDocument(baseUrl: string, version: string): Json {
  const paths: Record<string, Json> = {};
  for (const one of OPERATIONS as readonly Operation[]) {
    const path = openApiPath(one.path);
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: render(one) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Headwater", version, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: baseUrl }],
    components: { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
    paths,
  };
}
