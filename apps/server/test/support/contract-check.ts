/**
 * Checks every response against the OpenAPI document that the service serves: the operation lists the status, the code
 * belongs to the status, and the body matches its closed schema. It also checks rules that a schema cannot express:
 * required headers, and counts that match the results.
 */
import assert from "node:assert/strict";
import { ERRORS, type ErrorCode, Failure } from "@headwater/contract";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

export interface ReceivedResponse {
  status: number;
  headers: Headers;
  /** Parsed JSON, or text; an empty string when there is no body. */
  body: unknown;
}

interface ResponseContent {
  [mediaType: string]: { schema: object };
}
interface DocumentedOperation {
  operationId: string;
  responses: Record<string, { content: ResponseContent }>;
}
export interface OpenApi {
  components: { schemas: Record<string, object> };
  paths: Record<string, Record<string, DocumentedOperation>>;
}

export type CheckReply = (method: string, path: string, seen: ReceivedResponse) => void;

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
const compiled = new Map<string, ValidateFunction>();

/** Compiles each schema once; all test worlds have the same schemas. */
function validatorOf(schema: object): ValidateFunction {
  const text = JSON.stringify(schema);
  const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text));
  compiled.set(text, validate);
  return validate;
}

function requireValid(schema: object, body: unknown, where: string): void {
  const validate = validatorOf(schema);
  if (validate(body)) return;
  assert.fail(
    `${where} does not match its schema: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`,
  );
}

const INGEST = /^\/api\/ingest\/(?:v2\/)?[^/]+\/(?:bootstrap|events)\/?$/;
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
  const isAttempt = INGEST.test(path) && status !== 405 && !BEFORE_A_REQUEST.includes(status);
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
  message: string | null;
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
    assert.equal(result.code === null, result.status === "accepted", `${where}: code is null when accepted`);
    assert.equal(result.message === null, result.code === null, where);
  }
}

function operationAt(document: OpenApi, method: string, path: string): DocumentedOperation | undefined {
  const canonical = INGEST.test(path) ? path.replace(/\/$/, "") : path;
  const pattern = (template: string) =>
    new RegExp(`^${template.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`);
  const found = Object.entries(document.paths).find(([template]) => pattern(template).test(canonical));
  return found?.[1][(method === "HEAD" ? "GET" : method).toLowerCase()];
}

function requireDocumented(
  operation: DocumentedOperation,
  { components }: OpenApi,
  { status, headers, body }: ReceivedResponse,
  where: string,
): void {
  const response = operation.responses[status];
  assert.ok(
    response,
    `${where} is not a documented status of ${operation.operationId}: ${JSON.stringify(body)}`,
  );
  if (status === 304) {
    assert.equal(body, "", where);
    return;
  }
  const given = headers.get("content-type");
  const documented = Object.entries(response.content).find(([mediaType]) => given?.startsWith(mediaType));
  assert.ok(documented, `${where} has the undocumented type ${given}`);
  const { schema } = documented[1];
  // a schema may refer to those of the document
  requireValid({ ...schema, components }, body, where);
}

/** @param document the document that the service serves at /openapi.json */
export function createContractCheck(document: OpenApi): CheckReply {
  return (method, url, seen) => {
    const path = url.split("?", 1)[0]!;
    const where = `${method} ${path.slice(0, 120)} ${seen.status}`;
    assert.ok(seen.headers.get("x-request-id"), `${where} lacks X-Request-Id`);
    assert.equal(seen.headers.get("x-content-type-options"), "nosniff", where);
    if (path.startsWith("/api/")) assert.equal(seen.headers.get("cache-control"), "no-store", where);
    if (seen.body === "" && (method === "HEAD" || seen.status === 204)) return;

    const operation = operationAt(document, method, path);
    if (operation && !BEFORE_A_REQUEST.includes(seen.status))
      requireDocumented(operation, document, seen, where);
    else requireValid(Failure, seen.body, where);
    if (typeof seen.body !== "object" || seen.body === null) return;
    requireNoInternals(seen.status < 400 ? {} : seen.body, where);
    if ("code" in seen.body && "ok" in seen.body)
      requireFailure(seen.body as unknown as CheckedFailure, seen, path, where);
    else requireTally(seen.body as Record<string, unknown>, where);
  };
}
