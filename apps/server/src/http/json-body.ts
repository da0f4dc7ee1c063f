/** The body of a workspace request: bytes to text to a JSON value (docs/api/conventions.md). */
import type { IncomingHttpHeaders } from "node:http";
import { type Issue, LIMITS } from "@headwater/contract";
import { parseExactJson } from "../core/exact-json.ts";
import { invalidBody, issueAt, Refusal } from "../core/refusal.ts";
import type { RequestBytes } from "./body.ts";

const MAX_WORKSPACE_BODY_DEPTH = 64;

export const NO_BODY: RequestBytes = { bytes: Buffer.alloc(0), sizeBytes: 0 };

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?\s*$/i;
const utf8 = new TextDecoder("utf-8", { fatal: true });

function requireSize({ sizeBytes }: RequestBytes, limit: number): void {
  if (sizeBytes <= limit) return;
  throw new Refusal("payload_too_large", {
    message: `The body is larger than ${limit} bytes.`,
    hint: "Send a smaller body.",
    limit,
    actual: sizeBytes,
  });
}

function requireJsonType(headers: IncomingHttpHeaders): void {
  if (!JSON_TYPE.test(headers["content-type"] ?? "")) throw new Refusal("unsupported_media_type");
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() === "identity") return;
  throw new Refusal("unsupported_media_type", {
    message: "The body must not be compressed.",
    hint: "Send the body without Content-Encoding.",
  });
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalidBody("invalid_encoding", "The body is not valid UTF-8.");
  }
}

function parseJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    throw invalidBody("invalid_json", "The body is not valid JSON.");
  }
}

/**
 * An issue for each string that a store cannot hold: PostgreSQL rejects NUL, and half of a surrogate pair is no
 * character. Only the levels that a valid body can have are searched.
 */
export function findUnstorable(body: unknown): Issue[] {
  const issues: Issue[] = [];
  const open: { value: unknown; path: Issue["path"] }[] = [{ value: body, path: [] }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, path } = next;
    if (typeof value === "string" && (value.includes("\0") || !value.isWellFormed())) {
      const message = `${path.join(".") || "The body"} must not contain null characters or unpaired surrogates`;
      issues.push(issueAt(path, message, "invalid_encoding"));
    } else if (typeof value === "object" && value !== null && path.length < LIMITS.maxDepth) {
      for (const [key, member] of Object.entries(value)) {
        open.push({ value: member, path: [...path, Array.isArray(value) ? Number(key) : key] });
      }
    }
  }
  return issues;
}

/** Recursive schemas, such as that of filters, are checked by recursion, so the depth must be bounded first. */
function requireShallow(body: unknown): void {
  const maxDepth = MAX_WORKSPACE_BODY_DEPTH;
  const open = [{ value: body, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value !== "object" || value === null) continue;
    if (depth >= maxDepth)
      throw invalidBody("invalid_value", `The body nests deeper than ${maxDepth} levels.`);
    for (const member of Object.values(value)) open.push({ value: member, depth: depth + 1 });
  }
}

/**
 * @param maxBytes of the operation's body
 * @returns the value; undefined when there is no body
 * @throws Refusal 413, 415 or 422, checked in this order
 */
export function parseBody(body: RequestBytes, headers: IncomingHttpHeaders, maxBytes: number): unknown {
  requireSize(body, maxBytes);
  if (body.sizeBytes === 0) return undefined;
  requireJsonType(headers);
  const value = parseJson(decode(body.bytes));
  requireShallow(value);
  return value;
}
