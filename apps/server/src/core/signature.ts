/** Signatures of what the service sends to the operator. */
import { createHmac } from "node:crypto";

/** `v1=` and the HMAC SHA-256 in hexadecimal digits. */
export const signatureOf = (secret: string, text: string): string =>
  `v1=${createHmac("sha256", secret).update(text).digest("hex")}`;
