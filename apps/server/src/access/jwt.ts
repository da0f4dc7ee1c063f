/** JSON Web Tokens of the operator's identity provider (CONTRACT section 3): the user is their `sub`. */

import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from "jose";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import { storable } from "../core/text.ts";

export interface JwtSettings {
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience: string;
}

/** Answers with the user's id, or throws the refusal. */
export type VerifyJwt = (token: string, now: number) => Promise<string>;

/** A key that everybody knows, or none at all, verifies nothing: asymmetric algorithms only. */
const ALGORITHMS = ["RS256", "ES256", "EdDSA"];

/** The token is wrong: everything jose complains of except keys that could not be had. */
function isTokensFault(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  return error instanceof errors.JOSEError && error.code !== "ERR_JOSE_GENERIC";
}

function refusalFor(error: unknown): Refusal {
  if (error instanceof errors.JWTExpired) return new Refusal("expired_token", {}, error);
  if (isTokensFault(error)) return new Refusal("invalid_token", {}, error);
  return new Refusal(
    "storage_unavailable",
    {
      message: "The identity provider's keys cannot be fetched; the token could not be checked.",
      hint: "Send the request again later; the operator checks AUTH_JWKS_URL.",
    },
    error,
  );
}

function userOf({ sub }: JWTPayload): string {
  const isUser = typeof sub === "string" && sub.length > 0 && sub.length <= SERVER_LIMITS.userIdLength;
  // two subjects that differ in what no store holds would be one user
  if (isUser && storable(sub) === sub) return sub;
  throw new Refusal("invalid_token", { message: "The token names no user (`sub`)." });
}

/** Keys are fetched when they are first needed, and again for a key id that is not known. */
export function createJwtVerifier(settings: JwtSettings): VerifyJwt {
  const keys = createRemoteJWKSet(new URL(settings.jwksUrl));
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
