/** Parses body bytes as JSON and inspects free-form JSON (docs/api/ingest.md). Pure. */
import { isUtf8 } from "node:buffer";
import { LIMITS } from "@headwater/contract";
import { parseExactJson } from "../core/exact-json.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { invalidBody } from "../core/refusal.ts";
import { toStorable } from "../core/text.ts";
import type { IngestBody } from "../http/body.ts";

export type JsonObject = Record<string, unknown>;
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

const BYTE_ORDER_MARK = "\uFEFF";

/** A body for parsing and for the debug view: its text, or its first bytes when it has no usable text. */
export interface BodyText {
  /** null: it was not read, or is not UTF-8. */
  readonly bodyText: string | null;
  /** The first bytes of a body that is not UTF-8 or is too large. */
  readonly bodyStart: string | null;
}

export const NO_BODY: BodyText = { bodyText: null, bodyStart: null };

export function decodeBody({ bytes, problem }: IngestBody): BodyText {
  if (problem !== null || !isUtf8(bytes))
    return { bodyText: null, bodyStart: bytes.toString("utf8", 0, SERVER_LIMITS.rawTextBytes) };
  const text = bytes.toString("utf8");
  return { bodyText: text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text, bodyStart: null };
}

/** Nesting of the deepest data that is kept: envelope, events, event, and the levels inside an event. */
const MAX_CLEANED_DEPTH = LIMITS.maxDepth + 6;

/**
 * @param text null: the body is not UTF-8
 * @throws Refusal 422 when the text is not JSON
 */
export function parseJson(text: string | null): unknown {
  if (text === null) throw invalidBody("invalid_encoding", "The body is not valid UTF-8.");
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (error) {
    const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
    const where = position === undefined ? "" : ` (at character ${position})`;
    throw invalidBody("invalid_json", `The body is not valid JSON${where}.`);
  }
  // only an escape can put NUL or half of a surrogate pair into a string
  return text.includes("\\u") ? withStorableStrings(value) : value;
}

/** Sets an own member, even if the key is `__proto__`: for JSON that is ordinary data. */
export function setOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * NUL and lone surrogates become U+FFFD, in keys too, before anything is derived: every store holds the same value.
 * @param read converts a string. Default: to storable text
 */
export const withStorableStrings = <Value>(
  value: Value,
  read: (text: string) => unknown = toStorable,
): Value =>
  // the same members, with other characters
  cleanStrings(value, read, MAX_CLEANED_DEPTH) as Value;

function cleanStrings(value: unknown, read: (text: string) => unknown, depth: number): unknown {
  if (typeof value === "string") return read(value);
  if (typeof value !== "object" || value === null || depth === 0) return value;
  if (Array.isArray(value)) return value.map((item) => cleanStrings(item, read, depth - 1));
  const clean = {};
  for (const [key, item] of Object.entries(value))
    setOwn(clean, toStorable(key), cleanStrings(item, read, depth - 1));
  return clean;
}

interface Inspection {
  isTooDeep: boolean;
  /** A number is not finite: in JSON it is null. */
  hasNonFinite: boolean;
  /** The compact JSON has at most this many bytes. */
  maxBytes: number;
}

/** A UTF-16 unit takes at most six bytes of JSON. */
const MAX_UNIT_BYTES = 6;
/** A number, or the punctuation around a string, takes at most this many bytes of JSON. */
const MAX_SCALAR_BYTES = 32;

/** Inspects free-form data down to `maxDepth`. */
export function inspect(value: object, maxDepth: number): Readonly<Inspection> {
  const found: Inspection = { isTooDeep: false, hasNonFinite: false, maxBytes: 2 };
  inspectLevel(value, maxDepth, found);
  return found;
}

function inspectLevel(value: object, levelsLeft: number, found: Inspection): void {
  if (levelsLeft === 0) {
    found.isTooDeep = true;
    return;
  }
  if (Array.isArray(value)) for (const item of value) inspectItem(item, levelsLeft, found);
  else if (isJsonObject(value)) {
    // parsed JSON inherits no enumerable member
    for (const key in value) {
      found.maxBytes += key.length * MAX_UNIT_BYTES;
      inspectItem(value[key], levelsLeft, found);
    }
  }
}

function inspectItem(item: unknown, levelsLeft: number, found: Inspection): void {
  found.maxBytes += MAX_SCALAR_BYTES;
  if (typeof item === "string") found.maxBytes += item.length * MAX_UNIT_BYTES;
  else if (typeof item === "object" && item !== null) inspectLevel(item, levelsLeft - 1, found);
  else if (typeof item === "number" && !Number.isFinite(item)) found.hasNonFinite = true;
}

/** Replaces numbers that are not finite by null, in place. Call it only for data that is not too deep. */
export function makeFinite(value: object): void {
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === "object" && item !== null) makeFinite(item);
    else if (typeof item === "number" && !Number.isFinite(item)) setOwn(value, key, null);
  }
}

/** Compares the length in characters, as a schema's `maxLength` does: a surrogate pair is one character. */
export function isLonger(text: string, maxCharacters: number): boolean {
  if (text.length <= maxCharacters) return false;
  return text.length > 2 * maxCharacters || [...text].length > maxCharacters;
}

/** The bytes of a value's compact JSON. Call it only for data that is not too deep. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
