/** Listing, making and revoking access tokens (CONTRACT section 3). */
import {
  type CreateTokenBody,
  type Issue,
  LIMITS,
  type Role,
  roleUnder,
  type Token,
} from "@headwater/contract";
import type { Call, Handler } from "../core/handler.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { TokenRecord } from "../core/records.ts";
import { Refusal } from "../core/refusal.ts";
import { startsWithValidDay, toIsoTime, toIsoTimeOrNull } from "../core/time.ts";
import { makeToken } from "../core/token.ts";
import type { Catalog } from "../ledger/ledger.ts";
import { readName } from "./names.ts";
import { requireNotAbove } from "./permissions.ts";

const shared = ({ tokenId, hint, label, userId, expiresAt, createdAt }: TokenRecord) => ({
  tokenId,
  hint,
  label,
  userId,
  expiresAt: toIsoTimeOrNull(expiresAt),
  createdAt: toIsoTime(createdAt),
});
export const renderToken = (token: TokenRecord): Token => ({
  ...shared(token),
  organizationId: token.organizationId,
  ceiling: token.ceiling,
  sourceId: token.sourceId,
  lastUsedAt: toIsoTimeOrNull(token.lastUsedAt),
  revokedAt: toIsoTimeOrNull(token.revokedAt),
});
/** The one answer that holds the token itself. */
export const renderCreated = (record: TokenRecord, token: string) => ({ ...shared(record), token });

const DATE_TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/i;

/** What four digits of a year can say. */
const LAST = Date.UTC(10_000, 0, 1);

function expiryIssue(code: Issue["code"], message: string): Refusal {
  return new Refusal("invalid_payload", { issues: [{ path: ["expiresAt"], code, message }] });
}

/** An ISO 8601 date-time in the future; without a zone it is UTC. */
export function readExpiry(text: string, now: number): number {
  const [whole, day, zone] = DATE_TIME.exec(text) ?? [];
  const at = whole === undefined ? Number.NaN : Date.parse(zone ? whole : `${whole}Z`);
  if (Number.isNaN(at) || !day || !startsWithValidDay(day))
    throw expiryIssue("invalid_timestamp", "expiresAt must be an ISO 8601 date-time");
  if (at <= now) throw expiryIssue("invalid_value", "expiresAt must lie in the future");
  if (at >= LAST) throw expiryIssue("invalid_value", "expiresAt must lie before the year 10000 (UTC)");
  return at;
}

/** A rule of bodies of any shape (`FieldRules`). */
export function checkExpiry({ expiresAt }: Readonly<Record<string, unknown>>, now: number): void {
  if (typeof expiresAt === "string") readExpiry(expiresAt, now);
}

/** A rule of bodies of any shape (`FieldRules`). */
export function checkReach({ allWorkspaces, sourceId }: Readonly<Record<string, unknown>>): void {
  if (allWorkspaces !== true || typeof sourceId !== "string") return;
  const message = "a token for one source's numbers opens no workspace, and so not all of them";
  throw new Refusal("invalid_payload", {
    issues: [{ path: ["allWorkspaces"], code: "invalid_value", message }],
  });
}

/** Those of the workspace, and the caller's own for all workspaces; another user's are that user's affair. */
export const listTokens =
  (ledger: Catalog): Handler<"listTokens"> =>
  async ({ organizationId, actor, limitedTo, query }) => {
    const page = { organizationId, limit: query.limit ?? LIMITS.maxPageSize, cursor: query.cursor ?? null };
    const includeUserWide = limitedTo === null ? { userId: actor.userId } : null;
    const { rows, nextCursor } = await ledger.tokens({
      ...page,
      includeUserWide,
      sourceId: query.sourceId ?? null,
    });
    return { body: { tokens: rows.map(renderToken), nextCursor } };
  };

/** Only its own user makes a token for all workspaces, and not with one that opens a single workspace. */
function requireOwnReach({ actor, limitedTo }: Call<"createToken">, userId: string): void {
  if (userId === actor.userId && limitedTo === null) return;
  throw new Refusal("permission_denied", {
    message:
      "A token for all workspaces is made by its own user, with a token that is not limited to one workspace.",
    hint: "Leave `allWorkspaces` out to make a token for this workspace.",
  });
}

/** The token acts with its user's role, so that role must not be above the caller's. */
async function roleOfUser(ledger: Catalog, call: Call<"createToken">, userId: string): Promise<Role> {
  if (userId === call.actor.userId) return call.role;
  const role = await ledger.roleOf({ userId, organizationId: call.organizationId });
  if (role === null) throw new Refusal("member_not_found");
  return role;
}

async function requireSource(ledger: Catalog, call: Call<"createToken">, sourceId: string): Promise<void> {
  const source = await ledger.source({ sourceId, now: call.now });
  if (source?.organizationId !== call.organizationId) throw new Refusal("source_not_found");
}

/** Of the call's own role, since its user may be raised later, and whoever made it must not rise with them. */
function ceilingOf({ role }: Call<"createToken">, { allWorkspaces, sourceId }: CreateTokenBody): Role | null {
  if (sourceId != null) return "viewer";
  return allWorkspaces ? null : role;
}

export const createToken =
  (ledger: Catalog, newId: (prefix: string) => string): Handler<"createToken"> =>
  async (call) => {
    const { organizationId, actor, body, now } = call;
    const userId = body.userId ?? actor.userId;
    const label = readName("label", body.label);
    const expiresAt = body.expiresAt == null ? null : readExpiry(body.expiresAt, now);
    if (body.allWorkspaces) requireOwnReach(call, userId);
    if (body.sourceId != null) await requireSource(ledger, call, body.sourceId);
    requireNotAbove(call.role, await roleOfUser(ledger, call, userId));

    const made = makeToken();
    const token: TokenRecord = {
      tokenId: newId("tok"),
      organizationId: body.allWorkspaces ? null : organizationId,
      userId,
      ceiling: ceilingOf(call, body),
      sourceId: body.sourceId ?? null,
      label,
      hint: made.hint,
      expiresAt,
      revokedAt: null,
      lastUsedAt: null,
      createdAt: now,
    };
    const stored = { hash: made.hash, auditOrganizationId: organizationId, token, actor, now };
    const outcome = await ledger.createToken(stored);
    if (outcome === "limit_reached") {
      throw new Refusal("limit_reached", {
        message: `At most ${SERVER_LIMITS.maxTokens} access tokens are in use at once.`,
        hint: "Revoke tokens that are no longer used, or give new ones an expiry.",
      });
    }
    return { body: renderCreated(token, made.token), headers: { Location: `/api/tokens/${token.tokenId}` } };
  };

/** A token of the workspace, or one of the caller's own for all workspaces, unless theirs opens this one only. */
function isReached({ organizationId, actor, limitedTo }: Call<"revokeToken">, token: TokenRecord): boolean {
  if (token.organizationId !== null) return token.organizationId === organizationId;
  return limitedTo === null && token.userId === actor.userId;
}

/** What acts with a role above the caller's is out of the caller's reach. */
export const revokeToken =
  (ledger: Catalog): Handler<"revokeToken"> =>
  async (call) => {
    const { organizationId, params, actor, now } = call;
    const token = await ledger.token({ tokenId: params.tokenId });
    if (!token || !isReached(call, token)) throw new Refusal("token_not_found");
    const role = await ledger.roleOf({ userId: token.userId, organizationId });
    if (role !== null) requireNotAbove(call.role, roleUnder(role, token.ceiling));
    const revoked = await ledger.revokeToken({ tokenId: token.tokenId, actor, now });
    if (revoked === "unknown") throw new Refusal("token_not_found");
    return { body: { tokenId: revoked.tokenId, revokedAt: toIsoTime(revoked.revokedAt ?? now) } };
  };
