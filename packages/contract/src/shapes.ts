/** Small schemas that the request and response bodies are built from. */
import Type, { type TProperties, type TSchema } from "typebox";

/** An object without additional properties, so that a response cannot contain an undeclared field. */
export const Closed = <P extends TProperties>(properties: P, options: Record<string, unknown> = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

export const Nullable = <S extends TSchema>(schema: S, options: Record<string, unknown> = {}) =>
  Type.Union([schema, Type.Null()], options);

/** An optional member. null means the same as absent (docs/api/events.md). */
export const Maybe = <S extends TSchema>(schema: S, options: Record<string, unknown> = {}) =>
  Type.Optional(Nullable(schema, options));

/** A time in a response: ISO 8601, UTC, with milliseconds. */
export const Time = Type.String({
  format: "date-time",
  pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$",
  description: "a time in UTC with milliseconds, such as 2026-11-21T12:00:00.000Z",
});

/** Members of responses, each with its description. */
export const text = (description: string) => Type.String({ description });
export const url = (description: string) => Type.String({ format: "uri", description });
export const flag = (description: string) => Type.Boolean({ description });
export const count = (description: string) => Type.Integer({ minimum: 0, description });
/** The end of a range of a query: a day in UTC or a time. */
export const TimeText = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 40, description }));
export const time = (description: string) => Type.String({ ...Time, description });
/** A text or a time that can be missing. */
export const textOrNull = (description: string) => Nullable(Type.String(), { description });
export const timeOrNull = (description: string) => Nullable(Time, { description });

/**
 * The description of a cursor. If a value does not match its pattern, the issue says "must be" and then the description of
 * the schema. So the description of a schema with a pattern is a noun phrase.
 */
export const CURSOR = "the nextCursor of the previous page";

export const Count = Type.Integer({ minimum: 0 });

/** An id in a request. */
export const id = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });
export const OrganizationId = id("The id of the workspace.");
export const SourceId = id("The id of the source.");
/** The source that the request names decides the workspace, so its id is needed only to make sure. */
export const SameOrganizationId = Type.Optional(id("The source's workspace; 404 for any other."));
export const NextCursor = Nullable(Type.String(), {
  description: "The `cursor` of the next page; null: this is the last page.",
});

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
