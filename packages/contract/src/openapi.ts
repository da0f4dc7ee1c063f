/** Builds the OpenAPI 3.1 document from the table of operations. Pure. */
import type { TSchema } from "typebox";
import { Failure } from "./debug.ts";
import { ERRORS, type ErrorCode } from "./errors.ts";
import type { Operation } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import { OneOf } from "./shapes.ts";

/** The schema of a body by media type. */
export type OpenApiContent = Record<string, { schema: TSchema }>;

export interface OpenApiParameter {
  name: string;
  in: "path" | "query";
  required: boolean;
  schema: TSchema | { type: "string" };
}

export interface OpenApiOperation {
  operationId: string;
  summary: string;
  description: string;
  deprecated?: true;
  /** `{}`: no token is required. */
  security: ({ bearer: [] } | Record<string, never>)[];
  parameters: OpenApiParameter[];
  requestBody?: { required: boolean; content: OpenApiContent };
  /** By status. */
  responses: Record<string, { description: string; content: OpenApiContent }>;
}

/** The members of an OpenAPI 3.1 document that this one has. A type, because an interface is not assignable to a record. */
export type OpenApiDocument = {
  openapi: string;
  info: { title: string; version: string; license: { name: string; identifier: string } };
  servers: { url: string }[];
  components: {
    securitySchemes: Record<string, { type: string; scheme: string }>;
    schemas: Record<string, TSchema>;
  };
  /** By path, then by method in lower case. */
  paths: Record<string, Record<string, OpenApiOperation>>;
};

const content = (schema: TSchema, mediaTypes: readonly string[] = ["application/json"]): OpenApiContent =>
  Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));

const mediaTypesOf = ({ mediaType = "application/json", otherMediaTypes = [] }: Operation) => [
  mediaType,
  ...otherMediaTypes,
];

/** `/a/:b` as OpenAPI writes it, `/a/{b}`. */
const openApiPath = (path: string) => path.replace(/:(\w+)/g, "{$1}");

function parameters(one: Operation): OpenApiParameter[] {
  const inPath = [...one.path.matchAll(/:(\w+)/g)].map(
    ([, name = ""]): OpenApiParameter => ({ name, in: "path", required: true, schema: { type: "string" } }),
  );
  const query = one.query as undefined | { properties: Record<string, TSchema>; required?: string[] };
  const inQuery = Object.entries(query?.properties ?? {}).map(
    ([name, schema]): OpenApiParameter => ({
      name,
      in: "query",
      required: query?.required?.includes(name) ?? false,
      schema,
    }),
  );
  return [...inPath, ...inQuery];
}

/** The body of a failure with one of the codes. `Failure` is written once: it would be most of the document. */
const failureWith = (codes: readonly ErrorCode[]): TSchema => ({
  $ref: "#/components/schemas/Failure",
  properties: { error: OneOf([...new Set(codes.map((code) => ERRORS[code].error))]), code: OneOf(codes) },
});

function failures(codes: readonly ErrorCode[]): OpenApiOperation["responses"] {
  const byStatus = Map.groupBy([...new Set(codes)], (code) => ERRORS[code].status);
  const responses = [...byStatus].map(([status, ofStatus]) => [
    String(status),
    {
      description: ofStatus.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join(" "),
      content: content(failureWith(ofStatus)),
    },
  ]);
  return Object.fromEntries(responses);
}

function securityOf({ access }: Operation): OpenApiOperation["security"] {
  if (access === "public") return [];
  return access === "public-key" ? [{}, { bearer: [] }] : [{ bearer: [] }];
}

/** Who can call an operation, as a sentence. */
function accessText(access: Operation["access"]): string {
  switch (access) {
    case "public":
      return "No authentication is required.";
    case "public-key":
      return "The public key in the path identifies the source. No token is required. With a token of the scope `ingest` the events are marked as sent by a server, and no Origin is needed.";
    case "token":
      return "Requires a valid token.";
    case "member":
      return "Requires a token of a member of the workspace.";
    default:
      return `Requires the permission \`${access}\`.`;
  }
}

function render(one: Operation): OpenApiOperation {
  return {
    operationId: one.id,
    summary: one.summary,
    description: accessText(one.access),
    ...(one.deprecated ? { deprecated: true } : {}),
    security: securityOf(one),
    parameters: parameters(one),
    ...(one.body ? { requestBody: { required: !one.bodyOptional, content: content(one.body) } } : {}),
    responses: {
      [one.status]: { description: "Success.", content: content(one.answer, mediaTypesOf(one)) },
      ...(one.isDocument
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
export function openApiDocument(baseUrl: string, version: string): OpenApiDocument {
  const paths: OpenApiDocument["paths"] = {};
  for (const one of OPERATIONS as readonly Operation[]) {
    const path = openApiPath(one.path);
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: render(one) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Headwater", version, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: baseUrl }],
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      schemas: { Failure },
    },
    paths,
  };
}
