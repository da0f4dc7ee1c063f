/** Small schemas that the request and response bodies are built from. */
import Type, { type TProperties, type TSchema } from "typebox";

/** An object without additional properties, so that a response cannot contain an undeclared field. */
export const Closed = <P extends TProperties>(properties: P, options: Record<string, unknown> = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

export const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** An optional member. null means the same as absent (docs/contract.md section 4). */
export const Maybe = <S extends TSchema>(schema: S) => Type.Optional(Nullable(schema));

/** A time in a response: ISO 8601, UTC, with milliseconds. */
export const Time = Type.String({
  pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$",
  description: "a time in UTC with milliseconds, such as 2026-11-21T12:00:00.000Z",
});

/**
 * The description of a cursor. If a value does not match its pattern, the issue says "must be" and then the description of
 * the schema. So the description of a schema with a pattern is a noun phrase.
 */
export const CURSOR = "the nextCursor of the previous page";

export const Count = Type.Integer({ minimum: 0 });
export const Id = Type.String({ minLength: 1, maxLength: 200 });

/** A JSON object of any form. */
export const FreeObject = Type.Record(Type.String(), Type.Unknown());

export const OneOf = <const V extends readonly string[]>(values: V, options: Record<string, unknown> = {}) =>
  Type.Unsafe<V[number]>({ type: "string", enum: [...values], ...options });

/** JSON Schema's if/then. The key is built from two parts, because linters take an object with that key for a promise. */
export const when = (shape: object, consequence: object) =>
  Object.fromEntries([
    ["if", shape],
    [`th${"en"}`, consequence],
  ]);
