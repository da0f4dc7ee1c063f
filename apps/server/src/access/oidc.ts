/** Signs people in with an OpenID Connect provider: authorization code with PKCE, state and nonce. */
import * as client from "openid-client";
import { SERVER_LIMITS } from "../core/limits.ts";
import { memberOf } from "../core/members.ts";
import { toStorable } from "../core/text.ts";
import { isPersonId } from "../core/users.ts";
import type { IdentityRecord } from "../ledger/ledger.ts";
import { toEmailAddress } from "../mail/email-address.ts";
import { limitedFetch } from "./limited-fetch.ts";

const OIDC_TIMEOUT_SECONDS = 10;

interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** null: a public client. */
  readonly clientSecret: string | null;
  /** The provider's name, for the button. */
  readonly name: string;
  /** `sub` is the user id, as it is in JWTs of the same issuer. */
  readonly subjectIsUser: boolean;
}

/** The person who has signed in at the provider. */
export interface OidcUser {
  readonly identity: IdentityRecord;
  /** The user whose id is the subject; null: `subjectIsUser` is off. */
  readonly fallbackUserId: string | null;
  /** The code of the invitation that the sign-in accepts, if the person agrees. */
  readonly invitationCode: string | null;
}

const FLOW_PARTS = ["state", "nonce", "verifier", "invitation"] as const;
type Flow = Record<(typeof FLOW_PARTS)[number], string>;

const encodeFlow = (flow: Flow) => Buffer.from(JSON.stringify(flow)).toString("base64url");
function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isFlow = (value: unknown): value is Flow =>
  FLOW_PARTS.every((part) => typeof memberOf(value, part) === "string");

function decodeFlow(text: string): Flow {
  const value = parseOrNull(Buffer.from(text, "base64url").toString());
  if (isFlow(value)) return value;
  throw new Error("the sign-in cookie is damaged");
}

const textOf = (claims: object, name: string, maxLength: number): string | null => {
  const value = memberOf(claims, name);
  return typeof value === "string" && value !== "" && value.length <= maxLength ? toStorable(value) : null;
};

const verifiedEmail = (claims: object): string | null =>
  memberOf(claims, "email_verified") === true ? textOf(claims, "email", 254) : null;

/** @param info what the provider says beside the ID token. Which of both verifies an address must also name it */
function toUser(settings: OidcSettings, claims: object, info: object, invitation: string): OidcUser {
  const email = verifiedEmail(claims) ?? verifiedEmail(info);
  const subject = textOf(claims, "sub", SERVER_LIMITS.userIdLength);
  if (subject === null) throw new Error("the provider sent no valid subject");
  return {
    identity: {
      issuer: settings.issuer,
      subject,
      email: email === null ? null : toEmailAddress(email),
      name: textOf(claims, "name", 100) ?? textOf(info, "name", 100),
    },
    fallbackUserId: settings.subjectIsUser && isPersonId(subject) ? subject : null,
    invitationCode: invitation === "" ? null : invitation,
  };
}

const isLoopback = (issuer: string) => /^http:\/\/(?:127\.|localhost|\[::1\])/.test(issuer);

/** The provider's addresses are fetched at the first sign-in, and again after a failure. */
function createDiscovery(settings: OidcSettings): () => Promise<client.Configuration> {
  let discovered: Promise<client.Configuration> | null = null;
  return () => {
    discovered ??= client
      .discovery(
        new URL(settings.issuer),
        settings.clientId,
        undefined,
        settings.clientSecret === null ? client.None() : client.ClientSecretBasic(settings.clientSecret),
        {
          timeout: OIDC_TIMEOUT_SECONDS,
          [client.customFetch]: limitedFetch,
          execute: isLoopback(settings.issuer) ? [client.allowInsecureRequests] : [],
        },
      )
      .catch((error: unknown) => {
        discovered = null;
        throw error;
      });
    return discovered;
  };
}

export type OidcClient = ReturnType<typeof createOidcClient>;

export function createOidcClient(settings: OidcSettings) {
  const discover = createDiscovery(settings);
  return {
    name: settings.name,
    /** @returns the provider's address, and what the browser has to keep until it comes back */
    async start(redirectUri: string, invitationCode: string | null) {
      const provider = await discover();
      const flow = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        invitation: invitationCode ?? "",
      };
      const url = client.buildAuthorizationUrl(provider, {
        redirect_uri: redirectUri,
        scope: "openid email profile",
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: "S256",
        state: flow.state,
        nonce: flow.nonce,
      });
      return { url: url.href, flow: encodeFlow(flow) };
    },
    /** @throws Error when the answer does not belong to the flow, or the provider does not confirm it */
    async finish(redirectUri: string, query: Readonly<Record<string, string>>, text: string) {
      const { state, nonce, verifier, invitation } = decodeFlow(text);
      const provider = await discover();
      const answered = new URL(redirectUri);
      answered.search = new URLSearchParams(query).toString();
      const tokens = await client.authorizationCodeGrant(provider, answered, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw new Error("the provider sent no ID token");
      const hasUserInfo = provider.serverMetadata().userinfo_endpoint !== undefined;
      const info = hasUserInfo ? await client.fetchUserInfo(provider, tokens.access_token, claims.sub) : {};
      return toUser(settings, claims, info, invitation);
    },
  };
}
