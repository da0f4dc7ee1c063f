/**
 * The order of checks of every workspace route (CONTRACT section 1), driven by the route's entry of the table:
 * token, rate, JSON and shape of `organizationId` (422), source exists (404), member (403), permission (403),
 * `organizationId` matches (404), the rest of query and body (422). What the handler finds comes last (409).
 */

import { type Operation, type Permission, type Role, roleUnder } from "@headwater/contract";
import type { Caller, FieldRules } from "../core/handler.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import {
  createRateLimiter,
  type Rate,
  type RateLimiter,
  rateHeaders,
  type TakenToken,
} from "../core/rate-limit.ts";
import type { SourceRecord } from "../core/records.ts";
import { Refusal } from "../core/refusal.ts";
import type { Catalog } from "../ledger/ledger.ts";
import {
  type Incoming,
  type Input,
  inputIssues,
  organizationsGiven,
  readInput,
  readParams,
  requireNone,
  sourceGiven,
} from "./input.ts";

/** What the guard asks of others. */
export interface GuardDeps {
  readonly ledger: Pick<Catalog, "source" | "roleOf">;
  readonly authenticate: (authorization: string | undefined, now: number) => Promise<Caller>;
  readonly permissionsOf: (role: Role) => readonly Permission[];
  readonly rates: { readonly token: Rate; readonly failedAuth: Rate };
  /** How many share those rates, this one among them. */
  readonly nodes: () => number;
  readonly rules: FieldRules;
}

/** Where a caller stands in the workspace that a request is about. */
export interface Standing {
  readonly organizationId: string | null;
  readonly role: Role | null;
  readonly permissions: readonly Permission[];
  readonly source: SourceRecord | null;
}
export type Admitted = Standing & Input & { readonly params: Readonly<Record<string, string>> };

export interface Guard {
  /** Token, then rate; null for a public operation. */
  identify(
    operation: Operation,
    authorization: string | undefined,
    clientAddress: string,
    now: number,
  ): Promise<Caller | null>;
  /** Everything after, up to the handler. */
  admit(operation: Operation, caller: Caller | null, incoming: Incoming, now: number): Promise<Admitted>;
  /** Does what was admitted still hold? For answers that go on for long; throws when it does not. */
  recheck(
    operation: Operation,
    authorization: string | undefined,
    admitted: Standing,
    now: number,
  ): Promise<void>;
  /** A failed sign-in counts as a failed authentication. */
  countFailure(clientAddress: string, now: number): Refusal | null;
}

const OUTSIDE = { organizationId: null, role: null, permissions: [], source: null } as const;

function rateRefusal(limiter: RateLimiter, taken: TakenToken, message: string): Refusal {
  const { retryAfterSeconds } = taken;
  return new Refusal("rate_limited", {
    message,
    retryAfterSeconds,
    headers: rateHeaders(limiter.rate, taken),
  });
}

/** A source is looked for by its id alone: whether the caller may know of it is decided next. */
async function sourceOf(ledger: GuardDeps["ledger"], sourceId: string, now: number): Promise<SourceRecord> {
  const source = await ledger.source({ sourceId, now });
  if (!source) throw new Refusal("source_not_found");
  return source;
}

/** A token that opens one workspace makes its user a stranger in every other, and goes no further than its ceiling. */
async function requireMember(
  ledger: GuardDeps["ledger"],
  caller: Caller,
  organizationId: string,
): Promise<Role> {
  const { actor, limitedTo, ceiling } = caller;
  const within = limitedTo === null || limitedTo === organizationId;
  const role = within ? await ledger.roleOf({ userId: actor.userId, organizationId }) : null;
  if (role === null) throw new Refusal("not_a_member");
  return roleUnder(role, ceiling);
}

function requirePermission(needed: Permission, role: Role, permissions: readonly Permission[]): void {
  if (permissions.includes(needed)) return;
  throw new Refusal("permission_denied", {
    message: `Your role in this workspace (${role}) does not have the permission ${needed}.`,
    hint: `Ask an admin of the workspace for a role that has ${needed}.`,
  });
}

/** A token for one source's numbers opens what asks for them, and nothing else whatever its user may. */
function requireWithin(caller: Caller, { access }: Operation, source: SourceRecord | null): void {
  if (caller.sourceId === null) return;
  if (access === "stats:read" && source?.sourceId === caller.sourceId) return;
  throw new Refusal("permission_denied", {
    message: "This token opens the numbers of one source and nothing else.",
    hint: "Use a token of a member for everything else.",
  });
}

/** The operation's own permission, and the one that some members of the body need besides. */
function requirePermissions(operation: Operation, { role, permissions }: Standing, body: unknown): void {
  const { access, elevated } = operation;
  if (role === null || access === "public" || access === "public-key" || access === "token") return;
  if (access !== "member") requirePermission(access, role, permissions);
  const reaches =
    elevated &&
    typeof body === "object" &&
    body !== null &&
    elevated.fields.some((field) => Object.hasOwn(body, field));
  if (reaches) requirePermission(elevated.permission, role, permissions);
}

/** Both places may name a workspace; each must be the one that the request is about. */
function requireMatch(given: readonly string[], { source, organizationId }: Standing): void {
  if (given.every((one) => one === organizationId)) return;
  if (source) throw new Refusal("source_not_found");
  const message = "organizationId differs between query and body";
  throw new Refusal("invalid_payload", {
    issues: [{ path: ["organizationId"], code: "invalid_value", message }],
  });
}

export function createGuard({ ledger, authenticate, permissionsOf, rates, nodes, rules }: GuardDeps): Guard {
  const tokens = createRateLimiter({ ...rates.token, nodes, maxKeys: SERVER_LIMITS.rateBuckets });
  const failures = createRateLimiter({ ...rates.failedAuth, nodes, maxKeys: SERVER_LIMITS.rateBuckets });

  function countFailure(clientAddress: string, now: number): Refusal | null {
    const taken = failures.take(clientAddress, now);
    return taken.ok
      ? null
      : rateRefusal(failures, taken, "Too many failed authentications from this address.");
  }

  /** No token is no try: only one that fails is counted. */
  function refusalOf(error: unknown, clientAddress: string, now: number): unknown {
    const failed = error instanceof Refusal && error.status === 401 && error.code !== "missing_token";
    return failed ? (countFailure(clientAddress, now) ?? error) : error;
  }

  async function identify(
    operation: Operation,
    authorization: string | undefined,
    clientAddress: string,
    now: number,
  ) {
    if (operation.access === "public") return null;
    let caller: Caller;
    try {
      caller = await authenticate(authorization, now);
    } catch (error) {
      throw refusalOf(error, clientAddress, now);
    }
    const taken = tokens.take(caller.actor.tokenId ?? `user ${caller.actor.userId}`, now);
    if (!taken.ok) throw rateRefusal(tokens, taken, "Too many requests with this token.");
    return caller;
  }

  async function standingOf(
    caller: Caller,
    organizationId: string,
    source: SourceRecord | null,
  ): Promise<Standing> {
    const role = await requireMember(ledger, caller, organizationId);
    return { organizationId, role, permissions: permissionsOf(role), source };
  }

  async function admit(
    operation: Operation,
    caller: Caller | null,
    incoming: Incoming,
    now: number,
  ): Promise<Admitted> {
    const input = readInput(operation, incoming);
    const params = readParams(incoming.params);
    const issues = () => inputIssues(operation, input, rules, now);
    const given = organizationsGiven(operation, input, issues);
    const sourceId = sourceGiven(operation, input, params, issues);
    const source = sourceId === null ? null : await sourceOf(ledger, sourceId, now);
    const organizationId = source?.organizationId ?? given.at(-1);
    const standing =
      caller === null || organizationId === undefined
        ? OUTSIDE
        : await standingOf(caller, organizationId, source);
    if (caller) requireWithin(caller, operation, source);
    requirePermissions(operation, standing, input.body);
    requireMatch(given, standing);
    requireNone(issues());
    return { ...standing, ...input, params };
  }

  async function recheck(
    operation: Operation,
    authorization: string | undefined,
    admitted: Standing,
    now: number,
  ) {
    const caller = await authenticate(authorization, now);
    if (admitted.organizationId === null) return;
    if (admitted.source) await sourceOf(ledger, admitted.source.sourceId, now);
    const standing = await standingOf(caller, admitted.organizationId, admitted.source);
    requireWithin(caller, operation, admitted.source);
    requirePermissions(operation, standing, undefined);
  }

  return { identify, admit, recheck, countFailure };
}
