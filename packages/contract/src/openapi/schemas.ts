/** Turns schemas of the contract into those of the document, where each named schema is a reference. */
import { COMPONENTS, type ComponentName } from "./components.ts";
import type { OpenApiSchema } from "./document-shape.ts";

type SchemaMembers = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is SchemaMembers =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const schemaRef = (name: ComponentName) => ({ $ref: `#/components/schemas/${name}` });

/** Schemas are compared by their JSON, so it does not matter how the contract puts them together. */
const refs = new Map(
  Object.entries<object>(COMPONENTS).map(([name, schema]) => {
    const { description, ...compared }: SchemaMembers = { ...schema };
    return [JSON.stringify(compared), { $ref: `#/components/schemas/${name}`, description }];
  }),
);

/** A reference, with a description if it differs from that of the named schema. undefined: the schema has no name. */
function refTo(schema: SchemaMembers): OpenApiSchema | undefined {
  const { description, ...compared } = schema;
  const named = refs.get(JSON.stringify(compared));
  if (!named) return undefined;
  const { $ref } = named;
  return typeof description === "string" && description !== named.description
    ? { $ref, description: sentence(description) }
    : { $ref };
}

/** Descriptions of schemas with a pattern are noun phrases, because issues repeat them. */
const sentence = (text: string): string =>
  /^[a-z]/.test(text)
    ? `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.)]$/.test(text) ? "" : "."}`
    : text;

/** `anyOf [schema, null]` of a simple schema is its type or null. The description is that of the whole. */
function nullable({ anyOf, ...outer }: OpenApiSchema): OpenApiSchema | undefined {
  const [schema, empty, ...further] = anyOf ?? [];
  if (!schema || empty?.type !== "null" || further.length > 0) return undefined;
  const { description = schema.description, ...rest } = outer;
  const described = description === undefined ? rest : { ...rest, description };
  const { description: _, ...inner } = schema;
  if (typeof inner.type !== "string" || inner.enum || "const" in inner || inner.properties)
    return { ...described, anyOf: [inner, empty] };
  return { ...inner, ...described, type: [inner.type, "null"] };
}

/** A condition says nothing about other members. Linters, which want each member of an example declared, need to be told. */
const isCondition = (name: string) => name === "if" || name === "then";

function renderMember(name: string, value: unknown): unknown {
  if (isCondition(name) && isObject(value)) return { ...renderSchema(value), unevaluatedProperties: true };
  if (name === "description" && typeof value === "string") return sentence(value);
  if (Array.isArray(value)) return value.map((item) => (isObject(item) ? renderSchema(item) : item));
  return isObject(value) ? renderSchema(value) : value;
}

function renderMembers(schema: object): OpenApiSchema {
  const { $id: _, ...members }: SchemaMembers = { ...schema };
  const rendered = Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, renderMember(name, value)]),
  );
  return nullable(rendered) ?? rendered;
}

/** @param schema a schema of the contract, or a record of schemas */
export function renderSchema(schema: object): OpenApiSchema {
  // the filter is the only schema that contains itself
  if ("$ref" in schema) return { ...renderMembers(schema), ...schemaRef("Filter") };
  return refTo({ ...schema }) ?? renderMembers(schema);
}

/** Every named schema. */
export const renderComponents = (): Record<string, OpenApiSchema> =>
  Object.fromEntries(
    Object.entries<object>(COMPONENTS).map(([name, schema]) => [name, renderMembers(schema)]),
  );
