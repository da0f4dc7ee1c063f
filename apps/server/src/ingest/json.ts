/** What arrives as text becomes a value, once, at the door (CONTRACT section 4). Pure. */
import { isUtf8 } from "node:buffer";
import { LIMITS } from "@headwater/contract";
import { Refusal } from "../core/refusal.ts";
import { storable } from "../core/text.ts";

/** Deeper than anything that is kept: envelope, events, event, and the ten levels inside. */
const TIDY_DEPTH = LIMITS.maxDepth + 6;

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

/** `__proto__` is ordinary data: it must become an own member, never the prototype. */
export function setOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

/** NUL and lone surrogates become U+FFFD, in keys too, so that every store holds the same value. */
function tidy(value: unknown, depth: number): unknown {
  if (typeof value === "string") return storable(value);
  if (typeof value !== "object" || value === null || depth === 0) return value;
  if (Array.isArray(value)) return value.map((item) => tidy(item, depth - 1));
  const clean = {};
  for (const [key, item] of Object.entries(value)) setOwn(clean, storable(key), tidy(item, depth - 1));
  return clean;
}

export interface Inspection {
  tooDeep: boolean;
  /** A number was not finite, and is null now. */
  nonFinite: boolean;
  /** Its compact JSON has no more bytes than this. */
  sizeBound: number;
}

/** A UTF-16 unit takes at most six bytes of JSON; a number with its punctuation, or that of a text, at most 32. */
const UNIT_BYTES = 6;
const SCALAR_BYTES = 32;

/** Looks through free-form data no deeper than it may be, and makes numbers that are not finite null, in place. */
export function inspect(value: object, maxDepth: number): Inspection {
  const found: Inspection = { tooDeep: false, nonFinite: false, sizeBound: 2 };
  look(value, maxDepth, found);
  if (found.nonFinite && !found.tooDeep) makeFinite(value);
  return found;
}

function look(value: object, levelsLeft: number, found: Inspection): void {
  if (levelsLeft === 0) {
    found.tooDeep = true;
    return;
  }
  const items: unknown[] = Object.values(value);
  found.sizeBound += Object.keys(value).join("").length * UNIT_BYTES + items.length * SCALAR_BYTES;
  for (const item of items) {
    if (typeof item === "string") found.sizeBound += item.length * UNIT_BYTES;
    else if (typeof item === "object" && item !== null) look(item, levelsLeft - 1, found);
    else if (typeof item === "number" && !Number.isFinite(item)) found.nonFinite = true;
  }
}

/** Numbers that are not finite become null, in place; for data that is not too deep. */
function makeFinite(value: object): void {
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === "object" && item !== null) makeFinite(item);
    else if (typeof item === "number" && !Number.isFinite(item)) setOwn(value, key, null);
  }
}

/** In characters, as a schema's `maxLength` counts them: one beyond the basic plane is one, of two units. */
export function isLonger(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  return text.length > 2 * limit || [...text].length > limit;
}

/** The bytes of a value's compact JSON. Not for data that may be too deep. */
export const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
