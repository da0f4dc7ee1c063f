/** Authenticates requests by their bearer token: of the workspace API, and of servers that send events (spec 5, docs/api/access.md and docs/api/ingest.md). */
import { createCache } from "../core/cache.ts";
import { HEADWATER } from "../core/command-name.ts";
import { Refusal } from "../core/refusal.ts";
import { DAY_MS } from "../core/time.ts";
import { hashToken, isPlausibleToken, looksLikeJwt } from "../core/token.ts";
import type { Caller } from "../http/handler.ts";
import type { Catalog, RefreshedToken } from "../ledger/ledger.ts";
import type { TokenRecord } from "../ledger/records.ts";
import type { VerifyJwt } from "./jwt.ts";
import { isLocked, splitUnlocked } from "./link-passwords.ts";

/** Tokens in use on one node. Looking up a token that is not cached takes a fraction of a millisecond. */
const TOKEN_CACHE_ENTRIES = 10_000;
/** The times of last use of tokens are written together, this often. */
const TOKEN_USE_FLUSH_MS = 60_000;

const BEARER = /^bearer +(\S+) *$/i;

const INVALID_TOKEN_HINT = `Check that you copied the whole token, or create a new one with POST /api/tokens or \`${HEADWATER} token create\`.`;
const invalidToken = () => new Refusal("invalid_token", { hint: INVALID_TOKEN_HINT });

/** The token in the header. Throws `missing_token` or `invalid_token`. */
function readBearerToken(authorization: string | undefined): string {
  const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (token !== undefined) return token;
  throw /^bearer +\S/i.test(authorization ?? "") ? invalidToken() : new Refusal("missing_token");
}

/** Collects when tokens were last used. The first use after a minute writes the times of that minute. */
function createUseLog(catalog: Pick<Catalog, "recordTokenUse">) {
  let used = new Map<string, number>();
  let writtenAt = Number.NEGATIVE_INFINITY;
  async function flush(): Promise<void> {
    const collected = used;
    used = new Map();
    if (collected.size === 0) return;
    await catalog.recordTokenUse([...collected].map(([tokenId, lastUsedAt]) => ({ tokenId, lastUsedAt })));
  }
  return {
    flush,
    add(tokenId: string, now: number): void {
      used.set(tokenId, now);
      if (now - writtenAt < TOKEN_USE_FLUSH_MS && used.size < TOKEN_CACHE_ENTRIES) return;
      writtenAt = now;
      // if the write fails, the next use of the token corrects the time
      flush().catch(() => undefined);
    },
  };
}

/** When a session of the console ends unless it is used. Other tokens do not end by rest: programs may rest for long. */
export const idleEndOf = ({ scope, lastUsedAt, createdAt }: TokenRecord, idleMs: number): number =>
  scope === "console" ? (lastUsedAt ?? createdAt) + idleMs : Number.POSITIVE_INFINITY;

/** When a token can no longer be used, in milliseconds; null: never. */
export function endOf(token: TokenRecord, idleMs: number): number | null {
  const end = Math.min(token.expiresAt ?? Number.POSITIVE_INFINITY, idleEndOf(token, idleMs));
  return end === Number.POSITIVE_INFINITY ? null : end;
}

function requireUsable(token: TokenRecord, now: number, idleMs: number): void {
  if (token.revokedAt !== null) throw new Refusal("revoked_token");
  if (token.expiresAt !== null && token.expiresAt <= now) throw new Refusal("expired_token");
  if (idleEndOf(token, idleMs) <= now)
    throw new Refusal("expired_token", {
      message: `The console session ended after ${describeDays(idleMs)} of inactivity.`,
      hint: "Sign in again.",
    });
}

function describeDays(ms: number): string {
  const days = Math.round(ms / DAY_MS);
  return days === 1 ? "1 day" : `${days} days`;
}

/** A token that was presented, or the one behind a short-lived token. */
type FoundToken = Pick<RefreshedToken, "token"> & Partial<RefreshedToken>;
type TokenCatalog = Pick<Catalog, "tokenByHash" | "refreshedToken" | "recordTokenUse">;

export interface JwtAuthentication {
  readonly verify: VerifyJwt;
  /** How long a token lives that is created with a JWT. */
  readonly maxTokenMs: number;
}

/** Finds tokens that can be used, and notes their use. */
function createTokenFinder(catalog: TokenCatalog, idleMs: number) {
  // unknown tokens are not cached, because anyone can invent them
  const tokens = createCache<FoundToken>({
    maxEntries: TOKEN_CACHE_ENTRIES,
    async lookUp(hash) {
      const token = await catalog.tokenByHash({ hash });
      return token ? { token } : catalog.refreshedToken({ hash });
    },
  });
  const useLog = createUseLog(catalog);

  async function find(hash: string, now: number): Promise<FoundToken | null> {
    const cached = tokens.get(hash);
    if (!cached) return tokens.load(hash);
    if (idleEndOf(cached.token, idleMs) > now) return cached;
    // its uses are in the ledger only, and other nodes have written theirs there
    await useLog.flush();
    return tokens.load(hash);
  }

  /** @param goesOn an answer that has begun outlives its short-lived token, but not the sign-in */
  async function findUsable(text: string, now: number, goesOn = false): Promise<FoundToken> {
    const bearer = isPlausibleToken(text) ? await find(hashToken(text), now) : null;
    if (!bearer) throw invalidToken();
    const { token, endsAt = now + 1 } = bearer;
    requireUsable(token, now, idleMs);
    if (endsAt <= now && !goesOn) throw new Refusal("expired_token");
    useLog.add(token.tokenId, now);
    return bearer;
  }
  return {
    findUsable,
    /** Clears the cache after tokens changed on this node or on another. */
    forget: () => tokens.clear(),
    /** Writes the collected last-used times. Call it before the ledger closes. */
    flush: useLog.flush,
  };
}

export type Authenticator = ReturnType<typeof createAuthenticator>;

/**
 * @param jwt null: no identity provider is configured
 * @param idleMs how long a session of the console lives without a request
 */
export function createAuthenticator(catalog: TokenCatalog, jwt: JwtAuthentication | null, idleMs: number) {
  const { findUsable, forget, flush } = createTokenFinder(catalog, idleMs);

  /**
   * Throws a 401 refusal.
   * @param authorization the value of the header
   * @param goesOn the answer to the request has begun
   */
  async function authenticate(
    authorization: string | undefined,
    now: number,
    goesOn = false,
  ): Promise<Caller> {
    const text = readBearerToken(authorization);
    if (jwt && looksLikeJwt(text)) {
      const actor = { userId: await jwt.verify(text, now), tokenId: null };
      const grantsUntil = now + jwt.maxTokenMs;
      const unlimited = {
        limitedTo: null,
        ceiling: null,
        sourceId: null,
        scope: null,
        isLocked: false,
        rememberedId: null,
      };
      return { actor, isPerson: true, ...unlimited, grantsUntil };
    }
    const presented = splitUnlocked(text);
    const { token, rememberedId = null } = await findUsable(presented.token, now, goesOn);
    const { userId, tokenId, organizationId, ceiling, sourceId, scope, expiresAt } = token;
    const limits = {
      limitedTo: organizationId,
      ceiling,
      sourceId,
      isLocked: isLocked(token, presented, now),
      rememberedId,
    };
    const common = { actor: { userId, tokenId }, ...limits };
    // tokens that a person creates in the console are made to outlive their sign-in
    if (scope === "console") return { ...common, isPerson: true, scope: null, grantsUntil: null };
    // otherwise a token that expires could create its successor for ever
    return { ...common, isPerson: false, scope, grantsUntil: expiresAt };
  }

  /** Throws a 401 or 403 refusal unless the token has the scope `ingest` for this source. */
  async function authenticateSender(authorization: string, sourceId: string, now: number): Promise<void> {
    const { token } = await findUsable(readBearerToken(authorization), now);
    if (token.scope === "ingest" && token.sourceId === sourceId) return;
    throw new Refusal("permission_denied", {
      message: "This token cannot send this source's events.",
      hint: "Create a token with the `ingest` scope for this source, or send no Authorization header.",
    });
  }
  return { authenticate, authenticateSender, forget, flush };
}
