/** What a request says, held against its entry of the table of operations (CONTRACT section 1). */
import type { IncomingHttpHeaders } from "node:http";
import type { Issue, Operation, OperationId } from "@headwater/contract";
import type { TSchema } from "typebox";
import type { FieldRules } from "../core/handler.ts";
import { Refusal } from "../core/refusal.ts";
import { storable } from "../core/text.ts";
import { type Check, compile } from "../core/validate.ts";
import { parseBody, type RawBody, storageIssues } from "./json-body.ts";

/** As it came. */
export interface Incoming {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: RawBody;
}

/** Read, not yet checked. */
export interface Input {
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

const checks = new WeakMap<TSchema, Check<TSchema>>();

/** Compiled when first needed: most starts use few of them. */
function checkOf(schema: TSchema): Check<TSchema> {
  let check = checks.get(schema);
  if (!check) {
    check = compile(schema);
    checks.set(schema, check);
  }
  return check;
}

function queryValue(schema: TSchema | undefined, value: string | string[]): unknown {
  if (typeof value !== "string") return value;
  const isInteger = (schema as { type?: string } | undefined)?.type === "integer";
  return isInteger && /^-?\d{1,15}$/.test(value) ? Number(value) : storable(value);
}

/** The ids of a path. What no store can hold never was an id: it finds nothing. */
export const readParams = (params: Incoming["params"]): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, storable(value)]));

/** Text but for integers; an operation without a query schema looks at none of it. */
function readQuery(operation: Operation, query: Incoming["query"]): Record<string, unknown> {
  if (!operation.query) return {};
  const { properties } = operation.query as unknown as { properties: Record<string, TSchema> };
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, queryValue(properties[name], value)]),
  );
}

/** The first step of the order: JSON. A body that may be missing counts as an empty object. */
export function readInput(operation: Operation, incoming: Incoming): Input {
  const query = readQuery(operation, incoming.query);
  if (!operation.body) return { query, body: undefined };
  const body = parseBody(incoming.body, incoming.headers);
  if (body === undefined && operation.bodyOptional) return { query, body: {} };
  return { query, body };
}

function bodyIssues(operation: Operation, body: unknown): Issue[] {
  if (!operation.body) return [];
  if (body === undefined) return [{ path: [], code: "required", message: "The body is required" }];
  const check = checkOf(operation.body);
  return [...(check(body) ? [] : check.issues(body)), ...storageIssues(body)];
}

function queryIssues(operation: Operation, query: Input["query"]): Issue[] {
  if (!operation.query) return [];
  const check = checkOf(operation.query);
  return check(query) ? [] : check.issues(query);
}

function issuesThrown(rule: () => unknown): Issue[] {
  try {
    rule();
    return [];
  } catch (error) {
    if (error instanceof Refusal && error.detail.issues) return error.detail.issues;
    throw error;
  }
}

/** What the rules of an operation's fields say of a body, whatever its schema says. */
function ruleIssues(operation: Operation, body: unknown, rules: FieldRules, now: number): Issue[] {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return [];
  const ofOperation = rules[operation.id as OperationId] ?? [];
  return ofOperation.flatMap((rule) => issuesThrown(() => rule(body as Record<string, unknown>, now)));
}

/** All that is wrong with query and body; of a field that has a wrong shape no more than that. */
export function inputIssues(
  operation: Operation,
  { query, body }: Input,
  rules: FieldRules,
  now: number,
): Issue[] {
  const ofShape = [...queryIssues(operation, query), ...bodyIssues(operation, body)];
  const named = new Set(ofShape.map(({ path }) => path.join(".")));
  const ofRules = ruleIssues(operation, body, rules, now);
  return [...ofShape, ...ofRules.filter(({ path }) => !named.has(path.join(".")))];
}

/** Throws one 422 with all of them. */
export function requireNone(issues: Issue[]): void {
  if (issues.length > 0) throw new Refusal("invalid_payload", { issues });
}

const member = (body: unknown, field: string): unknown =>
  typeof body === "object" && body !== null && !Array.isArray(body) && Object.hasOwn(body, field)
    ? (body as Record<string, unknown>)[field]
    : undefined;

const isId = (value: unknown): value is string =>
  typeof value === "string" && value.length >= 1 && value.length <= 200 && storable(value) === value;

/**
 * The workspaces that query and body name. Throws the 422 when one must be named and is not, or is no id; since
 * the request is then refused for its shape anyway, whatever else is wrong with it is listed too.
 */
export function organizationsGiven(operation: Operation, input: Input, inspect: () => Issue[]): string[] {
  const place = operation.organization;
  if (!place) return [];
  const inQuery = operation.query ? input.query.organizationId : undefined;
  const inBody = operation.body ? member(input.body, "organizationId") : undefined;
  const given = [inQuery, inBody].filter((value) => value !== undefined);
  const optional = place === "optional-query" || place === "optional-body";
  if (given.every(isId) && (optional || given.length > 0)) return given;

  throw unnamed("organizationId", inspect());
}

/** What must be named and is not: with it whatever else is wrong, since the request is refused for its shape anyway. */
function unnamed(field: string, issues: Issue[]): Refusal {
  const isListed = issues.some(({ path }) => path.length === 0 || path.at(-1) === field);
  const missing: Issue = { path: [field], code: "required", message: `${field} is required` };
  return new Refusal("invalid_payload", { issues: isListed ? issues : [missing, ...issues] });
}

/** The source that a request is about; null: the operation is about none. Throws the 422 when it must be named and is not. */
export function sourceGiven(
  { source: place }: Operation,
  input: Input,
  params: Incoming["params"],
  inspect: () => Issue[],
): string | null {
  if (place === undefined) return null;
  if (place === "path") return params.sourceId ?? "";
  const given = place === "query" ? input.query.sourceId : member(input.body, "sourceId");
  if (isId(given)) return given;
  throw unnamed("sourceId", inspect());
}
