/** From a schema of the contract to a check: quick when the value is right, thorough about what is wrong. */
import type { Issue, IssueCode } from "@headwater/contract";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { Static, TSchema } from "typebox";

/**
 * `unicode: false` counts UTF-16 units instead of code points: a third of the cost, and a limit stays a limit.
 * One instance stops at the first error (the hot path), the other collects them all (the refusal).
 */
const options = {
  strict: false,
  unicode: false,
  discriminator: false,
  validateFormats: false,
  logger: false,
} as const;
const quick = new Ajv2020({ ...options, allErrors: false });
const thorough = new Ajv2020({ ...options, allErrors: true, verbose: true });

export interface Check<S extends TSchema> {
  (value: unknown): value is Static<S>;
  /** All that is wrong, in the contract's words. */
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
/** Errors of these only say that one of their parts failed; the parts speak for themselves. */
const COMPOSITE = new Set(["anyOf", "oneOf", "if", "allOf"]);

function pathOf(error: ErrorObject): (string | number)[] {
  const parts = error.instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  if (error.keyword === "required") parts.push(error.params.missingProperty);
  if (error.keyword === "additionalProperties") parts.push(error.params.additionalProperty);
  return parts;
}

function describe(error: ErrorObject): string {
  switch (error.keyword) {
    case "required":
      return "is required";
    case "additionalProperties":
      return "is not known here";
    case "enum": {
      const allowed: readonly unknown[] = error.params.allowedValues;
      return `must be one of ${allowed.join(", ")}`;
    }
    case "const":
      return `must be ${JSON.stringify(error.params.allowedValue)}`;
    case "pattern":
      return `must be ${error.parentSchema?.description}`;
    default:
      return error.message ?? "is not valid";
  }
}

function issueOf(error: ErrorObject): Issue {
  const path = pathOf(error);
  const name = path.length > 0 ? path.join(".") : "The body";
  const empty = error.keyword === "minLength" && error.data === "";
  return {
    path,
    code: CODES[error.keyword] ?? "invalid_value",
    message: empty ? `${name} must not be empty` : `${name} ${describe(error)}`,
  };
}

/** A member that may be null is written `anyOf [schema, null]`: both branches complain, one is meant. */
function speaksForNull(error: ErrorObject): boolean {
  return error.keyword === "type" && error.params.type === "null";
}

/** Each issue once; of a value of another type nothing else need be said. */
function distinct(issues: Issue[]): Issue[] {
  const placeOf = ({ path }: Issue) => JSON.stringify(path);
  const mistyped = new Set(issues.filter(({ code }) => code === "invalid_type").map(placeOf));
  const seen = new Set<string>();
  return issues.filter((issue) => {
    const place = placeOf(issue);
    const key = `${place} ${issue.code}`;
    if (seen.has(key) || (mistyped.has(place) && issue.code !== "invalid_type")) return false;
    return seen.add(key);
  });
}

export function compile<S extends TSchema>(schema: S): Check<S> {
  const fits: ValidateFunction = quick.compile(schema);
  let explain: ValidateFunction | undefined;
  const check = (value: unknown): value is Static<S> => fits(value);
  const issues = (value: unknown): Issue[] => {
    const explaining = explain ?? thorough.compile(schema);
    explain = explaining;
    if (explaining(value)) return [];
    const errors = (explaining.errors ?? []).filter(
      (error) => !COMPOSITE.has(error.keyword) && !speaksForNull(error),
    );
    return distinct(errors.map(issueOf));
  };
  return Object.assign(check, { issues });
}
