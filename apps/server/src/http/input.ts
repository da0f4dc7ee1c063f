/** Query, path parameters and body of a workspace request, checked against its operation (docs/api/conventions.md). */
import type { IncomingHttpHeaders } from "node:http";
import { type Issue, LIMITS, type Operation } from "@headwater/contract";
import type { TSchema } from "typebox";
import { isRecord, memberOf } from "../core/members.ts";
import { issueAt, Refusal } from "../core/refusal.ts";
import { toStorable } from "../core/text.ts";
import { type Check, compile } from "../core/validate.ts";
import type { RequestBytes } from "./body.ts";
import type { FieldRule, FieldRules } from "./handler.ts";
import { findUnstorable, parseBody } from "./json-body.ts";

export const MAX_WORKSPACE_BODY_BYTES = 65_536;

/** A request as it was sent. */
export interface Incoming {
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** A parameter that is given several times is an array. */
  readonly query: Readonly<Record<string, string | string[] | undefined>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: RequestBytes;
}

/** Query and body as values, not checked yet. */
export interface Input {
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

const checks = new WeakMap<TSchema, Check<TSchema>>();

/** Schemas are compiled when they are first used, since most processes use few of them. */
function checkOf(schema: TSchema): Check<TSchema> {
  let check = checks.get(schema);
  if (!check) {
    check = compile(schema);
    checks.set(schema, check);
  }
  return check;
}

const INTEGER = /^-?\d{1,15}$/;

/** A query parameter is text, unless its schema wants an integer. */
function queryValue(schema: unknown, value: string | string[] | undefined): unknown {
  if (typeof value !== "string") return value;
  const isInteger = memberOf(schema, "type") === "integer" && INTEGER.test(value);
  return isInteger ? Number(value) : toStorable(value);
}

/** Replaces characters that the databases reject (NUL, lone surrogates). Such an id then matches no row. */
export const readParams = (params: Incoming["params"]): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, toStorable(value)]));

/** Unknown parameters are ignored: caches, proxies and mail programs add their own. */
function readQuery({ query: schema }: Operation, query: Incoming["query"]): Record<string, unknown> {
  if (!schema) return {};
  const properties = memberOf(schema, "properties");
  const known = Object.entries(query).filter(([name]) => memberOf(properties, name) !== undefined);
  return Object.fromEntries(
    known.map(([name, value]) => [name, queryValue(memberOf(properties, name), value)]),
  );
}

export const maxBodyBytesOf = ({ maxBodyBytes }: Operation): number =>
  maxBodyBytes ?? MAX_WORKSPACE_BODY_BYTES;

/**
 * Reads query and body. A missing optional body counts as an empty object.
 * @throws Refusal 413, 415 or 422 when the body is not JSON
 */
export function readInput(operation: Operation, incoming: Incoming): Input {
  const query = readQuery(operation, incoming.query);
  if (!operation.body) return { query, body: undefined };
  const body = parseBody(incoming.body, incoming.headers, maxBodyBytesOf(operation));
  return { query, body: body === undefined && operation.bodyOptional ? {} : body };
}

function checkBody(operation: Operation, body: unknown): Issue[] {
  if (!operation.body) return [];
  if (body === undefined) return [issueAt([], "The body is required", "required")];
  const check = checkOf(operation.body);
  return [...(check(body) ? [] : check.issues(body)), ...findUnstorable(body)];
}

function checkQuery(operation: Operation, query: Input["query"]): Issue[] {
  if (!operation.query) return [];
  const check = checkOf(operation.query);
  return check(query) ? [] : check.issues(query);
}

function issuesOf(rule: FieldRule, body: Readonly<Record<string, unknown>>, now: number): Issue[] {
  try {
    rule(body, now);
    return [];
  } catch (error) {
    if (error instanceof Refusal && error.detail.issues) return error.detail.issues;
    throw error;
  }
}

/** All issues of query and body. For a field of the wrong shape, the further rules of the field are not reported. */
export function findIssues(
  operation: Operation,
  { query, body }: Input,
  rules: FieldRules,
  now: number,
): Issue[] {
  const shapeIssues = [...checkQuery(operation, query), ...checkBody(operation, body)];
  if (!isRecord(body)) return shapeIssues;
  const pathsWithIssues = new Set(shapeIssues.map(({ path }) => path.join(".")));
  const fieldRules = Object.entries(rules).find(([id]) => id === operation.id)?.[1] ?? [];
  const ruleIssues = fieldRules.flatMap((rule) => issuesOf(rule, body, now));
  return [...shapeIssues, ...ruleIssues.filter(({ path }) => !pathsWithIssues.has(path.join(".")))];
}

const MAX_ID_LENGTH = 200;
const isId = (value: unknown): value is string =>
  typeof value === "string" &&
  value.length >= 1 &&
  value.length <= MAX_ID_LENGTH &&
  toStorable(value) === value;

/** A 422 for a missing or invalid id. All other issues are listed too, since the request is refused anyway. */
function missingId(field: string, issues: Issue[]): Refusal {
  const isListed = issues.some(({ path }) => path.length === 0 || path.at(-1) === field);
  const missing = issueAt(field, `${field} is required`, "required");
  return new Refusal("invalid_payload", { issues: isListed ? issues : [missing, ...issues] });
}

/**
 * The organization ids in query and body.
 * @param listIssues called when the request is refused, to list its other issues
 * @throws Refusal 422 when the operation needs one and there is none, or one is not an id
 */
export function organizationIdsIn(operation: Operation, input: Input, listIssues: () => Issue[]): string[] {
  const place = operation.organization;
  if (!place) return [];
  const inQuery = operation.query ? input.query.organizationId : undefined;
  const inBody = operation.body ? memberOf(input.body, "organizationId") : undefined;
  const given = [inQuery, inBody].filter((value) => value !== undefined);
  const isOptional = place === "optional-query" || place === "optional-body";
  if (given.every(isId) && (isOptional || given.length > 0)) return given;
  throw missingId("organizationId", listIssues());
}

const areIds = (given: unknown): given is string[] =>
  Array.isArray(given) && given.length > 0 && given.every(isId);

/**
 * The source ids of a request; empty when the operation has none. Only the schemas of some bodies admit several.
 * @throws Refusal 422 when the operation needs one and there is none, or it is not an id
 */
export function sourceIdsIn(
  { source: place }: Operation,
  input: Input,
  params: Incoming["params"],
  listIssues: () => Issue[],
): readonly string[] {
  if (place === undefined) return [];
  if (place === "path") return [params.sourceId ?? ""];
  const given = place === "query" ? input.query.sourceId : memberOf(input.body, "sourceId");
  if (isId(given)) return [given];
  const several = place === "body" && given === undefined ? memberOf(input.body, "sourceIds") : undefined;
  if (areIds(several)) return several.slice(0, LIMITS.maxStatsSources);
  throw missingId("sourceId", listIssues());
}
