/** Compiles a tracking plan to checks of events. A schema is compiled when the first event of its name arrives. */
import {
  type Event,
  LIMITS,
  type PlanMode,
  storedEventName,
  type TrackingPlan,
  type ViolationDetails,
} from "@headwater/contract";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { nearestName } from "../core/nearest-name.ts";
import { maskJson, maskString } from "../masking/mask.ts";
import { FORMATS } from "./formats.ts";
import { compilePattern, type PatternBudget } from "./linear-pattern.ts";
import { multipleCheck } from "./multiple-of.ts";
import { PROTO_AS_PATTERN, showProto } from "./schema-rules.ts";

/** An event that does not fit the plan. */
export interface PlanViolation extends ViolationDetails {
  readonly mode: Exclude<PlanMode, "off">;
  /** The type of what was found, without its value. */
  readonly foundType: string;
  /** The keyword of the schema that decided, such as `#/properties/price/type`; null: the event is not in the plan. */
  readonly schemaPath: string | null;
}

export interface CompiledPlan {
  /** null: the event fits the plan, or is not checked. */
  check(event: Pick<Event, "type" | "name" | "passive" | "properties">): PlanViolation | null;
  /** The size of the plan as JSON. Compiled it needs several times as much. */
  readonly sizeBytes: number;
}

const MAX_FOUND_LENGTH = 80;
const MAX_EXPECTED_LENGTH = 200;
/** Comparing names takes time, and an event can have thousands. */
const MAX_COMPARED_NAMES = 100;
const cut = (text: string, maxLength: number) =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength).toWellFormed()}…`;

function describeType(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return value === null ? "null" : "an object";
  return `a ${typeof value}`;
}

/** The type of a value that breaks a rule, without the value. An allowed string makes another one "another string". */
function describeWrongType({ keyword, params }: ErrorObject, value: unknown): string {
  if (keyword === "required") return "nothing";
  const allowed: unknown[] =
    keyword === "enum" ? params.allowedValues : keyword === "const" ? [params.allowedValue] : [];
  const type = describeType(value);
  return allowed.map(describeType).includes(type) ? type.replace(/^an? /, "another ") : type;
}

/** The value, without secrets. @param name of the property: the values of some names are secret */
function describeFound(name: string, value: unknown): string {
  if (value === undefined || value instanceof Object) return describeType(value);
  const masked = maskJson(JSON.stringify({ [name]: value })) ?? '{"":"…"}';
  const [shown] = Object.values(JSON.parse(masked));
  return `${typeof value === "object" ? "" : `the ${typeof value} `}${cut(JSON.stringify(shown), MAX_FOUND_LENGTH)}`;
}

const PROTO_PATH = `/patternProperties/${encodeURIComponent(PROTO_AS_PATTERN)}`;
const decodePointer = (part: string) => part.replaceAll("~1", "/").replaceAll("~0", "~");

/** The member that the error is about, beneath the value that was checked. */
function memberIn({ keyword, params }: ErrorObject): string | null {
  if (keyword === "required") return params.missingProperty;
  if (keyword === "additionalProperties") return params.additionalProperty;
  if (keyword === "propertyNames") return params.propertyName;
  return null;
}

function describeExpected({ keyword, params, parentSchema, message }: ErrorObject): string {
  switch (keyword) {
    case "required":
      return "present";
    case "additionalProperties": {
      const known = Object.keys(parentSchema?.properties ?? {});
      const meant = nearestName(params.additionalProperty, known);
      return meant === undefined ? "absent" : `absent, or named ${meant}`;
    }
    case "propertyNames":
      return "absent, because the schema does not allow its name";
    case "type":
      return `of the type ${[params.type].flat().join(" or ")}`;
    case "enum":
      return `one of ${JSON.stringify(params.allowedValues).slice(1, -1)}`;
    case "const":
      return JSON.stringify(params.allowedValue);
    case "pattern":
      return `a string that matches ${params.pattern}`;
    case "multipleOf":
      return `a multiple of ${parentSchema?.multipleOf}`;
    case "format":
      return `a string in the format ${params.format}`;
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return `${params.comparison} ${params.limit}`;
    default:
      return `as the schema says (${message ?? keyword})`;
  }
}

/** A missing member may have been renamed: the most similar of the object's members that the schema does not name. */
function describeMissing({ params, data, parentSchema }: ErrorObject): string {
  const others = Object.keys(Object(data)).filter(
    (name) => !Object.hasOwn(parentSchema?.properties ?? {}, name),
  );
  const similar = nearestName(params.missingProperty, others.slice(0, MAX_COMPARED_NAMES));
  return similar === undefined
    ? "nothing"
    : `nothing, but ${JSON.stringify(cut(maskString(similar), MAX_FOUND_LENGTH))}`;
}

/** The last error belongs to the keyword that decides; the ones before it belong to its parts. */
function toViolation(errors: readonly ErrorObject[], mode: PlanViolation["mode"]): PlanViolation | null {
  const error = errors.at(-1);
  if (!error) return null;
  const member = memberIn(error);
  const parts = error.instancePath.split("/").slice(1).map(decodePointer);
  const path = ["properties", ...parts, ...(member === null ? [] : [member])];
  const value = member === null ? error.data : Reflect.get(Object(error.data), member);
  return {
    mode,
    path: cut(path.join("."), MAX_EXPECTED_LENGTH),
    expected: cut(describeExpected(error), MAX_EXPECTED_LENGTH),
    found: error.keyword === "required" ? describeMissing(error) : describeFound(path.at(-1) ?? "", value),
    foundType: describeWrongType(error, value),
    schemaPath: error.schemaPath.replaceAll(PROTO_PATH, "/properties/__proto__"),
  };
}

/** The schemas of two plans share nothing, so that the memory of a plan that is no longer used is freed. */
const createCompiler = (budget?: PatternBudget) => {
  const compiler = new Ajv2020({
    strict: false,
    discriminator: false,
    verbose: true,
    logger: false,
    validateSchema: false,
    addUsedSchema: false,
    ownProperties: true,
    formats: FORMATS,
    // generated code would contain `code` if it were written to a file
    code: {
      regExp: Object.assign((pattern: string) => compilePattern(pattern, budget), { code: "compilePattern" }),
    },
  });
  compiler.removeKeyword("multipleOf");
  return compiler.addKeyword({ keyword: "multipleOf", type: "number", compile: multipleCheck });
};

/** The compiler knows only one dialect, so the schema need not name it. */
function compileSchema(compiler: Ajv2020, schema: Readonly<Record<string, unknown>>): ValidateFunction {
  const { $schema: _, ...members } = schema;
  return compiler.compile(
    JSON.stringify(members).includes("__proto__") ? Object(showProto(members)) : members,
  );
}

interface PlannedCheck {
  readonly mode: PlanViolation["mode"];
  readonly validator: () => ValidateFunction;
}

/** Compiles when the result is needed first. */
function once<T>(compile: () => T): () => T {
  let compiled: { readonly value: T } | undefined;
  return () => {
    compiled ??= { value: compile() };
    return compiled.value;
  };
}

function createChecks(
  { mode: planMode, events }: TrackingPlan,
  budget: PatternBudget,
): Map<string, PlannedCheck> {
  const compiler = once(() => createCompiler(budget));
  const checks = new Map<string, PlannedCheck>();
  for (const [name, { mode, schema }] of Object.entries(events)) {
    const applied = mode ?? planMode;
    if (applied === "off") continue;
    checks.set(name, { mode: applied, validator: once(() => compileSchema(compiler(), schema)) });
  }
  return checks;
}

function unknownEvent(name: string, plan: TrackingPlan): PlanViolation | null {
  if (plan.mode === "off" || plan.unknownEvents === "allow") return null;
  const meant = nearestName(name, Object.keys(plan.events));
  return {
    mode: plan.unknownEvents,
    path: "name",
    expected: `a planned event${meant === undefined ? "" : `, such as ${cut(meant, MAX_FOUND_LENGTH)}`}`,
    found: describeFound("name", name),
    foundType: "another name",
    schemaPath: null,
  };
}

const NO_PROPERTIES = {};

/** Compiles every schema of the plan, one after another. @throws the first schema's error */
export async function requireCompilable({ events }: TrackingPlan, pause: () => Promise<void>): Promise<void> {
  const compiler = createCompiler();
  for (const { schema } of Object.values(events)) {
    compileSchema(compiler, schema);
    await pause();
  }
}

export function compilePlan(plan: TrackingPlan): CompiledPlan {
  const budget = { left: 0 };
  const checks = createChecks(plan, budget);
  return {
    sizeBytes: JSON.stringify(plan).length,
    check: ({ type, name: ownName, passive, properties }) => {
      const name = storedEventName(type, ownName);
      const planned = checks.get(name);
      if (!planned) {
        // the browser client records passive events by itself
        const isOwn = type === "track" && passive !== true && !Object.hasOwn(plan.events, name);
        return isOwn ? unknownEvent(name, plan) : null;
      }
      const isValid = planned.validator();
      budget.left = LIMITS.maxPlanPatternSteps;
      return isValid(properties ?? NO_PROPERTIES) ? null : toViolation(isValid.errors ?? [], planned.mode);
    },
  };
}
