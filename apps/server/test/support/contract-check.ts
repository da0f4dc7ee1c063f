/**
 * Checks every response against the OpenAPI document that the service serves: the operation lists the status, the code
 * belongs to the status, and the body matches its closed schema. It also checks rules that a schema cannot express:
 * required headers, and counts that match the results.
 */
import assert from "node:assert/strict";
import {
  ERRORS,
  type ErrorCode,
  OPERATIONS,
  type OpenApiDocument,
  type OpenApiOperation,
} from "@headwater/contract";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

interface ReceivedResponse {
  status: number;
  headers: Headers;
  /** Parsed JSON, or text; an empty string when there is no body. */
  body: unknown;
}

/** What was sent, as far as the document describes it. */
interface CheckedRequest {
  /** A JSON value, or text or bytes as they were sent. */
  body?: unknown;
  headers?: Record<string, string>;
}

export type CheckReply = (
  method: string,
  path: string,
  seen: ReceivedResponse,
  sent?: CheckedRequest,
) => void;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const FORMATS: Record<string, (text: string) => boolean> = {
  // a time without a zone is accepted too, and the `t` and the space that RFC 3339 permits
  "date-time": (text) => /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/.test(text),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text),
  uri: (text) => URL.canParse(text),
  "uri-reference": (text) => URL.canParse(text, "https://example.com"),
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
};
// linters check the document's schemas themselves; most validators are used too seldom for optimized code to pay
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: FORMATS,
  meta: false,
  validateSchema: false,
  code: { optimize: false },
});
const compiled = new Map<string, ValidateFunction>();

/** Compiles the schema at a place of the document once; all test worlds have the same schemas. */
function validatorAt(...place: string[]): ValidateFunction {
  const pointer = place.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")));
  const $ref = `document#/${pointer.join("/")}`;
  const validate = compiled.get($ref) ?? ajv.compile({ $ref });
  compiled.set($ref, validate);
  return validate;
}

function requireValid(validate: ValidateFunction, body: unknown, where: string): void {
  if (validate(body)) return;
  assert.fail(
    `${where} does not match its schema: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`,
  );
}

const INGEST_PATHS = OPERATIONS.filter(({ access }) => access === "public-key").map(({ path }) =>
  path.replaceAll(".", "\\.").replace(/:\w+/g, "[^/]+"),
);
const INGEST = new RegExp(`^(?:${INGEST_PATHS.join("|")})/?$`);
/** A path below a public key that no operation has is an attempt too. */
const BELOW_A_KEY = /\/api\/compat\/[^/]+\//;
/** Statuses of requests that are refused before their route is known. */
const BEFORE_A_REQUEST = [400, 408, 431];

interface CheckedFailure {
  code: ErrorCode;
  error: string;
  retryable: boolean;
  requestId: string;
  attemptId?: string;
  issues?: unknown[];
  issuesTruncated?: true;
  limit?: number;
  actual?: number;
  resetAt?: string;
}

function requireHeaders(failure: CheckedFailure, { status, headers }: ReceivedResponse, where: string): void {
  const has = (name: string) => assert.ok(headers.get(name), `${where} lacks ${name}`);
  assert.equal(headers.get("x-request-id"), failure.requestId, where);
  if (status === 401) assert.match(headers.get("www-authenticate") ?? "", /^Bearer/, where);
  if (status === 405) has("allow");
  if (status === 429 || status === 503) assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/, where);
  if (status === 429) for (const name of ["limit", "remaining", "reset"]) has(`ratelimit-${name}`);
}

function requireFailure(failure: CheckedFailure, seen: ReceivedResponse, path: string, where: string): void {
  const { status, error, retryable } = ERRORS[failure.code];
  assert.deepEqual([failure.error, failure.retryable, seen.status], [error, retryable, status], where);
  requireHeaders(failure, seen, where);
  const isAttempt =
    (INGEST.test(path) || BELOW_A_KEY.test(path)) && status !== 405 && !BEFORE_A_REQUEST.includes(status);
  assert.equal(failure.attemptId !== undefined, isAttempt, `${where}: attemptId is on ingest routes only`);
  assert.equal(failure.issues !== undefined, status === 422, `${where}: issues are on 422 only`);
  if (failure.issues) assert.ok(failure.issues.length > 0, `${where}: a 422 has issues`);
  if (failure.issuesTruncated) assert.equal(failure.issues?.length, 100, where);
  const sized = failure.limit !== undefined && failure.actual !== undefined;
  const isQuota = failure.code === "quota_exceeded";
  assert.equal(sized, status === 413 || isQuota, `${where}: limit and actual are on 413 and quotas only`);
  assert.equal(failure.resetAt !== undefined, isQuota, `${where}: resetAt is on quotas only`);
}

/** The body has no stack traces, file paths or database errors. */
function requireNoInternals(body: unknown, where: string): void {
  const text = JSON.stringify(body);
  assert.doesNotMatch(
    text,
    /\n\s+at |\.ts:\d+|node_modules|node:internal|SQLITE_|\/(?:home|tmp|root)\//,
    where,
  );
}

interface CheckedResult {
  index: number;
  status: "accepted" | "duplicate" | "rejected";
  code: string | null;
  warnings: string[];
  message: string | null;
  planViolation: object | null;
}

/** The counts match the results, and the results are in the order of the events. */
function requireTally(body: Record<string, unknown>, where: string): void {
  if (body.results === undefined || body.accepted === undefined) return;
  const results = body.results as CheckedResult[];
  const count = (status: string) => results.filter((result) => result.status === status).length;
  assert.deepEqual(
    [body.accepted, body.duplicates, body.rejected],
    [count("accepted"), count("duplicate"), count("rejected")],
    where,
  );
  for (const [index, result] of results.entries()) {
    assert.equal(result.index, index, where);
    const isAccepted = result.status === "accepted";
    assert.equal(result.code === null, isAccepted, `${where}: code is null when accepted`);
    assert.equal(result.message === null, isAccepted, `${where}: message is null when accepted`);
    const violates = result.code === "plan_violation" || result.warnings.includes("plan_violation");
    assert.equal(result.planViolation !== null, violates, where);
  }
}

interface DocumentedRoute {
  /** The path as the document writes it, and the method in lower case. */
  place: [path: string, method: string];
  operation: OpenApiOperation;
}

/** @returns finds the route of a request; of several the one with the fewest parameters */
function createRouter({ paths }: OpenApiDocument) {
  const routes = Object.entries(paths)
    .map(([template, operations]) => ({
      template,
      operations,
      pattern: new RegExp(`^${template.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`),
      parameters: template.split("{").length,
    }))
    .sort((one, other) => one.parameters - other.parameters);
  return (method: string, path: string): DocumentedRoute | undefined => {
    const canonical = INGEST.test(path) ? path.replace(/\/$/, "") : path;
    const found = routes.find(({ pattern }) => pattern.test(canonical));
    const key = (method === "HEAD" ? "GET" : method).toLowerCase();
    const operation = found?.operations[key];
    return operation && { place: [found!.template, key], operation };
  };
}

function requireDocumentedHeaders(
  names: string[],
  { headers: documented }: OpenApiDocument["components"],
  { headers }: ReceivedResponse,
  where: string,
): void {
  for (const name of names) {
    const { required, schema } = documented[name]!;
    const value = headers.get(name);
    if (value === null) assert.ok(!required, `${where} lacks the header ${name}`);
    else
      requireValid(
        validatorAt("components", "headers", name, "schema"),
        schema.type === "integer" ? Number(value) : value,
        `${where} ${name}`,
      );
  }
}

function requireDocumented(
  { place, operation }: DocumentedRoute,
  { components }: OpenApiDocument,
  seen: ReceivedResponse,
  where: string,
): void {
  const { status, headers, body } = seen;
  const entry = operation.responses[status];
  assert.ok(
    entry,
    `${where} is not a documented status of ${operation.operationId}: ${JSON.stringify(body)}`,
  );
  const shared = "$ref" in entry ? entry.$ref.split("/").at(-1)! : null;
  const response = "$ref" in entry ? components.responses[shared!]! : entry;
  const at =
    shared === null ? ["paths", ...place, "responses", String(status)] : ["components", "responses", shared];
  requireDocumentedHeaders(Object.keys(response.headers), components, seen, where);
  if (!response.content) {
    assert.equal(body, "", where);
    return;
  }
  const given = headers.get("content-type");
  const mediaType = Object.keys(response.content).find((type) => given?.startsWith(type));
  assert.ok(mediaType, `${where} has the undocumented type ${given}`);
  requireValid(validatorAt(...at, "content", mediaType, "schema"), body, where);
}

/** The body that was sent, as JSON. undefined: it is compressed, or text that is not JSON. */
function jsonOf(body: unknown): unknown {
  if (body instanceof Uint8Array) return undefined;
  if (body === undefined) return undefined;
  try {
    // as it is sent: NaN, for example, becomes null
    return JSON.parse(typeof body === "string" ? body : JSON.stringify(body));
  } catch {
    return undefined;
  }
}

/** Requires that the document describes a request that the service accepted. Lenient handling takes invalid events. */
function requireDocumentedRequest(
  { place, operation }: DocumentedRoute,
  query: URLSearchParams,
  { body, headers = {} }: CheckedRequest,
  where: string,
): void {
  const isLenient = /lenient/i.test(`${headers.prefer ?? headers.Prefer} ${query}`);
  const json = jsonOf(body);
  if (operation.requestBody && json !== undefined && !isLenient)
    requireValid(
      validatorAt("paths", ...place, "requestBody", "content", "application/json", "schema"),
      json,
      `${where}: the request`,
    );
  for (const [index, { name, in: kind, required, schema }] of operation.parameters.entries()) {
    const value = kind === "query" ? query.get(name) : null;
    if (value === null) assert.ok(kind !== "query" || !required, `${where} was accepted without ${name}`);
    else
      requireValid(
        validatorAt("paths", ...place, "parameters", String(index), "schema"),
        schema.type === "integer" ? Number(value) : value,
        `${where}: the parameter ${name}`,
      );
  }
}

/** @param document the document that the service serves at /openapi.json */
export function createContractCheck(document: OpenApiDocument): CheckReply {
  ajv.addSchema(document, "document");
  const routeAt = createRouter(document);
  return (method, url, seen, sent = {}) => {
    const [path = "", search = ""] = url.split("?", 2);
    const where = `${method} ${path.slice(0, 120)} ${seen.status}`;
    assert.ok(seen.headers.get("x-request-id"), `${where} lacks X-Request-Id`);
    assert.equal(seen.headers.get("x-content-type-options"), "nosniff", where);
    const caching = path.startsWith("/api/compat/") && seen.status < 300 ? "no-cache" : "no-store";
    if (path.startsWith("/api/"))
      assert.ok(["no-store", caching].includes(seen.headers.get("cache-control") ?? ""), where);
    if (seen.body === "" && (method === "HEAD" || seen.status === 204)) return;

    const route = routeAt(method, path);
    const isAccepted = seen.status < 300 && !(isObject(seen.body) && Number(seen.body.rejected) > 0);
    if (route && isAccepted) requireDocumentedRequest(route, new URLSearchParams(search), sent, where);
    if (route && !BEFORE_A_REQUEST.includes(seen.status)) requireDocumented(route, document, seen, where);
    else requireValid(validatorAt("components", "schemas", "Error"), seen.body, where);
    if (!isObject(seen.body)) return;
    requireNoInternals(seen.status < 400 ? {} : seen.body, where);
    if ("code" in seen.body && "ok" in seen.body)
      requireFailure(seen.body as unknown as CheckedFailure, seen, path, where);
    else requireTally(seen.body as Record<string, unknown>, where);
  };
}
