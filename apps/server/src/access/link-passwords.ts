/**
 * Passwords of shared stats links (docs/api/access.md). A password is stored as its scrypt hash. The right password
 * unlocks the token of the link: the caller gets the token with a signed time until which it works.
 */
import { createHmac, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { Refusal } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import { hashToken, isPlausibleToken } from "../core/token.ts";
import type { Handler } from "../http/handler.ts";
import type { TokenRecord } from "../ledger/records.ts";
import { createAdmission } from "../overload/admission.ts";
import {
  atMost,
  createClientRateLimiter,
  createRateLimiter,
  type Rate,
  requireRate,
} from "../overload/rate-limit.ts";
import type { AccessServices } from "./services.ts";

/** How long the right password of a shared link is remembered: a working day. */
const LINK_UNLOCK_MS = 12 * 3_600_000;
/** Tries of passwords for one link: by one client address, and by all of them together. */
const LINK_PASSWORDS_PER_MINUTE = 10;
const LINK_PASSWORDS_PER_MINUTE_TOTAL = 100;
/** Passwords that are hashed at once, each with 32 MB, and those that wait. Node has four threads for this and for files. */
const MAX_ACTIVE_PASSWORD_HASHES = 2;
const MAX_WAITING_PASSWORD_HASHES = 100;

/** As OWASP recommends; one hash takes 32 MB. A change needs the old values beside the hash. */
const SCRYPT = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1_048_576 };
const HASH_BYTES = 32;

const hashing = createAdmission({
  maxActive: MAX_ACTIVE_PASSWORD_HASHES,
  maxAdmitted: MAX_WAITING_PASSWORD_HASHES,
});

/**
 * @param key whose turn it is when many passwords are hashed, such as a user or a client address
 * @throws AdmissionFull when too many wait
 */
const derive = (key: string, password: string, salt: Buffer): Promise<Buffer> =>
  hashing.run(
    key,
    () =>
      new Promise((resolve, reject) =>
        scrypt(password.normalize("NFKC"), salt, HASH_BYTES, SCRYPT, (error, hash) =>
          error ? reject(error) : resolve(hash),
        ),
      ),
  );

/** Returns the text that is stored of a password: salt and hash. */
export async function hashPassword(key: string, password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(key, password, salt);
  return `scrypt.${salt.toString("base64url")}.${hash.toString("base64url")}`;
}

async function isRightPassword(key: string, password: string, stored: string): Promise<boolean> {
  const [, salt = "", hash = ""] = stored.split(".");
  const derived = await derive(key, password, Buffer.from(salt, "base64url"));
  return timingSafeEqual(derived, Buffer.from(hash, "base64url"));
}

/** The stored hash is the key: only the ledger and its nodes have it, and only while the token exists. */
const sign = (tokenId: string, until: string, passwordHash: string): Buffer =>
  createHmac("sha256", passwordHash).update(`${tokenId} ${until}`).digest();

/** `<token>.<until>.<signature>`, with the time in base 36. */
const UNLOCKED = /^(hwt_[0-9A-Za-z]+)\.([0-9a-z]{1,12})\.([\w-]{43})$/;

type PresentedToken = ReturnType<typeof splitUnlocked>;

/**
 * Takes apart the text of a bearer token.
 * @returns the token, and the part that the right password adds; null: the password was not given
 */
export function splitUnlocked(text: string) {
  const [, token, until, signature] = UNLOCKED.exec(text) ?? [];
  if (token === undefined || until === undefined || signature === undefined)
    return { token: text, unlock: null };
  return { token, unlock: { until, signature } };
}

/** Whether a token needs a password that was not given, or not recently. */
export function isLocked(
  { tokenId, passwordHash }: TokenRecord,
  { unlock }: PresentedToken,
  now: number,
): boolean {
  if (passwordHash === null) return false;
  if (unlock === null || Number.parseInt(unlock.until, 36) <= now) return true;
  const signature = Buffer.from(unlock.signature, "base64url");
  return !timingSafeEqual(signature, sign(tokenId, unlock.until, passwordHash));
}

interface UnlockServices extends Pick<AccessServices, "catalog" | "nodes" | "auditTrail"> {
  /** The rate of tries of one client address, for all links together. */
  readonly rates: { readonly failedAuth: Rate };
}

/** The link itself is the actor: nobody knows who opened it. */
const toAuditFields = ({ organizationId, tokenId, label }: TokenRecord) => ({
  organizationId: organizationId ?? "",
  actor: { userId: null, tokenId },
  target: tokenId,
  details: { label },
});

/** Exchanges the token of a link and its password for a token that works for some hours. */
export function createUnlock({ catalog, rates, nodes, auditTrail }: UnlockServices): Handler<"unlockStats"> {
  const addressLimiter = createClientRateLimiter({ ...rates.failedAuth, nodes });
  const linkAddressLimiter = createClientRateLimiter({ ...atMost(LINK_PASSWORDS_PER_MINUTE, 60), nodes });
  const linkLimiter = createRateLimiter({ ...atMost(LINK_PASSWORDS_PER_MINUTE_TOTAL, 60), nodes });

  /** Counts the try before the password is checked, so that tries at the same time are limited too. */
  function countTry(tokenId: string, address: string, now: number): void {
    const message = "Too many passwords were tried.";
    requireRate(addressLimiter, address, now, message);
    // a client limiter finds the address at the end of its key
    requireRate(linkAddressLimiter, `${tokenId} ${address}`, now, message);
    requireRate(linkLimiter, tokenId, now, message);
  }

  return async ({ body, now, clientAddress }) => {
    const hash = isPlausibleToken(body.token) ? hashToken(body.token) : null;
    const link = hash === null ? null : await catalog.tokenByHash({ hash });
    if (!link?.passwordHash || link.revokedAt !== null) throw new Refusal("invalid_token");
    if (link.expiresAt !== null && link.expiresAt <= now) throw new Refusal("expired_token");
    countTry(link.tokenId, clientAddress, now);
    const isRight = await isRightPassword(clientAddress, body.password, link.passwordHash);
    const note = { ...toAuditFields(link), now };
    if (!isRight) {
      await auditTrail.noteRefusal({ ...note, action: "link.refused" });
      throw new Refusal("password_required", {
        message: "The password is wrong.",
        hint: "Check the password, or ask the person who shared the link.",
      });
    }
    await auditTrail.noteRead({ ...note, action: "link.unlocked" });
    const expiresAt = Math.min(now + LINK_UNLOCK_MS, link.expiresAt ?? Number.MAX_SAFE_INTEGER);
    const until = expiresAt.toString(36);
    const signature = sign(link.tokenId, until, link.passwordHash).toString("base64url");
    return { body: { token: `${body.token}.${until}.${signature}`, expiresAt: toIsoTime(expiresAt) } };
  };
}
