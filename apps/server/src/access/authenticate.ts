/** From the Authorization header to who is calling (spec 5, CONTRACT sections 1 and 3). */

import { createRemembered } from "../core/cache.ts";
import type { Caller } from "../core/handler.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { TokenRecord } from "../core/records.ts";
import { Refusal } from "../core/refusal.ts";
import { hashToken, isPlausibleToken, looksLikeJwt } from "../core/token.ts";
import type { Catalog } from "../ledger/ledger.ts";
import type { VerifyJwt } from "./jwt.ts";

export interface Authenticator {
  /** @param authorization the header as it came; throws the 401 */
  authenticate(authorization: string | undefined, now: number): Promise<Caller>;
  /** Something changed, here or on another node: look every token up again. */
  forget(): void;
  /** Writes the gathered last-used times; call it before the ledger closes. */
  flush(): Promise<void>;
}

const BEARER = /^bearer +(\S+) *$/i;

function bearerOf(authorization: string | undefined): string {
  const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (token !== undefined) return token;
  throw new Refusal(/^bearer +\S/i.test(authorization ?? "") ? "invalid_token" : "missing_token");
}

/** Last-used times are gathered, and written by whoever comes a minute after the last writing. */
function createLastUsed(ledger: Pick<Catalog, "recordTokenUse">) {
  let used = new Map<string, number>();
  let writtenAt = Number.NEGATIVE_INFINITY;
  async function flush(): Promise<void> {
    const gathered = used;
    used = new Map();
    if (gathered.size === 0) return;
    await ledger.recordTokenUse([...gathered].map(([tokenId, lastUsedAt]) => ({ tokenId, lastUsedAt })));
  }
  return {
    flush,
    note(tokenId: string, now: number): void {
      used.set(tokenId, now);
      if (now - writtenAt < SERVER_LIMITS.tokenTouchMs && used.size < SERVER_LIMITS.tokenCacheEntries) return;
      writtenAt = now;
      // a time that is lost is made good by the token's next use
      flush().catch(() => undefined);
    },
  };
}

function requireUsable(token: TokenRecord, now: number): void {
  if (token.revokedAt !== null) throw new Refusal("revoked_token");
  if (token.expiresAt !== null && token.expiresAt <= now) throw new Refusal("expired_token");
}

/** @param verifyJwt null: the service has no identity provider */
export function createAuthenticator(
  ledger: Pick<Catalog, "tokenByHash" | "recordTokenUse">,
  verifyJwt: VerifyJwt | null,
): Authenticator {
  // unknown ones are not remembered: anybody can make them up
  const tokens = createRemembered<TokenRecord>({
    max: SERVER_LIMITS.tokenCacheEntries,
    lookUp: (hash) => ledger.tokenByHash({ hash }),
  });
  const find = async (hash: string) => tokens.get(hash) ?? tokens.ask(hash);
  const lastUsed = createLastUsed(ledger);

  async function authenticate(authorization: string | undefined, now: number): Promise<Caller> {
    const text = bearerOf(authorization);
    if (verifyJwt && looksLikeJwt(text)) {
      const actor = { userId: await verifyJwt(text, now), tokenId: null };
      return { actor, limitedTo: null, ceiling: null, sourceId: null };
    }
    const token = isPlausibleToken(text) ? await find(hashToken(text)) : null;
    if (!token) throw new Refusal("invalid_token");
    requireUsable(token, now);
    lastUsed.note(token.tokenId, now);
    const { userId, tokenId, organizationId, ceiling, sourceId } = token;
    return { actor: { userId, tokenId }, limitedTo: organizationId, ceiling, sourceId };
  }
  return { authenticate, forget: () => tokens.forget(), flush: lastUsed.flush };
}
