/** A source's public key (CONTRACT section 2): `pk_` and 144 random bits, URL-safe, never reused. */
import { randomBytes } from "node:crypto";

export const newPublicKey = (): string => `pk_${randomBytes(18).toString("base64url")}`;
