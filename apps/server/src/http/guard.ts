/**
 * The checks before every workspace operation, driven by its entry of the table, in the order of docs/api/conventions.md,
 * "The order of checks". The handler checks the state (409).
 */

import {
  type Access,
  lowerRole,
  type Operation,
  type Permission,
  ROLE_PERMISSIONS,
  type Role,
  type TokenScope,
} from "@headwater/contract";
import { isUnchanged, memberOf } from "../core/members.ts";
import { issueAt, Refusal, requireNoIssues } from "../core/refusal.ts";
import { requirePerson } from "../core/users.ts";
import type { Catalog } from "../ledger/ledger.ts";
import type { QueriedSource, SourceRecord } from "../ledger/records.ts";
import {
  createClientRateLimiter,
  createRateLimiter,
  type Rate,
  type RateLimiter,
  rateRefusal,
  requireRate,
} from "../overload/rate-limit.ts";
import type { Caller, FieldRules } from "./handler.ts";
import {
  findIssues,
  type Incoming,
  type Input,
  organizationIdsIn,
  readInput,
  readParams,
  sourceIdsIn,
} from "./input.ts";

interface GuardDeps {
  readonly ledger: Pick<Catalog, "source" | "severalSources" | "roleOf">;
  readonly authenticate: (
    authorization: string | undefined,
    now: number,
    goesOn?: boolean,
  ) => Promise<Caller>;
  readonly rates: { readonly token: Rate; readonly failedAuth: Rate; readonly client: Rate };
  /** How many nodes share the rates, this one included. */
  readonly nodes: () => number;
  readonly rules: FieldRules;
}

/** The workspace and source that a request is about, and what the caller may do there. */
interface CallerScope {
  readonly organizationId: string | null;
  readonly role: Role | null;
  readonly permissions: readonly Permission[];
  readonly source: SourceRecord | null;
  /** All sources of the request, of one workspace; the first is `source`. */
  readonly sources: readonly QueriedSource[];
}
export type Admitted = CallerScope & Input & { readonly params: Readonly<Record<string, string>> };

const NO_SCOPE: CallerScope = {
  organizationId: null,
  role: null,
  permissions: [],
  source: null,
  sources: [],
};

/** Finds a source of any workspace. Whether the caller may know of it is checked next. */
async function findSource(ledger: GuardDeps["ledger"], sourceId: string, now: number): Promise<SourceRecord> {
  const source = await ledger.source({ sourceId, now });
  if (!source) throw new Refusal("source_not_found");
  return source;
}

/** Finds the sources in the order of their ids, and the first of them in full. */
async function findSources(
  ledger: GuardDeps["ledger"],
  sourceIds: readonly string[],
  now: number,
): Promise<Pick<CallerScope, "source" | "sources">> {
  const [first, ...others] = sourceIds;
  if (first === undefined) return { source: null, sources: [] };
  const source = await findSource(ledger, first, now);
  if (others.length === 0) return { source, sources: [source] };
  const found = [source, ...(await ledger.severalSources({ sourceIds: others }))];
  const byId = new Map(found.map((one) => [one.sourceId, one]));
  const sources = sourceIds.flatMap((sourceId) => byId.get(sourceId) ?? []);
  if (sources.length < sourceIds.length) throw new Refusal("source_not_found");
  return { source, sources };
}

/**
 * A token of one workspace gives no membership of another one, and no more rights than its ceiling. A token of a source
 * belongs to the source's workspace, whether or not its creator is still a member.
 */
async function requireMember(
  ledger: GuardDeps["ledger"],
  { actor, limitedTo, ceiling, scope }: Caller,
  organizationId: string,
): Promise<Role> {
  const isInScope = limitedTo === null || limitedTo === organizationId;
  if (isInScope && scope !== null) return "viewer";
  const role = isInScope ? await ledger.roleOf({ userId: actor.userId, organizationId }) : null;
  if (role === null) throw new Refusal("not_a_member");
  return lowerRole(role, ceiling);
}

function requirePermission(needed: Permission, role: Role, permissions: readonly Permission[]): void {
  if (permissions.includes(needed)) return;
  throw new Refusal("permission_denied", {
    message: `Your role in this workspace (${role}) does not have the ${needed} permission.`,
    hint: `Ask an admin of the workspace for a role that has ${needed}.`,
  });
}

const SCOPE_TEXTS: Readonly<Record<TokenScope, string>> = {
  stats: "read one source's stats",
  ingest: "send one source's events",
};

/** A token for one source may only do what its scope says, even if its user has more permissions. */
function requireTokenScope(caller: Caller, { access }: Operation, source: QueriedSource | null): void {
  if (caller.scope === null) return;
  if (caller.scope === "stats" && access === "stats:read" && source?.sourceId === caller.sourceId) {
    if (caller.isLocked) throw new Refusal("password_required");
    return;
  }
  throw new Refusal("permission_denied", {
    message: `This token may only ${SCOPE_TEXTS[caller.scope]}.`,
    hint: "Use a member's token instead.",
  });
}

const isOfWorkspace = (access: Access): access is "member" | Permission =>
  access !== "public" && access !== "public-key" && access !== "person" && access !== "token";

/** Requires the operation's permission, and a further one when the body changes certain members. */
function requirePermissions(
  operation: Operation,
  { role, permissions, source }: CallerScope,
  body: unknown,
): void {
  const { access, elevated } = operation;
  if (role === null || !isOfWorkspace(access)) return;
  if (access !== "member") requirePermission(access, role, permissions);
  const hasElevated =
    elevated !== undefined &&
    typeof body === "object" &&
    body !== null &&
    elevated.fields.some(
      (field) => Object.hasOwn(body, field) && !isUnchanged(memberOf(body, field), memberOf(source, field)),
    );
  if (hasElevated) requirePermission(elevated.permission, role, permissions);
}

/** Query and body may both contain an organization id. Each must be that of the request's workspace. */
function requireSameOrganization(given: readonly string[], { source, organizationId }: CallerScope): void {
  if (given.every((id) => id === organizationId)) return;
  if (source) throw new Refusal("source_not_found");
  requireNoIssues([issueAt("organizationId", "organizationId differs between query and body")]);
}

export class Guard {
  readonly #deps: GuardDeps;
  readonly #tokens: RateLimiter;
  readonly #failures: RateLimiter;
  readonly #publicRequests: RateLimiter;

  constructor(deps: GuardDeps) {
    const { rates, nodes } = deps;
    this.#deps = deps;
    this.#tokens = createRateLimiter({ ...rates.token, nodes });
    this.#failures = createClientRateLimiter({ ...rates.failedAuth, nodes });
    this.#publicRequests = createClientRateLimiter({ ...rates.client, nodes });
  }

  /** Counts a failed sign-in as a failed authentication. Returns the 429 when there were too many. */
  countFailure(clientAddress: string, now: number): Refusal | null {
    const message = "Too many failed authentications from this address.";
    return rateRefusal(this.#failures.rate, this.#failures.take(clientAddress, now), { message });
  }

  /** Counts a public document or page. @throws Refusal 429 */
  requirePublicRate(clientAddress: string, now: number): void {
    requireRate(this.#publicRequests, clientAddress, now, "Too many requests from this address.");
  }

  /**
   * Checks the token and its rate. Returns null for a public operation.
   * @throws Refusal 401 or 429
   */
  async identify(
    operation: Operation,
    authorization: string | undefined,
    clientAddress: string,
    now: number,
  ): Promise<Caller | null> {
    if (operation.hasClientRate) this.requirePublicRate(clientAddress, now);
    if (operation.access === "public") return null;
    const caller = await this.#deps.authenticate(authorization, now).catch((error: unknown) => {
      // a request without a token is not counted
      const isBadToken = error instanceof Refusal && error.status === 401 && error.code !== "missing_token";
      throw isBadToken ? (this.countFailure(clientAddress, now) ?? error) : error;
    });
    const { tokenId, userId } = caller.actor;
    requireRate(this.#tokens, tokenId ?? `user ${userId}`, now, "Too many requests with this token.");
    return caller;
  }

  /**
   * Makes all further checks before the handler.
   * @throws Refusal 403, 404, 413, 415 or 422
   */
  async admit(
    operation: Operation,
    caller: Caller | null,
    incoming: Incoming,
    now: number,
  ): Promise<Admitted> {
    const { ledger, rules } = this.#deps;
    const input = readInput(operation, incoming);
    const params = readParams(incoming.params);
    const listIssues = () => findIssues(operation, input, rules, now);
    const given = organizationIdsIn(operation, input, listIssues);
    const sourceIds = sourceIdsIn(operation, input, params, listIssues);
    const about = await findSources(ledger, sourceIds, now);
    const organizationId = about.source?.organizationId ?? given.at(-1);
    if (about.sources.some((one) => one.organizationId !== organizationId))
      throw new Refusal("source_not_found");
    const scope =
      caller === null || organizationId === undefined
        ? NO_SCOPE
        : await this.#findScope(caller, organizationId, about);
    if (caller) {
      for (const source of about.sources.length === 0 ? [null] : about.sources)
        requireTokenScope(caller, operation, source);
      if (operation.access === "person") requirePerson(caller);
    }
    requirePermissions(operation, scope, input.body);
    requireSameOrganization(given, scope);
    requireNoIssues(listIssues());
    return { ...scope, ...input, params };
  }

  /**
   * Checks again, during a long answer, whether the caller may see it.
   * @throws Refusal when the caller no longer may
   */
  async recheck(
    operation: Operation,
    authorization: string | undefined,
    { organizationId, source, sources }: CallerScope,
    now: number,
  ): Promise<void> {
    const caller = await this.#deps.authenticate(authorization, now, true);
    if (organizationId === null) return;
    if (source) await findSource(this.#deps.ledger, source.sourceId, now);
    const scope = await this.#findScope(caller, organizationId, { source, sources });
    requireTokenScope(caller, operation, source);
    requirePermissions(operation, scope, undefined);
  }

  async #findScope(
    caller: Caller,
    organizationId: string,
    about: Pick<CallerScope, "source" | "sources">,
  ): Promise<CallerScope> {
    const role = await requireMember(this.#deps.ledger, caller, organizationId);
    return { organizationId, role, permissions: ROLE_PERMISSIONS[role], ...about };
  }
}
