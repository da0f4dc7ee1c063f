/**
 * Which JSON Schemas a tracking plan can have. Users write them and ingest runs them, so this bounds what a check can cost: no
 * remote or recursive `$ref`, a bounded number of checks for each value, and patterns that are matched in linear time.
 */
import { type Issue, LIMITS, PLAN_SCHEMA_DIALECT } from "@headwater/contract";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isRecord, memberOf } from "../core/members.ts";
import { FORMAT_NAMES } from "./formats.ts";
import { compilePattern, PatternError } from "./linear-pattern.ts";

/**
 * The kind of value of a keyword. `schema`: a schema for the same value; `each`: a schema for each item or member of it.
 * `list` and `map`: schemas in a list or by name. `values` and `value lists`: lists that are searched. `length`: a limit of one. `plain`: a value that costs nothing.
 */
type KeywordKind =
  | "schema"
  | "each"
  | "list"
  | "map"
  | "definitions"
  | "values"
  | "value lists"
  | "length"
  | "pattern"
  | "format"
  | "ref"
  | "plain";

const KEYWORDS: Readonly<Record<string, KeywordKind>> = {
  type: "plain",
  const: "plain",
  enum: "values",
  required: "values",
  properties: "map",
  additionalProperties: "each",
  propertyNames: "each",
  minProperties: "plain",
  maxProperties: "plain",
  dependentRequired: "value lists",
  items: "each",
  prefixItems: "list",
  contains: "each",
  minContains: "plain",
  maxContains: "plain",
  minItems: "plain",
  maxItems: "plain",
  minimum: "plain",
  maximum: "plain",
  exclusiveMinimum: "plain",
  exclusiveMaximum: "plain",
  multipleOf: "plain",
  minLength: "length",
  maxLength: "length",
  pattern: "pattern",
  format: "format",
  allOf: "list",
  anyOf: "list",
  oneOf: "list",
  not: "schema",
  if: "schema",
  // linters take an object with that key for a promise
  [`th${"en"}`]: "schema",
  else: "schema",
  $ref: "ref",
  $defs: "definitions",
  $schema: "plain",
  $comment: "plain",
  title: "plain",
  description: "plain",
  examples: "plain",
  default: "plain",
  deprecated: "plain",
};

/** A list or an object has many members, each of which is checked. */
const EACH_FACTOR = 20;
/** The characters of a text are counted. */
const LENGTH_COST = 5;
/** Comparisons of a text with values of a list that take as long as one check. */
const VALUES_PER_CHECK = 10;
const REF = /^#\/\$defs\/([^/~%]+)$/;

type SchemaPath = (string | number)[];
type ReportSchemaIssue = (path: SchemaPath, message: string) => void;

interface SchemaWalk {
  readonly report: ReportSchemaIssue;
  /** The definitions of the whole schema. */
  readonly definitions: Readonly<Record<string, unknown>>;
  /** The definitions that are being measured: a reference to one of them is recursive. */
  readonly open: Set<string>;
  readonly costs: Map<string, number>;
}

function refCost(ref: unknown, path: SchemaPath, walk: SchemaWalk): number {
  const name = typeof ref === "string" ? REF.exec(ref)?.[1] : undefined;
  const definition = name === undefined ? undefined : memberOf(walk.definitions, name);
  if (name === undefined || definition === undefined) {
    walk.report(path, "must name a definition of the same schema, such as #/$defs/price");
    return 0;
  }
  if (walk.open.has(name)) {
    walk.report(path, "must not be recursive");
    return 0;
  }
  const known = walk.costs.get(name);
  if (known !== undefined) return known;
  walk.open.add(name);
  const cost = schemaCost(definition, ["$defs", name], walk);
  walk.open.delete(name);
  walk.costs.set(name, cost);
  return cost;
}

function checkPattern(source: unknown, path: SchemaPath, report: ReportSchemaIssue): void {
  if (typeof source !== "string") return;
  try {
    compilePattern(source);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    report(path, error.message);
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function keywordCost([keyword, value]: [string, unknown], at: SchemaPath, walk: SchemaWalk): number {
  const path = [...at, keyword];
  switch (Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined) {
    case undefined:
      walk.report(path, "is not a keyword that tracking plans support");
      return 0;
    case "schema":
      return schemaCost(value, path, walk);
    case "each":
      return EACH_FACTOR * schemaCost(value, path, walk);
    case "list":
      return sumOf(listOf(value).map((item, index) => schemaCost(item, [...path, index], walk)));
    case "map":
      return sumOf(
        Object.entries(isRecord(value) ? value : {}).map(([name, item]) =>
          schemaCost(item, [...path, name], walk),
        ),
      );
    case "definitions":
      if (at.length > 0) walk.report(path, "must be at the top of the schema");
      else
        for (const name of Object.keys(isRecord(value) ? value : {}))
          refCost(`#/$defs/${name}`, [...path, name], walk);
      return 0;
    case "values":
      if (keyword === "enum" && listOf(value).length === 0) walk.report(path, "must list at least one value");
      return Math.ceil(listOf(value).length / VALUES_PER_CHECK);
    case "value lists":
      return Object.values(isRecord(value) ? value : {}).flatMap(listOf).length;
    case "length":
      return LENGTH_COST;
    case "pattern":
      checkPattern(value, path, walk.report);
      return EACH_FACTOR;
    case "format":
      if (!FORMAT_NAMES.includes(String(value)))
        walk.report(path, `must be one of ${FORMAT_NAMES.join(", ")}`);
      return 1;
    case "ref":
      return refCost(value, path, walk);
    case "plain":
      if (keyword === "$schema" && value !== PLAN_SCHEMA_DIALECT)
        walk.report(path, `must be ${PLAN_SCHEMA_DIALECT}`);
      return 0;
  }
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** How many checks one value costs at most. */
function schemaCost(schema: unknown, path: SchemaPath, walk: SchemaWalk): number {
  if (path.length > LIMITS.maxPlanSchemaDepth) {
    walk.report(path, `nests deeper than ${LIMITS.maxPlanSchemaDepth} levels`);
    return 0;
  }
  if (!isRecord(schema)) return 1;
  return 1 + sumOf(Object.entries(schema).map((member) => keywordCost(member, path, walk)));
}

/** ajv leaves out a property named `__proto__`, so it becomes a pattern, which plans cannot have themselves. */
export const PROTO_AS_PATTERN = "^__proto__$";

/** The schema with properties named `__proto__` as patterns, at any depth that `checkSchema` allows. */
export function showProto(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const shown = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    const kind = KEYWORDS[keyword];
    if (kind === "schema" || kind === "each") return [keyword, showProto(value)];
    if (kind === "list") return [keyword, listOf(value).map(showProto)];
    if ((kind !== "map" && kind !== "definitions") || !isRecord(value)) return [keyword, value];
    return [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, showProto(one)]))];
  });
  const proto = memberOf(schema.properties, "__proto__");
  if (proto === undefined) return Object.fromEntries(shown);
  return { ...Object.fromEntries(shown), patternProperties: { [PROTO_AS_PATTERN]: showProto(proto) } };
}

const metaSchema = () => new Ajv2020({ strict: false, validateFormats: false, logger: false });
let shapes: Ajv2020 | undefined;

/** Whether the schema is one of JSON Schema 2020-12 at all. */
function shapeIssue(schema: Readonly<Record<string, unknown>>, report: ReportSchemaIssue): boolean {
  shapes ??= metaSchema();
  const { $schema: _, ...members } = schema;
  if (shapes.validateSchema(members) === true) return false;
  const [error] = shapes.errors ?? [];
  report(error?.instancePath.split("/").slice(1) ?? [], error?.message ?? "is not a JSON Schema");
  return true;
}

/** The issues of the schema of an event's properties, and how many checks it costs. @param at where the schema is in the body */
export function checkSchema(
  schema: Readonly<Record<string, unknown>>,
  at: SchemaPath,
): { issues: Issue[]; cost: number } {
  const issues: Issue[] = [];
  const report: ReportSchemaIssue = (path, message) => {
    const full = [...at, ...path];
    if (issues.length < LIMITS.maxIssues)
      issues.push({ path: full, code: "invalid_value", message: `${full.join(".")} ${message}` });
  };
  const definitions = memberOf(schema, "$defs");
  const walk = {
    report,
    definitions: isRecord(definitions) ? definitions : {},
    open: new Set<string>(),
    costs: new Map<string, number>(),
  };
  const cost = schemaCost(schema, [], walk);
  if (issues.length > 0 || shapeIssue(schema, report)) return { issues, cost };
  if (cost > LIMITS.maxPlanSchemaCost)
    report(
      [],
      `costs ${cost} checks; at most ${LIMITS.maxPlanSchemaCost} are allowed. Describe fewer properties, or shorter lists`,
    );
  return { issues, cost };
}
