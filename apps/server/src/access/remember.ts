/**
 * A browser stays signed in by a cookie, which only renews short-lived tokens (docs/api/accounts.md). Every other route takes the
 * bearer header and nothing else.
 */
import { createHmac, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Refusal } from "../core/refusal.ts";
import { DAY_MS, toIsoTime } from "../core/time.ts";
import { hashToken, makeToken } from "../core/token.ts";
import { REMEMBER_PATH, readCookies, toSetCookie } from "../http/cookies.ts";
import type { RenewalFailure } from "../ledger/ledger.ts";
import type { RememberedSignIn } from "../ledger/records.ts";
import type { AccessHandler, AccessServices } from "./services.ts";
import { requireOtherWays } from "./sign-in.ts";

const REFRESHED_MS = 15 * 60_000;
const NOBODY = { userId: null, tokenId: null };

const makeSecret = () => randomBytes(24).toString("base64url");
/** Tabs that renew at once, with the same secret, get the same next one. */
const nextSecret = (secret: string, salt: string) =>
  createHmac("sha256", salt).update(secret).digest("base64url");

/**
 * Other sites cannot use the cookie: browsers say which page sends a request. Without TLS they do not send `Sec-Fetch-Site`.
 * @throws Refusal 403 unless a page of the console sends it
 */
function requireConsolePage(headers: IncomingHttpHeaders, appUrl: string): void {
  const { origin, host, "sec-fetch-site": site } = headers;
  const isConsole = origin !== undefined && origin === URL.parse(appUrl)?.origin;
  const isSameHost = origin !== undefined && URL.parse(origin)?.host === host;
  const isOwn =
    site === undefined
      ? isConsole || isSameHost
      : (site === "same-origin" && origin !== undefined) || (site === "same-site" && isConsole);
  if (isOwn) return;
  throw new Refusal("permission_denied", {
    message: "Only a page of the console can use a remembered sign-in.",
    hint: "Send an access token in the Authorization header instead.",
  });
}

/** Browsers keep one cookie of a name for all ports of a host. */
function nameAndPath(baseUrl: string) {
  const { protocol, port, pathname } = new URL(baseUrl);
  const isSecure = protocol === "https:";
  const name = `${isSecure ? "__Secure-" : ""}headwater-sign-in${port === "" ? "" : `-${port}`}`;
  return { name, isSecure, path: pathname.replace(/\/+$/, "") + REMEMBER_PATH };
}

interface Remembered {
  readonly rememberedId: string;
  readonly secret: string;
}

function setCookie(baseUrl: string, { rememberedId, secret }: Remembered, expiresInMs: number) {
  const cookie = {
    ...nameAndPath(baseUrl),
    value: `${rememberedId}.${secret}`,
    maxAgeSeconds: Math.ceil(expiresInMs / 1_000),
    sameSite: "Strict",
  } as const;
  return { "Set-Cookie": toSetCookie(cookie) };
}

/** The sign-ins in the cookies of a request. */
function readRemembered(headers: IncomingHttpHeaders, baseUrl: string): Remembered[] {
  const values = readCookies(headers.cookie, nameAndPath(baseUrl).name);
  return values.map((value) => {
    const [rememberedId = "", secret = ""] = value.split(".", 2);
    return { rememberedId, secret };
  });
}

/**
 * The sign-in that the page names. The page keeps the id where no other host can write: a cookie alone could be one that a
 * stranger has set.
 * @throws Refusal 401
 */
function requireRemembered(
  headers: IncomingHttpHeaders,
  baseUrl: string,
  { rememberedId }: { readonly rememberedId: string },
): Remembered {
  const found = readRemembered(headers, baseUrl).find((one) => one.rememberedId === rememberedId);
  if (found) return found;
  throw new Refusal("missing_token", { message: "This browser has no remembered sign-in." });
}

/** Whether the browser has the sign-in's secret, or the one before. */
const isKnownSecret = ({ secretHash, previousHash }: RememberedSignIn, hash: string): boolean =>
  hash === secretHash || hash === previousHash;

/** Forgets what the cookies of a request remember. @param kept a token whose sign-in goes on */
async function forgetAll(
  { catalog, addresses }: AccessServices,
  { headers, now }: { readonly headers: IncomingHttpHeaders; readonly now: number },
  kept: string | null = null,
): Promise<void> {
  for (const { rememberedId, secret } of readRemembered(headers, addresses().baseUrl)) {
    const row = await catalog.rememberedSignIn({ rememberedId });
    if (!row || row.tokenId === kept || !isKnownSecret(row, hashToken(secret))) continue;
    const token = await catalog.token({ tokenId: row.tokenId });
    const actor = { userId: token?.userId ?? null, tokenId: row.tokenId };
    await catalog.forgetSignIn({ rememberedId, actor, now });
  }
}

export const rememberSignIn: AccessHandler<"rememberSignIn"> = async (call, services) => {
  const { actor, rememberedId: isRenewedBy, headers, now } = call;
  const { catalog, newId, addresses, config } = services;
  const { baseUrl, appUrl } = addresses();
  requireConsolePage(headers, appUrl);
  const token = actor.tokenId === null ? null : await catalog.token({ tokenId: actor.tokenId });
  // a short-lived token that made another sign-in would outlive its own
  if (token === null || isRenewedBy !== null)
    throw new Refusal("permission_denied", {
      message: "Only an access token or the token of a sign-in can be remembered.",
      hint: "Sign in again, and send the token of that sign-in.",
    });
  if (token.scope !== "console") requireOtherWays(services);
  const latest = now + config.CONSOLE_TOKEN_DAYS * DAY_MS;
  const expiresAt = Math.min(latest, token.expiresAt ?? latest);
  const made = { rememberedId: newId("rem"), secret: makeSecret() };
  // nobody is left signed in behind the new sign-in
  await forgetAll(services, call, token.tokenId);
  const { rememberedId, secret } = made;
  await catalog.rememberSignIn({ rememberedId, secretHash: hashToken(secret), expiresAt, token, now });
  return {
    body: { rememberedId, expiresAt: toIsoTime(expiresAt) },
    headers: setCookie(baseUrl, made, expiresAt - now),
  };
};

const REFUSALS = {
  unknown: "invalid_token",
  reused: "invalid_token",
  expired: "expired_token",
  revoked: "revoked_token",
} as const satisfies Record<RenewalFailure, string>;

export const refreshToken: AccessHandler<"refreshToken"> = async ({ body, headers, now }, services) => {
  const { catalog, addresses, config } = services;
  const { baseUrl, appUrl } = addresses();
  requireConsolePage(headers, appUrl);
  const { rememberedId, secret } = requireRemembered(headers, baseUrl, body);
  const { token, hash } = makeToken();
  const salt = makeSecret();
  const outcome = await catalog.renewSignIn({
    rememberedId,
    secretHash: hashToken(secret),
    next: { secretHash: hashToken(nextSecret(secret, salt)), salt },
    made: { hash, endsAt: now + REFRESHED_MS },
    idleSince: now - config.CONSOLE_IDLE_DAYS * DAY_MS,
    now,
  });
  if (outcome === "reused") {
    // somebody has a copy of the cookie, and nobody knows who is right
    await catalog.forgetSignIn({ rememberedId, actor: NOBODY, after: { reason: "old_cookie" }, now });
  }
  if (typeof outcome === "string") throw new Refusal(REFUSALS[outcome]);
  const endsAt = Math.min(now + REFRESHED_MS, outcome.expiresAt);
  const expiresInSeconds = Math.floor((endsAt - now) / 1_000);
  const rotated = outcome.salt === null ? null : { rememberedId, secret: nextSecret(secret, outcome.salt) };
  return {
    body: { token, expiresInSeconds },
    headers: rotated ? setCookie(baseUrl, rotated, outcome.expiresAt - now) : {},
  };
};

export const forgetSignIn: AccessHandler<"forgetSignIn"> = async (call, services) => {
  const { body, headers } = call;
  const { baseUrl, appUrl } = services.addresses();
  requireConsolePage(headers, appUrl);
  const { rememberedId } = requireRemembered(headers, baseUrl, body);
  await forgetAll(services, call);
  return { body: { rememberedId }, headers: setCookie(baseUrl, { rememberedId, secret: "" }, 0) };
};
