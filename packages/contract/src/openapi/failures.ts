/** The failures in the document. Each set of codes is one response, which operations refer to. */
import { ERRORS, type ErrorCode } from "../errors.ts";
import type { OpenApiRef, OpenApiResponse } from "./document-shape.ts";
import { FAILURE_HEADERS, type ResponseHeader } from "./headers.ts";
import { schemaRef } from "./schemas.ts";

/** Each code has an example, so the id is a short one. */
const REQUEST_ID = "req_01a2049c";
const ISSUE = { path: ["name"], code: "required", message: "name is required" };
/** The members that only some failures have, by status or code. */
const FURTHER_MEMBERS: Readonly<Record<string, object>> = {
  413: { limit: 524_288, actual: 600_000 },
  422: { issues: [ISSUE] },
  quota_exceeded: { limit: 1_000_000, actual: 1_000_020, resetAt: "2026-11-22T00:00:00.000Z" },
};

function failureExample(code: ErrorCode) {
  const { status, error, message, hint, retryable } = ERRORS[code];
  const value = { ok: false, error, code, message, hint, retryable, requestId: REQUEST_ID };
  return { value: { ...value, ...FURTHER_MEMBERS[status], ...FURTHER_MEMBERS[code] } };
}

export const headerRefs = (names: readonly ResponseHeader[]): Record<string, OpenApiRef> =>
  Object.fromEntries(
    ["X-Request-Id", ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

function failureWith(status: number, codes: readonly ErrorCode[]): OpenApiResponse {
  const examples = codes.map((code): [string, OpenApiRef] => [
    code,
    { $ref: `#/components/examples/${code}` },
  ]);
  const members = {
    type: "object",
    properties: { code: { type: "string", enum: [...codes] } },
    required: ["code"],
  };
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join("\n\n"),
    headers: headerRefs(FAILURE_HEADERS[status] ?? []),
    content: {
      "application/json": {
        schema: { allOf: [schemaRef("Error"), members] },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

/** `not_found` as `NotFound`. */
const pascal = (text: string) =>
  text
    .split(/[_ ]/)
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join("");

/** Collects the failures of all operations. */
export function createFailures() {
  const responses: Record<string, OpenApiResponse> = {};
  /** By code. */
  const examples: Record<string, ReturnType<typeof failureExample>> = {};
  const names = new Map<string, string>();

  /** A code of its own names the response. A set of codes is named by their kind and by the operation that had it first. */
  function nameOf(operationId: string, [first, ...others]: readonly ErrorCode[]): string {
    if (!first) return operationId;
    if (others.length === 0) return pascal(first);
    const kind = pascal(ERRORS[first].error);
    return kind in responses ? `${pascal(operationId)}${kind}` : kind;
  }

  function referTo(operationId: string, status: number, codes: readonly ErrorCode[]): OpenApiRef {
    const key = codes.toSorted().join();
    const name = names.get(key) ?? nameOf(operationId, codes);
    names.set(key, name);
    responses[name] ??= failureWith(status, codes);
    for (const code of codes) examples[code] ??= failureExample(code);
    return { $ref: `#/components/responses/${name}` };
  }

  /** The failures of an operation, by status. */
  function failuresOf(operationId: string, codes: readonly ErrorCode[]): Record<string, OpenApiRef> {
    const byStatus = Map.groupBy([...new Set(codes)], (code) => ERRORS[code].status);
    return Object.fromEntries(
      [...byStatus].map(([status, ofStatus]) => [String(status), referTo(operationId, status, ofStatus)]),
    );
  }

  return { responses, examples, failuresOf };
}
