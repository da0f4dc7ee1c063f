/** The body of a workspace request: read whole within a bound, then JSON text, then a value (CONTRACT section 1). */

import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { type Issue, LIMITS } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";

export interface RawBody {
  readonly bytes: Buffer;
  /** As far as it was read. */
  readonly size: number;
}

export const NO_BODY: RawBody = { bytes: Buffer.alloc(0), size: 0 };

/** So much beyond the limit is read and dropped, so that a client which sends it all gets to read the refusal. */
const DRAIN = 16;

export async function readWorkspaceBody(stream: Readable): Promise<RawBody> {
  const limit = SERVER_LIMITS.workspaceBodyBytes;
  const chunks: Buffer[] = [];
  let size = 0;
  // leaving the loop must not destroy the request: its reply goes with it
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    if (size > limit * DRAIN) break;
  }
  // what still comes is dropped: a client that cannot go on sending would not get to read the refusal
  stream.resume();
  return { bytes: Buffer.concat(chunks), size };
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?;?\s*$/i;
const utf8 = new TextDecoder("utf-8", { fatal: true });

function unusable(code: Issue["code"], message: string): Refusal {
  return new Refusal("invalid_payload", { message, issues: [{ path: [], code, message }] });
}

function requireSize({ size }: RawBody): void {
  const limit = SERVER_LIMITS.workspaceBodyBytes;
  if (size <= limit) return;
  throw new Refusal("payload_too_large", {
    message: `The body is larger than ${limit} bytes.`,
    hint: "Send a smaller body.",
    limit,
    actual: size,
  });
}

function requireJson(headers: IncomingHttpHeaders): void {
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
    throw unusable("invalid_encoding", "The body is not valid UTF-8.");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unusable("invalid_json", "The body is not valid JSON.");
  }
}

/**
 * What no store can hold: PostgreSQL takes no NUL in a text, and half a surrogate pair is no character.
 * A path of an issue for each string that has one; depth is bounded by the body's size.
 */
export function storageIssues(value: unknown): Issue[] {
  const issues: Issue[] = [];
  const open: { value: unknown; path: (string | number)[] }[] = [{ value, path: [] }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: one, path } = next;
    if (typeof one === "string" && (one.includes("\0") || !one.isWellFormed())) {
      const message = `${path.join(".") || "The body"} must not contain null characters or unpaired surrogates`;
      issues.push({ path, code: "invalid_encoding", message });
    } else if (typeof one === "object" && one !== null && path.length < LIMITS.maxDepth) {
      for (const [key, member] of Object.entries(one)) {
        open.push({ value: member, path: [...path, Array.isArray(one) ? Number(key) : key] });
      }
    }
  }
  return issues;
}

/** A schema that holds itself, as that of filters does, is followed by recursion. */
function requireShallow(value: unknown): void {
  const open = [{ value, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: one, depth } = next;
    if (typeof one !== "object" || one === null) continue;
    if (depth >= SERVER_LIMITS.workspaceBodyDepth)
      throw unusable(
        "invalid_value",
        `The body nests deeper than ${SERVER_LIMITS.workspaceBodyDepth} levels.`,
      );
    for (const member of Object.values(one)) open.push({ value: member, depth: depth + 1 });
  }
}

/** The value of the body; undefined when there is none. Throws 413, 415 or 422, in that order. */
export function parseBody(raw: RawBody, headers: IncomingHttpHeaders): unknown {
  requireSize(raw);
  if (raw.size === 0) return undefined;
  requireJson(headers);
  const value = parse(decode(raw.bytes));
  requireShallow(value);
  return value;
}
