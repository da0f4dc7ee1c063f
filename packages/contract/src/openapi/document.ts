/** Builds the OpenAPI 3.1 document from the table of operations. Pure. */
import type { TSchema } from "typebox";
import type { Operation } from "../operation.ts";
import { OPERATIONS } from "../operations.ts";
import type {
  OpenApiContent,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
} from "./document-shape.ts";
import { EXAMPLES } from "./examples.ts";
import { createFailures, headerRefs } from "./failures.ts";
import { REQUEST_HEADERS, RESPONSE_HEADERS } from "./headers.ts";
import { INTRODUCTION } from "./introduction.ts";
import { renderComponents, renderSchema } from "./schemas.ts";
import { TAGS } from "./tags.ts";

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  publicKey: "The source's public key.",
  sourceId: "The id of the source.",
  userId: "The id of the user.",
  tokenId: "The id of the token.",
  passkeyId: "The id of the passkey.",
  savedId: "The id of the saved item.",
  reportId: "The id of the report.",
  token: "The token in the link of the email.",
  receiptId: "The id of the receipt.",
  replayId: "The id of the replay.",
  invitationId: "The id of the invitation.",
  file: "The name of the file, such as `forms.js`.",
  call: "The call of the client, such as `track`.",
  writeKey: "The write key of the client, any text.",
};

const SECURITY_SCHEMES = {
  accessToken: {
    type: "http",
    scheme: "bearer",
    description:
      "An access token, `hwt_…`, from `POST /api/tokens` or `headwater token create`; or a JWT of the service's identity provider.",
  },
  ingestToken: {
    type: "http",
    scheme: "bearer",
    description:
      "An access token with the `ingest` scope. Servers send it with their events. Pages send none. Keep it secret.",
  },
};

interface AnyExample {
  params?: object;
  query?: object;
  body?: unknown;
  answer: unknown;
}
const exampleOf = (one: Operation): AnyExample | undefined =>
  Object.entries<AnyExample>(EXAMPLES).find(([id]) => id === one.id)?.[1];

/** @param example of the first media type */
function contentOf(schema: TSchema, mediaTypes: readonly string[], example: unknown): OpenApiContent {
  const rendered = renderSchema(schema);
  return Object.fromEntries(
    mediaTypes.map((mediaType, index) => [
      mediaType,
      example === undefined || index > 0 ? { schema: rendered } : { schema: rendered, example },
    ]),
  );
}

/** `/a/:b` as OpenAPI writes it, `/a/{b}`. */
const openApiPath = (path: string) => path.replace(/:(\w+)/g, "{$1}");

interface ParameterPlace {
  name: string;
  in: "path" | "query";
  required?: boolean;
}

/** @param values the values of the example */
function parameterOf(place: ParameterPlace, schema: object, values: object = {}): OpenApiParameter {
  const { description = "", ...rendered } = renderSchema(schema);
  const example: unknown = Reflect.get(values, place.name);
  return { ...place, description, schema: rendered, ...(example === undefined ? {} : { example }) };
}

function parametersOf(one: Operation): OpenApiParameter[] {
  const example = exampleOf(one);
  const inPath = [...one.path.matchAll(/:(\w+)/g)].map(([, name = ""]) =>
    parameterOf(
      { name, in: "path", required: true },
      { type: "string", description: PATH_PARAMETERS[name] },
      example?.params,
    ),
  );
  const query = one.query as undefined | { properties: Record<string, TSchema>; required?: string[] };
  const inQuery = Object.entries(query?.properties ?? {}).map(([name, schema]) =>
    parameterOf(
      { name, in: "query", ...(query?.required?.includes(name) ? { required: true } : {}) },
      schema,
      example?.query,
    ),
  );
  const inHeaders = (one.requestHeaders ?? []).map((name): OpenApiParameter => {
    const { description, schema, example } = REQUEST_HEADERS[name];
    return { name, in: "header", description, schema: renderSchema(schema), example };
  });
  return [...inPath, ...inQuery, ...inHeaders];
}

/** Undefined: as the document says for all. */
function securityOf({ access }: Operation): OpenApiOperation["security"] {
  if (access === "public") return [];
  return access === "public-key" ? [{}, { ingestToken: [] }] : undefined;
}

/** Says in a sentence who can call an operation. */
function accessText(access: Operation["access"]): string {
  switch (access) {
    case "public":
      return "No authentication is required.";
    case "public-key":
      return "The public key in the path identifies the source. No token is required. With an `ingest` token, the events are marked as sent by a server, and no Origin is needed.";
    case "person":
      return "Requires a person who is signed in, with a console session or a JWT.";
    case "token":
      return "Requires a valid token.";
    case "member":
      return "Requires a workspace member's token.";
    default:
      return `Requires the \`${access}\` permission.`;
  }
}

function successOf(one: Operation): OpenApiResponse {
  const { answer, mediaType, otherMediaTypes = [], responseHeaders = [] } = one;
  const mediaTypes = [mediaType ?? "application/json", ...otherMediaTypes];
  return {
    description: "Success.",
    headers: headerRefs(responseHeaders),
    ...(one.status === 204 ? {} : { content: contentOf(answer, mediaTypes, exampleOf(one)?.answer) }),
  };
}

/** Responses without a body. */
const furtherOf = ({ otherStatuses = {} }: Operation): Record<string, OpenApiResponse> =>
  Object.fromEntries(
    Object.entries(otherStatuses).map(([status, description]) => [
      status,
      { description, headers: headerRefs([]) },
    ]),
  );

const NOT_MODIFIED: OpenApiResponse = {
  description: "Not modified: `If-None-Match` contains the current `ETag`.",
  headers: headerRefs(["ETag"]),
};

function operationOf(one: Operation, failures: ReturnType<typeof createFailures>): OpenApiOperation {
  const security = securityOf(one);
  return {
    operationId: one.id,
    tags: [one.tag],
    summary: one.summary,
    description: `${one.description}\n\n${accessText(one.access)}`,
    ...(one.deprecated ? { deprecated: true } : {}),
    ...(security ? { security } : {}),
    parameters: parametersOf(one),
    ...(one.body
      ? {
          requestBody: {
            required: !one.bodyOptional,
            content: contentOf(one.body, ["application/json"], exampleOf(one)?.body),
          },
        }
      : {}),
    responses: {
      [one.status]: successOf(one),
      ...furtherOf(one),
      ...(one.isDocument ? { 304: NOT_MODIFIED } : {}),
      ...failures.failuresOf(one.id, one.codes),
    },
  };
}

const headers = () =>
  Object.fromEntries(
    Object.entries(RESPONSE_HEADERS).map(([name, header]) => {
      const { description, schema, example } = header;
      const required = "isRequired" in header ? { required: true as const } : {};
      return [name, { description, ...required, schema: renderSchema(schema), example }];
    }),
  );

interface ServiceAddresses {
  /** The public address of the API. */
  readonly baseUrl: string;
  /** The address of the console. */
  readonly appUrl: string;
}

/** @param version of the service */
export function openApiDocument({ baseUrl, appUrl }: ServiceAddresses, version: string): OpenApiDocument {
  const failures = createFailures();
  const paths: OpenApiDocument["paths"] = {};
  for (const one of OPERATIONS as readonly Operation[]) {
    const path = openApiPath(one.path);
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: operationOf(one, failures) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Headwater API",
      version,
      summary: "Web analytics in which every request gets a truthful answer.",
      description: INTRODUCTION,
      contact: { name: "The operator of this service", url: `${appUrl}/support` },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: baseUrl, description: "This service." }],
    security: [{ accessToken: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: renderComponents(),
      headers: headers(),
      responses: failures.responses,
      examples: failures.examples,
    },
  };
}
