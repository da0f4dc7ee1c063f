/** Compiles a schema of the contract to a check that is fast for valid values and lists every issue of invalid ones. */
import { posix } from "node:path";
import { type Issue, type IssueCode, LIMITS } from "@headwater/contract";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { Static, TSchema } from "typebox";
import { nearestName } from "./nearest-name.ts";

/**
 * `unicode: false` counts the length of strings in UTF-16 units instead of code points, at a third of the cost.
 * `quick` stops at the first error, for the hot path. `thorough` collects all errors, for the refusal.
 * The schemas have no keyword of newer drafts: `Ajv2020` notes which members a schema has seen, and so tries every branch of an
 * `anyOf`, which was an eighth of the memory that ingest allocates.
 */
const options = {
  strict: false,
  unicode: false,
  discriminator: false,
  validateFormats: false,
  logger: false,
} as const;
const quick = new Ajv({ ...options, allErrors: false });
const thorough = new Ajv({ ...options, allErrors: true, verbose: true });

export interface Check<S extends TSchema> {
  (value: unknown): value is Static<S>;
  /** All issues of an invalid value. */
  issues(value: unknown): Issue[];
}

const CODES: Record<string, IssueCode> = {
  required: "required",
  type: "invalid_type",
  minLength: "too_short",
  minItems: "too_short",
  minProperties: "too_short",
  maxLength: "too_long",
  maxItems: "too_many",
  maxProperties: "too_many",
  additionalProperties: "unknown_field",
};
/** An error of these keywords only says that one of their parts failed. The parts report their own errors. */
const COMPOSITE = new Set(["anyOf", "oneOf", "if", "allOf"]);

function toPath(error: ErrorObject): (string | number)[] {
  const parts = error.instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  if (error.keyword === "required") parts.push(error.params.missingProperty);
  if (error.keyword === "additionalProperties") parts.push(error.params.additionalProperty);
  return parts;
}

function describeType({ params: { type }, data }: ErrorObject): string {
  const names: string[] = [type].flat();
  const wanted = names.map((name) => (/^[aio]/.test(name) ? `an ${name}` : `a ${name}`)).join(" or ");
  return `must be ${wanted}${Array.isArray(data) ? ", not a list" : ""}`;
}

function describe(error: ErrorObject): string {
  switch (error.keyword) {
    case "required":
      return "is required";
    case "additionalProperties": {
      const known = Object.keys(error.parentSchema?.properties ?? {});
      const meant = nearestName(error.params.additionalProperty, known);
      return meant === undefined ? "is not known here" : `is not known here; did you mean ${meant}?`;
    }
    case "enum": {
      const allowed: readonly unknown[] = error.params.allowedValues;
      return `must be one of ${allowed.join(", ")}`;
    }
    case "const":
      return `must be ${JSON.stringify(error.params.allowedValue)}`;
    case "pattern":
      return `must be ${error.parentSchema?.description}`;
    case "minItems":
      return `must have at least ${error.params.limit} ${error.params.limit === 1 ? "item" : "items"}`;
    case "maxItems":
      return `must have at most ${error.params.limit} items`;
    case "minLength":
      return `must have at least ${error.params.limit} characters`;
    case "maxLength":
      return `must have at most ${error.params.limit} characters`;
    case "type":
      return describeType(error);
    default:
      return error.message ?? "is not valid";
  }
}

function toIssue(error: ErrorObject): Issue {
  const path = toPath(error);
  const name = path.length > 0 ? path.join(".") : "The body";
  const empty = error.keyword === "minLength" && error.data === "";
  return {
    path,
    code: CODES[error.keyword] ?? "invalid_value",
    message: empty ? `${name} must not be empty` : `${name} ${describe(error)}`,
  };
}

/** A nullable member is `anyOf [schema, null]`, and both branches report errors. That of the null branch is of no use. */
function isOfNullBranch(error: ErrorObject): boolean {
  return error.keyword === "type" && error.params.type === "null";
}

/** The branch of an `anyOf` that an error is in. */
const branchOf = ({ schemaPath, keyword }: ErrorObject): string | undefined =>
  keyword === "anyOf" ? undefined : /^.*\/anyOf\/\d+/.exec(schemaPath)?.[0];

/**
 * A value that is a text or a list is `anyOf [text, list]`. Errors of the branch that expects the other type are of no use,
 * unless the value has the type of neither.
 */
function withoutOtherTypes(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const mistyped = new Set(errors.filter(({ keyword }) => keyword === "type").map(branchOf));
  const fitting = new Set(
    errors
      .map(branchOf)
      .flatMap((branch) => (branch && !mistyped.has(branch) ? [posix.dirname(branch)] : [])),
  );
  return errors.filter((error) => {
    const branch = branchOf(error);
    return branch === undefined || !mistyped.has(branch) || !fitting.has(posix.dirname(branch));
  });
}

/** Removes repeated issues, and all other issues of a value that has the wrong type. */
function removeRedundant(issues: Issue[]): Issue[] {
  const pathText = ({ path }: Issue) => JSON.stringify(path);
  const mistyped = new Set(issues.filter(({ code }) => code === "invalid_type").map(pathText));
  const seen = new Set<string>();
  return issues.filter((issue) => {
    const path = pathText(issue);
    const key = `${path} ${issue.code}`;
    if (seen.has(key) || (mistyped.has(path) && issue.code !== "invalid_type")) return false;
    return seen.add(key);
  });
}

/** The schema is compiled when its first value arrives, so that a start needs less time and memory. */
export function compile<S extends TSchema>(schema: S): Check<S> {
  let isValid: ValidateFunction | undefined;
  let findErrors: ValidateFunction | undefined;
  const check = (value: unknown): value is Static<S> => {
    isValid ??= quick.compile(schema);
    return isValid(value);
  };
  const issues = (value: unknown): Issue[] => {
    findErrors ??= thorough.compile(schema);
    if (findErrors(value)) return [];
    const errors = withoutOtherTypes(findErrors.errors ?? []).filter(
      (error) => !COMPOSITE.has(error.keyword) && !isOfNullBranch(error),
    );
    return removeRedundant(errors.slice(0, 2 * LIMITS.maxIssues).map(toIssue));
  };
  return Object.assign(check, { issues });
}
