/** Posts one alert to the operator's webhook, signed so that the receiver can verify it (docs/operate.md, "Alerts"). */
import { createHmac } from "node:crypto";
import { postJson } from "../core/post-json.ts";
import { SECOND_MS } from "../core/time.ts";

export interface AlertWebhook {
  url: string;
  secret: string;
}

/** HMAC SHA-256 of the time, a dot and the body. The time lets the receiver reject a replayed alert. */
const sign = (secret: string, timestamp: string, body: string): string =>
  `v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;

/** @throws Error when the webhook did not answer 2xx in time */
export async function postAlert({ url, secret }: AlertWebhook, payload: object, now: number): Promise<void> {
  const body = JSON.stringify(payload);
  const timestamp = String(Math.floor(now / SECOND_MS));
  await postJson(url, body, {
    "headwater-timestamp": timestamp,
    "headwater-signature": sign(secret, timestamp, body),
  });
}
