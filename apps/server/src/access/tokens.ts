/** Access tokens: list, create, revoke, and sign in with a one-time code (docs/api/access.md). */
import {
  type CreateTokenBody,
  type Issue,
  LIMITS,
  lowerRole,
  type Role,
  type Token,
} from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import { startsWithValidDay, toIsoTime, toIsoTimeOrNull } from "../core/time.ts";
import { hashToken, makeToken } from "../core/token.ts";
import { isServiceAccount } from "../core/users.ts";
import type { Call, Handler } from "../http/handler.ts";
import type { SignInFailure } from "../ledger/catalog.ts";
import type { Catalog } from "../ledger/ledger.ts";
import type { TokenRecord } from "../ledger/records.ts";
import { INVITATION_ENDED, renderOffer, TOO_MANY_MEMBERS } from "./invitations.ts";
import { hashPassword } from "./link-passwords.ts";
import { readName } from "./names.ts";
import { requireRoleUpTo } from "./permissions.ts";
import type { NoteRefusal } from "./sign-in.ts";

const renderCommonFields = ({ tokenId, hint, label, userId, expiresAt, createdAt }: TokenRecord) => ({
  tokenId,
  hint,
  label,
  userId,
  expiresAt: toIsoTimeOrNull(expiresAt),
  createdAt: toIsoTime(createdAt),
});
export const renderToken = (token: TokenRecord): Token => ({
  ...renderCommonFields(token),
  organizationId: token.organizationId,
  ceiling: token.ceiling,
  sourceId: token.sourceId,
  scope: token.scope,
  hasPassword: token.passwordHash !== null,
  lastUsedAt: toIsoTimeOrNull(token.lastUsedAt),
  revokedAt: toIsoTimeOrNull(token.revokedAt),
});
/** The only response that contains the token itself. */
const renderNewToken = (record: TokenRecord, token: string) => ({ ...renderCommonFields(record), token });

const DATE_TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/i;

/** The first time whose year has five digits. */
const YEAR_10000 = Date.UTC(10_000, 0, 1);

function expiryRefusal(code: Issue["code"], message: string): Refusal {
  return new Refusal("invalid_payload", { issues: [{ path: ["expiresAt"], code, message }] });
}

/** Reads an ISO 8601 date-time in the future. Without a time zone it is UTC. Throws 422 `invalid_payload`. */
function readExpiry(text: string, now: number): number {
  const [whole, day, zone] = DATE_TIME.exec(text) ?? [];
  const at = whole === undefined ? Number.NaN : Date.parse(zone ? whole : `${whole}Z`);
  if (Number.isNaN(at) || !day || !startsWithValidDay(day))
    throw expiryRefusal("invalid_timestamp", "expiresAt must be an ISO 8601 date-time");
  if (at <= now) throw expiryRefusal("invalid_value", "expiresAt must be in the future");
  if (at >= YEAR_10000) throw expiryRefusal("invalid_value", "expiresAt must be before the year 10000 (UTC)");
  return at;
}

/** The earlier one of two times. null: never. */
const earlierOf = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/** Applies the same rule to a body of any shape (`FieldRules`). */
export function checkExpiry({ expiresAt }: Readonly<Record<string, unknown>>, now: number): void {
  if (typeof expiresAt === "string") readExpiry(expiresAt, now);
}

/**
 * `allWorkspaces`, `userId` and `sourceId` exclude each other, `scope` needs `sourceId`, and only a shared link can have a
 * password.
 * For a body of any shape (`FieldRules`).
 */
export function checkReach(body: Readonly<Record<string, unknown>>): void {
  const { allWorkspaces, userId, sourceId, scope, password } = body;
  const hasSource = typeof sourceId === "string";
  const issues: Issue[] = [];
  if (typeof userId === "string" && hasSource) {
    const message = "userId cannot be combined with sourceId: the token belongs to the source";
    issues.push({ path: ["userId"], code: "invalid_value", message });
  }
  if (allWorkspaces === true && hasSource) {
    const message = "allWorkspaces cannot be combined with sourceId";
    issues.push({ path: ["allWorkspaces"], code: "invalid_value", message });
  }
  if (typeof scope === "string" && !hasSource)
    issues.push({ path: ["sourceId"], code: "required", message: "scope needs a sourceId" });
  if (typeof password === "string" && (!hasSource || scope === "ingest")) {
    const message = "password needs a sourceId and the scope `stats`";
    issues.push({ path: ["password"], code: "invalid_value", message });
  }
  if (issues.length > 0) throw new Refusal("invalid_payload", { issues });
}

/** Lists the tokens of the workspace, and to a person their own tokens for all workspaces. */
export const listTokens =
  (catalog: Catalog): Handler<"listTokens"> =>
  async ({ organizationId, actor, isPerson, query }) => {
    const page = { organizationId, limit: query.limit ?? LIMITS.maxPageSize, cursor: query.cursor ?? null };
    const includeUserWide = isPerson ? { userId: actor.userId } : null;
    const { rows, nextCursor } = await catalog.tokens({
      ...page,
      includeUserWide,
      sourceId: query.sourceId ?? null,
      scope: query.scope ?? null,
    });
    return { body: { tokens: rows.map(renderToken), nextCursor } };
  };

/** A token for all workspaces can be created only by its own user, who has to be signed in. */
function requireAllWorkspaces({ actor, isPerson }: Call<"createToken">, userId: string): void {
  if (userId === actor.userId && isPerson) return;
  throw new Refusal("permission_denied", {
    message: "Only a person who is signed in can create a token for all of their workspaces.",
    hint: "Sign in to the console, or omit `allWorkspaces` to create a token for this workspace.",
  });
}

/** The role that the token acts with. It acts for the caller or for a service account, never for another person. */
async function roleOfUser(catalog: Catalog, call: Call<"createToken">, userId: string): Promise<Role> {
  if (userId === call.actor.userId) return call.role;
  if (!isServiceAccount(userId))
    throw new Refusal("permission_denied", {
      message: "Nobody can create a token that acts for another person.",
      hint: "Create a service account (POST /api/members), and a token with its `userId`.",
    });
  const role = await catalog.roleOf({ userId, organizationId: call.organizationId });
  if (role === null) throw new Refusal("member_not_found");
  return role;
}

async function requireSource(catalog: Catalog, call: Call<"createToken">, sourceId: string): Promise<void> {
  const source = await catalog.source({ sourceId, now: call.now });
  if (source?.organizationId !== call.organizationId) throw new Refusal("source_not_found");
}

/** The creator's own role: if the user of the token gets a higher role later, the token must not give it to the creator. */
function ceilingOf({ role }: Call<"createToken">, { allWorkspaces, sourceId }: CreateTokenBody): Role | null {
  if (sourceId != null) return "viewer";
  return allWorkspaces ? null : role;
}

export const createToken =
  (catalog: Catalog, newId: (prefix: string) => string): Handler<"createToken"> =>
  async (call) => {
    const { organizationId, actor, body, now } = call;
    const userId = body.userId ?? actor.userId;
    const label = readName("label", body.label);
    const asked = body.expiresAt == null ? null : readExpiry(body.expiresAt, now);
    const expiresAt = earlierOf(asked, call.grantsUntil);
    if (body.allWorkspaces) requireAllWorkspaces(call, userId);
    if (body.sourceId != null) await requireSource(catalog, call, body.sourceId);
    requireRoleUpTo(call.role, await roleOfUser(catalog, call, userId));

    const made = makeToken();
    const token: TokenRecord = {
      tokenId: newId("tok"),
      organizationId: body.allWorkspaces ? null : organizationId,
      userId,
      ceiling: ceilingOf(call, body),
      sourceId: body.sourceId ?? null,
      scope: body.sourceId == null ? null : (body.scope ?? "stats"),
      passwordHash: body.password == null ? null : await hashPassword(actor.userId, body.password),
      label,
      hint: made.hint,
      expiresAt,
      revokedAt: null,
      lastUsedAt: null,
      createdAt: now,
    };
    const stored = { hash: made.hash, token, actor, now };
    const outcome = await catalog.createToken(stored);
    if (outcome === "limit_reached") {
      throw new Refusal("limit_reached", {
        message: `At most ${SERVER_LIMITS.maxTokens} access tokens can be in use at the same time.`,
        hint: "Revoke tokens that are no longer used, or create tokens with an expiry.",
      });
    }
    return { body: renderNewToken(token, made.token), headers: { Location: `/api/tokens/${token.tokenId}` } };
  };

/** The caller can revoke tokens of the workspace, and a person also their own tokens for all workspaces. */
function isRevocable({ organizationId, actor, isPerson }: Call<"revokeToken">, token: TokenRecord): boolean {
  if (token.organizationId !== null) return token.organizationId === organizationId;
  return isPerson && token.userId === actor.userId;
}

/** Callers cannot revoke a token that acts with a role above their own. */
export const revokeToken =
  (catalog: Catalog): Handler<"revokeToken"> =>
  async (call) => {
    const { organizationId, params, actor, now } = call;
    const token = await catalog.token({ tokenId: params.tokenId });
    if (!token || !isRevocable(call, token)) throw new Refusal("token_not_found");
    const isOfSource = token.sourceId !== null;
    const role = isOfSource ? null : await catalog.roleOf({ userId: token.userId, organizationId });
    if (role !== null) requireRoleUpTo(call.role, lowerRole(role, token.ceiling));
    const revoked = await catalog.revokeToken({ tokenId: token.tokenId, actor, now });
    if (revoked === "unknown") throw new Refusal("token_not_found");
    return { body: { tokenId: revoked.tokenId, revokedAt: toIsoTime(revoked.revokedAt ?? now) } };
  };

const SIGN_IN_HINT = "Run `headwater sign-in` on the server for a new link, or sign in with an access token.";

interface SignInDeps {
  readonly catalog: Catalog;
  readonly newId: (prefix: string) => string;
  /** How long the token lives that a sign-in link makes. */
  readonly consoleTokenMs: number;
  readonly noteRefusal: NoteRefusal;
}

/** @throws Refusal when the code of a sign-in cannot be used */
function requireUsableCode<T extends object>(outcome: T | SignInFailure): asserts outcome is T {
  if (outcome === "unknown") {
    const message = "The sign-in code is unknown. Each code works once.";
    throw new Refusal("invalid_token", { message, hint: SIGN_IN_HINT });
  }
  if (outcome === "expired") {
    throw new Refusal("expired_token", { message: "The sign-in code has expired.", hint: SIGN_IN_HINT });
  }
  if (outcome === "invitation_ended") throw new Refusal("invalid_code", INVITATION_ENDED);
  if (outcome === "limit_reached") throw new Refusal("limit_reached", TOO_MANY_MEMBERS);
}

/** Whose account the code of a sign-in link opens. The code stays as it is. */
export const readSignInCode =
  ({ catalog, noteRefusal }: Pick<SignInDeps, "catalog" | "noteRefusal">): Handler<"readSignInCode"> =>
  async ({ body, now }) => {
    const offer = await catalog.readSignInCode({ codeHash: hashToken(body.code), now });
    if (offer === "unknown") await noteRefusal("unknown_code", now);
    requireUsableCode(offer);
    const { invitation, expiresAt, ...account } = offer;
    return {
      body: {
        ...account,
        invitation: invitation && renderOffer(invitation),
        expiresAt: toIsoTime(expiresAt),
      },
    };
  };

/** Exchanges the one-time code of a sign-in link for a token. */
export const signIn =
  ({ catalog, newId, consoleTokenMs, noteRefusal }: SignInDeps): Handler<"signIn"> =>
  async ({ body, now }) => {
    const { token, hash, hint } = makeToken();
    const created = { tokenId: newId("tok"), hash, hint, label: "Console" };
    const codeHash = hashToken(body.code);
    const outcome = await catalog.signIn({ codeHash, token: created, expiresAt: now + consoleTokenMs, now });
    if (outcome === "unknown") await noteRefusal("unknown_code", now);
    requireUsableCode(outcome);
    return { body: renderNewToken(outcome, token) };
  };

/** Other tokens stay valid, because programs may use them too. */
export const signOut =
  (catalog: Catalog): Handler<"signOut"> =>
  async ({ actor, now }) => {
    const { tokenId } = actor;
    const token = tokenId === null ? null : await catalog.token({ tokenId });
    if (token?.scope !== "console") return { body: { revoked: false } };
    await catalog.revokeToken({ tokenId: token.tokenId, actor, now });
    return { body: { revoked: true } };
  };
