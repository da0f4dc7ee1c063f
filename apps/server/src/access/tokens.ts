/** Access tokens: list, create, revoke, and sign in with a one-time code (docs/api/access.md). */

import type { IncomingHttpHeaders } from "node:http";
import {
  type CreateTokenBody,
  type Issue,
  type IssueCode,
  LIMITS,
  lowerRole,
  type Role,
  type Token,
} from "@headwater/contract";
import { HEADWATER } from "../core/command-name.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { issueAt, Refusal, requireNoIssues } from "../core/refusal.ts";
import { DAY_MS, startsWithValidDay, toIsoTime, toIsoTimeOrNull } from "../core/time.ts";
import { hashToken, makeToken } from "../core/token.ts";
import { isServiceAccount } from "../core/users.ts";
import { detectDevice } from "../devices/detect-device.ts";
import type { Call, CatalogHandler } from "../http/handler.ts";
import type { Catalog, SignInFailure } from "../ledger/ledger.ts";
import type { TokenRecord } from "../ledger/records.ts";
import { endOf } from "./authenticate.ts";
import { INVITATION_ENDED, renderOffer, TOO_MANY_MEMBERS } from "./invitations.ts";
import { hashPassword } from "./link-passwords.ts";
import { readName } from "./names.ts";
import { requireRoleUpTo } from "./permissions.ts";
import type { AccessHandler, AccessServices } from "./services.ts";
import { noteRefusal } from "./sign-in.ts";

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
export const renderNewToken = (record: TokenRecord, token: string) => ({
  ...renderCommonFields(record),
  token,
});

const DATE_TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/i;

/** The first time whose year has five digits. */
const YEAR_10000 = Date.UTC(10_000, 0, 1);

/** @throws Refusal 422 unless the expiry is so */
function requireExpiry(isSo: boolean, problem: string, code?: IssueCode): void {
  if (!isSo) requireNoIssues([issueAt("expiresAt", `expiresAt must be ${problem}`, code)]);
}

/** Reads an ISO 8601 date-time in the future. Without a time zone it is UTC. Throws 422 `invalid_payload`. */
function readExpiry(text: string, now: number): number {
  const [whole, day, zone] = DATE_TIME.exec(text) ?? [];
  const at = whole === undefined ? Number.NaN : Date.parse(zone ? whole : `${whole}Z`);
  const isTime = !Number.isNaN(at) && day !== undefined && startsWithValidDay(day);
  requireExpiry(isTime, "an ISO 8601 date-time", "invalid_timestamp");
  requireExpiry(at > now, "in the future");
  requireExpiry(at < YEAR_10000, "before the year 10000 (UTC)");
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
  if (typeof userId === "string" && hasSource)
    issues.push(
      issueAt("userId", "userId cannot be combined with sourceId, because the token belongs to the source"),
    );
  if (allWorkspaces === true && hasSource)
    issues.push(issueAt("allWorkspaces", "allWorkspaces cannot be combined with sourceId"));
  if (typeof scope === "string" && !hasSource)
    issues.push(issueAt("sourceId", "scope needs a sourceId", "required"));
  if (typeof password === "string" && (!hasSource || scope === "ingest"))
    issues.push(issueAt("password", "password needs a sourceId and the `stats` scope"));
  requireNoIssues(issues);
}

/** Lists the tokens of the workspace, and to a person their own tokens for all workspaces. */
export const listTokens: AccessHandler<"listTokens"> = async (call, { catalog, config }) => {
  const { organizationId, actor, isPerson, query, now } = call;
  const page = { organizationId, limit: query.limit ?? LIMITS.maxPageSize, cursor: query.cursor ?? null };
  const includeUserWide = isPerson ? { userId: actor.userId } : null;
  const { rows, nextCursor } = await catalog.tokens({
    ...page,
    includeUserWide,
    sourceId: query.sourceId ?? null,
    scope: query.scope ?? null,
  });
  const idleMs = config.CONSOLE_IDLE_DAYS * DAY_MS;
  const tokens = rows
    // this request uses it, which the ledger may not know yet
    .map((token) => (token.tokenId === actor.tokenId ? { ...token, lastUsedAt: now } : token))
    .map((token) => renderToken({ ...token, expiresAt: endOf(token, idleMs) }));
  return { body: { tokens, nextCursor } };
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
      message: "You cannot create a token that acts for another person.",
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

export const createToken: CatalogHandler<"createToken"> = async (call, { catalog, newId }) => {
  const { organizationId, actor, body, now } = call;
  const userId = body.userId ?? actor.userId;
  const label = readName("label", body.label);
  const requestedExpiry = body.expiresAt == null ? null : readExpiry(body.expiresAt, now);
  const expiresAt = earlierOf(requestedExpiry, call.grantsUntil);
  if (body.allWorkspaces) requireAllWorkspaces(call, userId);
  if (body.sourceId != null) await requireSource(catalog, call, body.sourceId);
  requireRoleUpTo(call.role, await roleOfUser(catalog, call, userId));

  const secret = makeToken();
  const token: TokenRecord = {
    tokenId: newId("tok"),
    organizationId: body.allWorkspaces ? null : organizationId,
    userId,
    ceiling: ceilingOf(call, body),
    sourceId: body.sourceId ?? null,
    scope: body.sourceId == null ? null : (body.scope ?? "stats"),
    passwordHash: body.password == null ? null : await hashPassword(actor.userId, body.password),
    label,
    hint: secret.hint,
    expiresAt,
    revokedAt: null,
    lastUsedAt: null,
    createdAt: now,
  };
  const stored = { hash: secret.hash, token, actor, now };
  const outcome = await catalog.createToken(stored);
  if (outcome === "limit_reached") {
    throw new Refusal("limit_reached", {
      message: `At most ${SERVER_LIMITS.maxTokens} access tokens can be in use at the same time.`,
      hint: "Revoke tokens that are no longer used, or give tokens an expiry.",
    });
  }
  return { body: renderNewToken(token, secret.token), headers: { Location: `/api/tokens/${token.tokenId}` } };
};

/** The caller can revoke tokens of the workspace, and a person also their own tokens for all workspaces. */
function isRevocable({ organizationId, actor, isPerson }: Call<"revokeToken">, token: TokenRecord): boolean {
  if (token.organizationId !== null) return token.organizationId === organizationId;
  return isPerson && token.userId === actor.userId;
}

/** Callers cannot revoke a token that acts with a role above their own. */
export const revokeToken: CatalogHandler<"revokeToken"> = async (call, { catalog }) => {
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

const SIGN_IN_HINT = `Run \`${HEADWATER} sign-in\` on the server for a new link, or sign in with an access token.`;

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
export const readSignInCode: AccessHandler<"readSignInCode"> = async ({ body, now }, services) => {
  const offer = await services.catalog.readSignInCode({ codeHash: hashToken(body.code), now });
  if (offer === "unknown") await noteRefusal(services, "unknown_code", now);
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

/** The browser and the system, such as "Chrome on macOS". Nothing else of the user agent is stored. */
function labelSession(userAgent = ""): string {
  const { browser, os } = detectDevice(userAgent.slice(0, SERVER_LIMITS.maxUserAgentLength));
  if (browser === null) return "Console";
  return os === null ? browser : `${browser} on ${os}`;
}

/** A session of the console, which a sign-in stores. */
export function makeSession(
  { newId, config }: Pick<AccessServices, "newId" | "config">,
  { headers, now }: { readonly headers: IncomingHttpHeaders; readonly now: number },
) {
  const { token, hash, hint } = makeToken();
  const stored = { tokenId: newId("tok"), hash, hint, label: labelSession(headers["user-agent"]) };
  return { token, session: { token: stored, expiresAt: now + config.CONSOLE_TOKEN_DAYS * DAY_MS, now } };
}

/** Exchanges the one-time code of a sign-in link for a token. */
export const signIn: AccessHandler<"signIn"> = async ({ body, headers, now }, services) => {
  const { catalog } = services;
  const { token, session } = makeSession(services, { headers, now });
  const outcome = await catalog.signIn({ ...session, codeHash: hashToken(body.code) });
  if (outcome === "unknown") await noteRefusal(services, "unknown_code", now);
  requireUsableCode(outcome);
  return { body: renderNewToken(outcome, token) };
};

/** Other tokens stay valid, because programs may use them too. */
export const signOut: CatalogHandler<"signOut"> = async ({ actor, rememberedId, now }, { catalog }) => {
  const { tokenId } = actor;
  if (rememberedId !== null) {
    await catalog.forgetSignIn({ rememberedId, actor, now });
    return { body: { revoked: true } };
  }
  const token = tokenId === null ? null : await catalog.token({ tokenId });
  if (token?.scope !== "console") return { body: { revoked: false } };
  await catalog.revokeToken({ tokenId: token.tokenId, actor, now });
  return { body: { revoked: true } };
};
