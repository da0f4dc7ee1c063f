/** What arrives as text becomes a value, once, at the door (CONTRACT section 4). Pure. */
import { isUtf8 } from "node:buffer";
import { LIMITS } from "@headwater/contract";
import { Refusal } from "../refusal.ts";

/** Deeper than anything that is kept: envelope, events, event, and the ten levels inside. */
const TIDY_DEPTH = LIMITS.maxDepth + 6;

const REPLACEMENT = "\uFFFD";
const BYTE_ORDER_MARK = "\uFEFF";

const unusable = (code: "invalid_json" | "invalid_encoding", message: string) =>
  new Refusal("invalid_payload", { message, issues: [{ path: [], code, message }] });

/** @throws Refusal 422 when the bytes are not UTF-8 */
export function decodeText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw unusable("invalid_encoding", "The body is not valid UTF-8.");
  const text = bytes.toString("utf8");
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** @throws Refusal 422 when the text is not JSON */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const where = /position (\d+)/.exec((error as Error).message)?.[1];
    throw unusable(
      "invalid_json",
      where ? `The body is not valid JSON (at character ${where}).` : "The body is not valid JSON.",
    );
  }
  // a string can only be ill-formed by an escape
  return text.includes("\\u") ? tidy(value, TIDY_DEPTH) : value;
}

function wellFormed(text: string): string {
  const clean = text.includes("\0") ? text.replaceAll("\0", REPLACEMENT) : text;
  return clean.toWellFormed();
}

/** `__proto__` is ordinary data: it must become an own member, never the prototype. */
export function setOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

/** NUL and lone surrogates become U+FFFD, in keys too, so that every store holds the same value. */
function tidy(value: unknown, depth: number): unknown {
  if (typeof value === "string") return wellFormed(value);
  if (typeof value !== "object" || value === null || depth === 0) return value;
  if (Array.isArray(value)) return value.map((item) => tidy(item, depth - 1));
  const clean = {};
  for (const [key, item] of Object.entries(value)) setOwn(clean, wellFormed(key), tidy(item, depth - 1));
  return clean;
}

export interface Inspection {
  tooDeep: boolean;
  /** A number was not finite, and is null now. */
  nonFinite: boolean;
  /** Its compact JSON has no more bytes than this. */
  sizeBound: number;
}

/** A UTF-16 unit takes at most six bytes of JSON, a number at most 24; quotes, colon and comma four. */
const UNIT_BYTES = 6;
const SCALAR_BYTES = 24;
const PUNCTUATION_BYTES = 4;

/** Looks through free-form data no deeper than it may be, and makes numbers that are not finite null, in place. */
export function inspect(value: object, maxDepth: number): Inspection {
  const found: Inspection = { tooDeep: false, nonFinite: false, sizeBound: 2 };
  look(value as Record<string, unknown>, maxDepth, found);
  return found;
}

function look(value: Record<string, unknown>, levelsLeft: number, found: Inspection): void {
  if (levelsLeft === 0) {
    found.tooDeep = true;
    return;
  }
  for (const key in value) {
    const item = value[key];
    found.sizeBound += key.length * UNIT_BYTES + PUNCTUATION_BYTES;
    if (typeof item === "string") found.sizeBound += item.length * UNIT_BYTES + PUNCTUATION_BYTES;
    else found.sizeBound += SCALAR_BYTES;
    if (typeof item === "object" && item !== null)
      look(item as Record<string, unknown>, levelsLeft - 1, found);
    else if (typeof item === "number" && !Number.isFinite(item)) {
      setOwn(value, key, null);
      found.nonFinite = true;
    }
  }
}

/** The bytes of a value's compact JSON. Not for data that may be too deep. */
export const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
