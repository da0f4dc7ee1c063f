/** The OpenAPI document as types, and as a table of routes. Pure. */
import type { OpenApiDocument, OpenApiOperation, OpenApiSchema } from "@headwater/contract";

const quoted = JSON.stringify;
const NAME = /^[A-Za-z_]\w*$/;
const keyOf = (name: string) => (NAME.test(name) ? name : quoted(name));
const nameOfRef = (ref: string) => ref.split("/").at(-1) ?? "";
const comment = (text: string | undefined) =>
  text === undefined ? "" : `/** ${text.replace(/\s+/g, " ").replaceAll("*/", "*\\/")} */\n`;

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

/** @returns the type of members by any name */
function renderRecord({ patternProperties = {} }: OpenApiSchema): string {
  const [members] = Object.values(patternProperties);
  return `Record<string, ${members ? renderType(members) : "unknown"}>`;
}

function renderObject(schema: OpenApiSchema): string {
  const { properties, required = [], additionalProperties } = schema;
  if (!properties) return renderRecord(schema);
  const members = Object.entries(properties).map(
    ([name, member]) =>
      `${comment(member.description)}${keyOf(name)}${required.includes(name) ? "" : "?"}: ${renderType(member)};`,
  );
  const further = additionalProperties === false ? [] : ["[member: string]: unknown;"];
  return `{\n${[...members, ...further].join("\n")}\n}`;
}

const union = (types: readonly string[]) => [...new Set(types)].join(" | ");

export function renderType(schema: OpenApiSchema): string {
  const { $ref, type, anyOf, items } = schema;
  if ($ref) return `Schemas[${quoted(nameOfRef($ref))}]`;
  if ("const" in schema) return quoted(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => quoted(value)));
  if (anyOf) return union(anyOf.map(renderType));
  if (Array.isArray(type)) return union(type.map((one) => renderType({ ...schema, type: one })));
  if (type === "array") return `(${renderType(items ?? {})})[]`;
  if (type === "object") return renderObject(schema);
  return type === undefined ? "unknown" : (PRIMITIVES[type] ?? "unknown");
}

/** Parameters of one kind, as the members of an object. */
function renderParameters({ parameters }: OpenApiOperation, kind: "path" | "query"): string {
  const selected = parameters.filter((one) => one.in === kind);
  if (selected.length === 0) return "undefined";
  const members = selected.map(({ name, required, description, schema }) => {
    const [mark, absent] = required ? [":", ""] : ["?:", " | null | undefined"];
    return `${comment(description)}${keyOf(name)}${mark} ${renderType(schema)}${absent};`;
  });
  return `{\n${members.join("\n")}\n}`;
}

/** The answer's type. Of another media type than JSON it is the response itself, which can be a stream. */
function renderAnswer({ responses }: OpenApiOperation): string {
  const [success] = Object.values(responses);
  const content = success && "content" in success ? success.content : undefined;
  const schema = content?.["application/json"]?.schema;
  return schema ? renderType(schema) : "Response";
}

function renderBody({ requestBody }: OpenApiOperation): string {
  const schema = requestBody?.content["application/json"]?.schema;
  if (!schema) return "undefined";
  return `${renderType(schema)}${requestBody?.required ? "" : " | undefined"}`;
}

const operationsOf = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

const GENERATED = "Generated from the OpenAPI document by `npm run generate -w @headwater/api`. Do not edit.";

/** The declarations of all named schemas and of all operations. */
export function renderDeclarations(document: OpenApiDocument): string {
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `${comment(schema.description)}${name}: ${renderType(schema)};`,
  );
  const operations = operationsOf(document).map(({ operation }) => {
    const parts = [
      `params: ${renderParameters(operation, "path")};`,
      `query: ${renderParameters(operation, "query")};`,
      `body: ${renderBody(operation)};`,
      `answer: ${renderAnswer(operation)};`,
    ];
    return `${comment(operation.summary)}${operation.operationId}: {\n${parts.join("\n")}\n};`;
  });
  return `/** ${GENERATED} */\nexport interface Schemas {\n${schemas.join("\n")}\n}\nexport interface Operations {\n${operations.join("\n")}\n}\n`;
}

/** The method and the path of each operation, and which operations answer with JSON. */
export function renderRoutes(document: OpenApiDocument): string {
  const lines = operationsOf(document).map(
    ({ path, method, operation }) =>
      `  ${operation.operationId}: "${method.toUpperCase()} ${path}${renderAnswer(operation) === "Response" ? " raw" : ""}",`,
  );
  return `/** ${GENERATED} The word \`raw\`: the answer is not JSON. */\nexport const ROUTES = {\n${lines.join("\n")}\n} as const;\n`;
}
