/** Reads values of a foreign request, whose types are not known. Pure. */
import { LIMITS } from "@headwater/contract/limits";
import { isRecord } from "../core/members.ts";
import { invalidBody } from "../core/refusal.ts";
import { textOf } from "../core/text.ts";
import { type ForeignReply, Untranslatable } from "../ingest/adapter.ts";
import { unmarked } from "../ingest/long-ids.ts";

/** An object of a foreign request. */
export type ForeignFields = Readonly<Record<string, unknown>>;
const NOTHING: ForeignFields = {};

export const objectOf = (value: unknown): ForeignFields => (isRecord(value) ? value : NOTHING);

/** Some clients send an empty list for an empty object. */
const isAbsent = (value: unknown) =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/** null: the value is there, and no object. */
const optionalObject = (value: unknown) => (isAbsent(value) ? NOTHING : isRecord(value) ? value : null);

/** A member of a message that is an object, if the message has it. @throws Untranslatable */
export function membersOf(value: unknown, name: string): ForeignFields {
  const members = optionalObject(value);
  if (members === null) throw new Untranslatable(`\`${name}\` must be an object`);
  return members;
}

/** A member of a request that is an object, if the request has it. @throws Refusal 422 */
export function sharedMembersOf(value: unknown, name: string): ForeignFields {
  const members = optionalObject(value);
  if (members === null) throw invalidBody("invalid_type", `\`${name}\` must be an object.`);
  return members;
}

const MAX_SHORT_LENGTH = 512;
/** The start of a text that many events of a request may share, such as the name of a device. */
export const shortTextOf = (value: unknown): string | null =>
  textOf(value)?.slice(0, MAX_SHORT_LENGTH).toWellFormed() ?? null;

/** An id. Many applications send the numbers of their database. One that is too long stays too long. @throws Untranslatable when two visitors could become one */
export function idOf(value: unknown): string | null {
  if (typeof value !== "number") {
    const text = textOf(value);
    return text === null ? null : unmarked(text).slice(0, LIMITS.maxEnvelopeIdLength + 1);
  }
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
    throw new Untranslatable(
      "An id is a number with too many digits to be exact. Send it as a string",
      "id_not_exact",
    );
  return String(value);
}

/** A number, or a text that is one. */
export function numberOf(value: unknown): number | null {
  if (typeof value === "string" && !/^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(value)) return null;
  const number = typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

export const jsonReply = (value: unknown): ForeignReply => ({
  status: 200,
  mediaType: "application/json; charset=utf-8",
  content: JSON.stringify(value),
});

/** The members that have a value. */
export const definedIn = (members: ForeignFields): ForeignFields =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));

/** The object without some of its members. */
export const without = (value: ForeignFields, names: readonly string[]): ForeignFields =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));

/** @throws Refusal 422 when the body is not an object */
export function requireObject(body: unknown): ForeignFields {
  if (isRecord(body)) return body;
  throw invalidBody("invalid_type", "The body must be a JSON object.");
}
