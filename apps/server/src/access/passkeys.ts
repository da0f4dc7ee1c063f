/** Passkeys: people add and remove their own, and sign in with one (docs/api/accounts.md). */
import { createHash } from "node:crypto";
import { isIP } from "node:net";
import type { Passkey } from "@headwater/contract";
import { messageOf } from "../core/errors.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import { toIsoTime, toIsoTimeOrNull } from "../core/time.ts";
import { hashToken } from "../core/token.ts";
import type { Call, CatalogHandler, Handler } from "../http/handler.ts";
import type { PasskeyRecord } from "../ledger/records.ts";
import { atMost, createClientRateLimiter, requireRate } from "../overload/rate-limit.ts";
import { readName } from "./names.ts";
import type { AccessHandler, AccessServices } from "./services.ts";
import { noteRefusal, providerOnly, requireOtherWays } from "./sign-in.ts";
import { makeSession, renderNewToken } from "./tokens.ts";
import {
  CHALLENGE_MS,
  type Expected,
  makeCreationOptions,
  makeRequestOptions,
  readClientData,
  verifyNew,
  verifyUse,
} from "./web-authn.ts";

/** Sign-ins that one client address, which a whole office may share, can start. */
const SIGN_INS_PER_MINUTE = 60;

/** Browsers bind a passkey to the host of the page: that of the console. */
function consolePlace({ addresses }: Pick<AccessServices, "addresses">) {
  const { origin, hostname: host, protocol, port } = new URL(addresses().appUrl);
  const isLocal = host === "localhost" || host.endsWith(".localhost");
  const isAddress = isIP(host.replace(/^\[(.*)\]$/, "$1")) !== 0;
  return { origin, host, port, takesPasskeys: !isAddress && (protocol === "https:" || isLocal) };
}

interface Obstacle {
  readonly message: string;
  readonly hint: string;
}

/** Why the caller cannot add a passkey; null: they can. */
function obstacleOf({ actor }: Pick<Call<"addPasskey">, "actor">, services: AccessServices): Obstacle | null {
  if (services.config.SIGN_IN === "oidc") return providerOnly(services);
  const { origin, port, takesPasskeys } = consolePlace(services);
  if (!takesPasskeys)
    return {
      message: `Passkeys need HTTPS and a host name. The address of this console is ${origin}.`,
      hint: `The operator must set \`BASE_URL\` to an address such as https://stats.example.com. On your own machine, \`BASE_URL=http://localhost${port && `:${port}`}\` works too.`,
    };
  if (actor.tokenId === null)
    return {
      message: "A JWT cannot add a passkey, because the passkey would outlive it.",
      hint: "Use another way to sign in to the console.",
    };
  return null;
}

function requireNoObstacle(call: Pick<Call<"addPasskey">, "actor">, services: AccessServices): void {
  const obstacle = obstacleOf(call, services);
  if (obstacle) throw new Refusal("passkey_refused", { ...obstacle });
}

/** A person has the same at each of their authenticators, so that each has one passkey of the person. It says nothing about them. */
const userHandle = (userId: string) => createHash("sha256").update(userId).digest();

const renderPasskey = ({ passkeyId, name, host, createdAt, lastUsedAt }: PasskeyRecord): Passkey => ({
  passkeyId,
  name,
  host,
  createdAt: toIsoTime(createdAt),
  lastUsedAt: toIsoTimeOrNull(lastUsedAt),
});

export const listPasskeys: AccessHandler<"listPasskeys"> = async (call, services) => {
  const passkeys = await services.catalog.passkeys({ userId: call.actor.userId });
  return { body: { passkeys: passkeys.map(renderPasskey), unavailable: obstacleOf(call, services) } };
};

const tooMany = () =>
  new Refusal("limit_reached", {
    message: `A person can have at most ${SERVER_LIMITS.maxPasskeys} passkeys.`,
    hint: "Remove one that you no longer use.",
  });

/** Keeps the challenge of the options until the browser has answered. @param userId who adds a passkey; null: somebody signs in */
async function keepChallenge(
  { catalog }: AccessServices,
  { challenge }: { readonly challenge: string },
  { userId, now }: { readonly userId: string | null; readonly now: number },
): Promise<void> {
  const hash = hashToken(challenge);
  await catalog.createPasskeyChallenge({ hash, userId, expiresAt: now + CHALLENGE_MS, now });
}

export const startPasskey: AccessHandler<"startPasskey"> = async (call, services) => {
  const { actor, now } = call;
  const { catalog } = services;
  const { userId } = actor;
  requireNoObstacle(call, services);
  const passkeys = await catalog.passkeys({ userId });
  if (passkeys.length >= SERVER_LIMITS.maxPasskeys) throw tooMany();
  const { name, email } = await catalog.profile({ userId });
  const publicKey = await makeCreationOptions({
    host: consolePlace(services).host,
    userHandle: userHandle(userId),
    userName: email ?? name ?? "Headwater",
    displayName: name ?? "",
    known: passkeys.map(({ credentialId }) => credentialId),
  });
  await keepChallenge(services, publicKey, { userId, now });
  return { body: { publicKey: { ...publicKey } } };
};

/** Turns an error of `verify`, which is about the data of the browser, into a refusal. */
async function orRefuse<Result>(
  { boundedLog }: Pick<AccessServices, "boundedLog">,
  verify: () => Promise<Result>,
): Promise<Result> {
  try {
    return await verify();
  } catch (error) {
    boundedLog.info({ reason: messageOf(error) }, "a passkey was refused");
    throw new Refusal("passkey_refused");
  }
}

interface Signed {
  readonly clientDataJSON: string;
  /** The person who adds a passkey; null: somebody signs in. */
  readonly userId: string | null;
  readonly now: number;
}

/**
 * Takes the challenge that the browser signed, which works once.
 * @throws Refusal 403 unless this service made it for this purpose, and a page of the console asked for it
 */
async function takeChallenge(
  services: AccessServices,
  { clientDataJSON, userId, now }: Signed,
): Promise<Expected> {
  const { origin, challenge } = await orRefuse(services, () => readClientData(clientDataJSON));
  const place = consolePlace(services);
  if (origin !== place.origin)
    throw new Refusal("passkey_refused", {
      message: `This service's passkeys work only at ${place.origin}.`,
      hint: "Open the console there. If the address is wrong, the operator must change `BASE_URL` or `APP_URL`.",
    });
  if (!(await services.catalog.takePasskeyChallenge({ hash: hashToken(challenge), userId, now })))
    throw new Refusal("passkey_refused", {
      message: "This passkey request has expired or was already used.",
      hint: "Try the passkey again.",
    });
  return { challenge, origin, host: place.host };
}

export const addPasskey: AccessHandler<"addPasskey"> = async (call, services) => {
  const { actor, body, now } = call;
  const { catalog, newId } = services;
  const { userId } = actor;
  requireNoObstacle(call, services);
  const { clientDataJSON } = body.credential.response;
  const expected = await takeChallenge(services, { clientDataJSON, userId, now });
  const credential = await orRefuse(services, () => verifyNew(body, expected));
  const passkey: PasskeyRecord = {
    ...credential,
    passkeyId: newId("pky"),
    userId,
    host: expected.host,
    name: readName("name", body.name),
    createdAt: now,
    lastUsedAt: null,
  };
  const outcome = await catalog.addPasskey({ passkey, actor, now });
  if (outcome === "limit_reached") throw tooMany();
  if (outcome === "exists")
    throw new Refusal("passkey_refused", {
      message: "This passkey is already registered.",
      hint: "Sign in with it, or add a different passkey.",
    });
  return { body: renderPasskey(passkey) };
};

export const removePasskey: CatalogHandler<"removePasskey"> = async ({ actor, params, now }, { catalog }) => {
  const { passkeyId } = params;
  await catalog.removePasskey({ userId: actor.userId, passkeyId, actor, now });
  return { body: { passkeyId } };
};

/** Strangers can write challenges only where somebody has a passkey. */
export function createPasskeySignInStart(services: AccessServices): Handler<"startPasskeySignIn"> {
  const { catalog, nodes } = services;
  const limiter = createClientRateLimiter({ ...atMost(SIGN_INS_PER_MINUTE, 60), nodes });
  return async ({ clientAddress, now }) => {
    requireOtherWays(services);
    requireRate(limiter, clientAddress, now, "Too many sign-ins were started from this address.");
    const { host } = consolePlace(services);
    if (!(await catalog.hasPasskeys({ host })))
      throw new Refusal("passkey_refused", {
        message: `Nobody has a passkey for ${host}.`,
        hint: "Use another way to sign in, then add a passkey on the Profile page.",
      });
    const publicKey = await makeRequestOptions(host);
    await keepChallenge(services, publicKey, { userId: null, now });
    return { body: { publicKey: { ...publicKey } } };
  };
}

/** @returns the session of the person whose passkey the browser used, and its token */
async function startSession(services: AccessServices, { body, headers, now }: Call<"signInWithPasskey">) {
  const { catalog } = services;
  const { id: credentialId, response } = body.credential;
  const { clientDataJSON } = response;
  const expected = await takeChallenge(services, { clientDataJSON, userId: null, now });
  const passkey = await catalog.passkeyOfCredential({ credentialId });
  if (passkey === null || response.userHandle !== userHandle(passkey.userId).toString("base64url"))
    throw new Refusal("passkey_refused", {
      message: "This passkey is not known here. It may have been removed.",
      hint: "Use another way to sign in, then add a new passkey on the Profile page.",
    });
  const counter = await orRefuse(services, () => verifyUse(body, passkey, expected));
  const { token, session } = makeSession(services, { headers, now });
  const started = await catalog.signInWithPasskey({ ...session, passkeyId: passkey.passkeyId, counter });
  if (started === null) throw new Refusal("passkey_refused");
  return renderNewToken(started, token);
}

export const signInWithPasskey: AccessHandler<"signInWithPasskey"> = async (call, services) => {
  requireOtherWays(services);
  try {
    return { body: await startSession(services, call) };
  } catch (error) {
    if (error instanceof Refusal) await noteRefusal(services, "passkey_refused", call.now);
    throw error;
  }
};
