/** Small schema words that the bodies are written with. */
import Type, { type TProperties, type TSchema } from "typebox";

/** A response object: closed, so that a field nobody declared cannot leave the service. */
export const Closed = <P extends TProperties>(properties: P, options: Record<string, unknown> = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

export const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** Optional members may be null, which is the same as absent (CONTRACT section 4). */
export const Maybe = <S extends TSchema>(schema: S) => Type.Optional(Nullable(schema));

/** A time of the service: ISO 8601, UTC, milliseconds. */
export const Time = Type.String({
  pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$",
  description: "a time in UTC with milliseconds, such as 2026-11-21T12:00:00.000Z",
});

/** Of an opaque position in a list. A description of what has a pattern goes on from "must be": it is the text. */
export const CURSOR = "the nextCursor of the page before, as it was answered";

export const Count = Type.Integer({ minimum: 0 });
export const Id = Type.String({ minLength: 1, maxLength: 200 });

/** Free-form JSON object: the named exception to closed responses. */
export const FreeObject = Type.Record(Type.String(), Type.Unknown());

export const OneOf = <const V extends readonly string[]>(values: V, options: Record<string, unknown> = {}) =>
  Type.Unsafe<V[number]>({ type: "string", enum: [...values], ...options });

/** What has the first shape must have the second: a keyword of JSON Schema that would make a literal look like a promise. */
export const when = (shape: object, consequence: object) =>
  Object.fromEntries([
    ["if", shape],
    [`th${"en"}`, consequence],
  ]);
