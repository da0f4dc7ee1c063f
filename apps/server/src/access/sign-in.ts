/** The public ways to sign in, besides an access token: a link by email, and an OpenID Connect provider. */
import { HEADWATER } from "../core/command-name.ts";
import { messageOf } from "../core/errors.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import { hashToken } from "../core/token.ts";
import { readCookies, toSetCookie } from "../http/cookies.ts";
import type { Handler } from "../http/handler.ts";
import { readEmailAddress } from "../mail/email-address.ts";
import { atMost, createClientRateLimiter, requireRate } from "../overload/rate-limit.ts";
import { makeSignInCode } from "./first-start.ts";
import { signInMail } from "./mails.ts";
import type { OidcUser } from "./oidc.ts";
import type { AccessHandler, AccessServices } from "./services.ts";

/** Requests for sign-in links of one client address. */
const SIGN_IN_LINKS_PER_MINUTE = 10;
/** The sign-in at the identity provider, from the click to the way back. */
const OIDC_FLOW_SECONDS = 600;
/** Returns from the provider by one client address, which a whole office may share. */
const OIDC_CALLBACKS_PER_MINUTE = 60;

/** Why nobody was signed in. */
type SignInRefusal =
  | "unknown_code"
  | "unknown_address"
  | "no_account"
  | "provider_failed"
  | "passkey_refused";

/** Notes sign-ins that failed and are nobody's. They concern the whole service, so the log of the first workspace has them. */
export const noteRefusal = (
  { auditTrail, config }: AccessServices,
  target: SignInRefusal,
  now: number,
): Promise<void> =>
  auditTrail.noteRefusal({
    organizationId: config.ORGANIZATION_ID,
    actor: { userId: null, tokenId: null },
    action: "session.refused",
    target,
    now,
  });

export const getSignInMethods: AccessHandler<"getSignInMethods"> = async (
  _call,
  { catalog, oidc, mailer, addresses, config },
) => {
  const isOidcOnly = config.SIGN_IN === "oidc";
  const mail = mailer !== null && !isOidcOnly;
  const { hostname: host } = new URL(addresses().appUrl);
  const passkey = !isOidcOnly && (await catalog.hasPasskeys({ host }));
  return {
    body: { oidc: oidc?.name ?? null, mail, passkey, token: !isOidcOnly, sendsMail: mailer !== null },
  };
};

/** Why the other ways do not sign in. */
export const providerOnly = ({ oidc }: Pick<AccessServices, "oidc">) => ({
  message: "You can sign in to this service only with its identity provider.",
  hint: `Continue with ${oidc?.name ?? "the identity provider"}. An operator who is locked out runs \`${HEADWATER} sign-in\` on the server.`,
});

/** @throws Refusal when people sign in with the provider only */
export function requireOtherWays(services: AccessServices): void {
  if (services.config.SIGN_IN === "oidc") throw new Refusal("permission_denied", providerOnly(services));
}

/** Answers before the account is looked up, so that neither the answer nor its time says whether there is one. */
export function createSignInLinks(services: AccessServices): Handler<"requestSignInLink"> {
  const { catalog, mailer, addresses, nodes, boundedLog } = services;
  const limiter = createClientRateLimiter({ ...atMost(SIGN_IN_LINKS_PER_MINUTE, 60), nodes });

  async function sendLink(email: string, now: number): Promise<void> {
    const userId = mailer && (await catalog.userByEmail({ email }));
    if (mailer && userId === null) await noteRefusal(services, "unknown_address", now);
    if (!mailer || userId === null) return;
    // only to the address that was confirmed, whatever was typed
    const { email: to } = await catalog.profile({ userId });
    if (to === null) return;
    const { code, ...made } = makeSignInCode(now);
    const maxOpen = SERVER_LIMITS.maxSignInLinks;
    if (!(await catalog.createSignInCode({ ...made, userId, now, maxOpen }))) return;
    await mailer.sendSignInLink(signInMail(to, `${addresses().appUrl}/sign-in#code=${code}`));
  }

  return async ({ body, clientAddress, now }) => {
    requireOtherWays(services);
    const email = readEmailAddress("email", body.email);
    requireRate(limiter, clientAddress, now, "Too many sign-in links were requested from this address.");
    sendLink(email, now).catch((error: unknown) =>
      boundedLog.warn({ reason: messageOf(error) }, "a sign-in link could not be sent"),
    );
    return { body: { requested: true } };
  };
}

/** The cookie that ties a sign-in at the provider to the browser that started it. */
const COOKIE = "headwater-oidc";
const cookieName = (baseUrl: string) => (baseUrl.startsWith("https:") ? `__Host-${COOKIE}` : COOKIE);

const setCookie = (baseUrl: string, value: string, maxAgeSeconds: number) =>
  toSetCookie({
    name: cookieName(baseUrl),
    value,
    path: "/",
    maxAgeSeconds,
    sameSite: "Lax",
    isSecure: baseUrl.startsWith("https:"),
  });

const redirect = (location: string, cookie: string) => ({
  status: 302,
  headers: { Location: location, "Set-Cookie": cookie, "Referrer-Policy": "no-referrer" },
  text: "",
  mediaType: "text/html; charset=utf-8",
});

const callbackOf = (baseUrl: string) => `${baseUrl}/api/sign-in/oidc/callback`;
/** The console's sign-in page, which says why. */
const failedAt = (appUrl: string, why: string) => `${appUrl}/sign-in?why=${why}`;

export const startOidc: AccessHandler<"startOidc"> = async ({ query }, { oidc, addresses, boundedLog }) => {
  const { baseUrl, appUrl } = addresses();
  const failed = () => redirect(failedAt(appUrl, "oidc_failed"), setCookie(baseUrl, "", 0));
  if (!oidc) return failed();
  try {
    const { url, flow } = await oidc.start(callbackOf(baseUrl), query.invitation ?? null);
    return redirect(url, setCookie(baseUrl, flow, OIDC_FLOW_SECONDS));
  } catch (error) {
    boundedLog.warn({ reason: messageOf(error) }, "the identity provider cannot be reached");
    return failed();
  }
};

/**
 * Makes the code that signs the person in, links the identity and accepts the invitation. It does so only after the console has
 * shown the account and the workspace: anyone can lead a browser through a sign-in at the provider.
 * @returns null: nobody with an invitation, an address or an identity that is known
 */
async function makeOidcCode(
  { catalog, newId }: AccessServices,
  user: OidcUser,
  now: number,
): Promise<string | null> {
  const { identity, fallbackUserId, invitationCode } = user;
  const invitationHash = invitationCode === null ? null : hashToken(invitationCode);
  if (invitationHash !== null && !(await catalog.invitationByHash({ hash: invitationHash, now })))
    throw new Refusal("invalid_code");
  const known = await catalog.userOfIdentity(identity);
  const isMember =
    fallbackUserId !== null && (await catalog.organizationsOf({ userId: fallbackUserId })).length > 0;
  if (known === null && !isMember && invitationHash === null) return null;
  const { code, ...made } = makeSignInCode(now);
  const userId = known ?? fallbackUserId ?? newId("usr");
  await catalog.createSignInCode({ ...made, userId, identity, invitationHash, now });
  return code;
}

/** Anybody can call this with invented values, and each call asks the provider. */
export function createOidcCallback(services: AccessServices): Handler<"finishOidc"> {
  const { oidc, addresses, boundedLog, nodes } = services;
  const limiter = createClientRateLimiter({ ...atMost(OIDC_CALLBACKS_PER_MINUTE, 60), nodes });
  return async ({ query, headers, clientAddress, now }) => {
    const { baseUrl, appUrl } = addresses();
    const [flow = null] = readCookies(headers.cookie, cookieName(baseUrl));
    const ended = (location: string) => redirect(location, setCookie(baseUrl, "", 0));
    try {
      if (!oidc || flow === null || !limiter.take(clientAddress, now).ok)
        return ended(failedAt(appUrl, "oidc_failed"));
      const user = await oidc.finish(callbackOf(baseUrl), { ...query }, flow);
      const code = await makeOidcCode(services, user, now);
      if (code === null) {
        await noteRefusal(services, "no_account", now);
        return ended(failedAt(appUrl, "no_account"));
      }
      return ended(`${appUrl}/sign-in#code=${code}`);
    } catch (error) {
      if (error instanceof Refusal && error.code === "invalid_code")
        return ended(failedAt(appUrl, "invitation_ended"));
      // whoever opens this address can cause it
      boundedLog.info({ reason: messageOf(error) }, "a sign-in with the identity provider failed");
      await noteRefusal(services, "provider_failed", now);
      return ended(failedAt(appUrl, "oidc_failed"));
    }
  };
}
