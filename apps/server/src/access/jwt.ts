/** Verifies JSON Web Tokens of the operator's identity provider (docs/api/access.md). `sub` is the user id. */
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from "jose";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import { toStorable } from "../core/text.ts";
import { isPersonId } from "../core/users.ts";
import { limitedFetch } from "./limited-fetch.ts";

interface JwtSettings {
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience: string;
}

/** Returns the user id. Throws a refusal. */
export type VerifyJwt = (token: string, now: number) => Promise<string>;

/** Asymmetric algorithms only. `none` verifies nothing, and with HMAC an attacker could sign with the public key. */
const ALGORITHMS = ["RS256", "ES256", "EdDSA"];

/** Whether the error of `jose` means that the token is invalid, and not that the keys could not be fetched. */
function isInvalidToken(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  return error instanceof errors.JOSEError && error.code !== "ERR_JOSE_GENERIC";
}

function refusalFor(error: unknown): Refusal {
  if (error instanceof errors.JWTExpired) return new Refusal("expired_token", {}, error);
  if (isInvalidToken(error)) return new Refusal("invalid_token", {}, error);
  return new Refusal(
    "storage_unavailable",
    {
      message:
        "The token could not be verified, because the keys of the identity provider cannot be fetched.",
      hint: "Retry later. The operator must check AUTH_JWKS_URL.",
    },
    error,
  );
}

function userOf({ sub }: JWTPayload): string {
  const isUser = typeof sub === "string" && sub.length > 0 && sub.length <= SERVER_LIMITS.userIdLength;
  // characters that no store can hold would make two subjects the same user
  if (isUser && toStorable(sub) === sub && isPersonId(sub)) return sub;
  throw new Refusal("invalid_token", {
    message: "The token has no valid user id (`sub`).",
    hint: "Get a token from your identity provider with a valid `sub`.",
  });
}

/** Fetches the keys when they are first needed, and again for an unknown key id. */
export function createJwtVerifier(settings: JwtSettings): VerifyJwt {
  const keys = createRemoteJWKSet(new URL(settings.jwksUrl), { [customFetch]: limitedFetch });
  return async (token, now) => {
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: ALGORITHMS,
        issuer: settings.issuer,
        audience: settings.audience,
        requiredClaims: ["exp", "sub"],
        currentDate: new Date(now),
      });
      return userOf(payload);
    } catch (error) {
      throw error instanceof Refusal ? error : refusalFor(error);
    }
  };
}
