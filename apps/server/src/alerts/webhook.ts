/** One alert to the operator's address, signed so that it can be told from anybody else's (docs/operate.md, "Alerts"). */

import { createHmac } from "node:crypto";
import { SERVER_LIMITS } from "../core/limits.ts";

export interface Webhook {
  url: string;
  secret: string;
}

/** HMAC SHA-256 over the time, a dot and the body: what is sent again later does not pass for new. */
export const signatureOf = (secret: string, timestamp: string, body: string): string =>
  `v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;

/** @throws when it was not taken: no answer in time, or another than 2xx. A redirect is none: the address is the settings' alone */
export async function post({ url, secret }: Webhook, payload: object, now: number): Promise<void> {
  const body = JSON.stringify(payload);
  const timestamp = String(Math.floor(now / 1_000));
  const response = await fetch(url, {
    method: "POST",
    redirect: "manual",
    signal: AbortSignal.timeout(SERVER_LIMITS.alertTimeoutMs),
    headers: {
      "content-type": "application/json",
      "user-agent": "headwater",
      "headwater-timestamp": timestamp,
      "headwater-signature": signatureOf(secret, timestamp, body),
    },
    body,
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`it answered ${response.status}`);
}
