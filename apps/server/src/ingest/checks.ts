/** Checks of a request before its body is parsed: key, state of the source, origin, size (docs/api/ingest.md). */
import { originToAllow } from "@headwater/contract/origin";
import { invalidBody, Refusal } from "../core/refusal.ts";
import type { IngestBody } from "../http/body.ts";
import type { IngestRequest } from "./ingest-request.ts";
import type { SenderFacts } from "./sender.ts";
import type { CachedSource } from "./source-cache.ts";

/** Refuses a key that was rotated, unless its grace period lasts. */
export function checkKey({ keyState, keyExpiresAt }: CachedSource, now: number): Refusal | null {
  const isAccepted = keyState === "current" || (keyExpiresAt !== null && keyExpiresAt > now);
  return isAccepted ? null : new Refusal("rotated_public_key");
}

/** A host name with a trailing dot: the same host in DNS, but a different origin in a browser. */
const ENDS_WITH_DOT = /^https?:\/\/[^:]+\.(?::\d+)?$/i;

/** Clients can put anything into `Origin`, so only an origin that is safe to allow is suggested, and never `*` alone. */
function originHint(origin: string): string {
  const suggested = originToAllow(origin);
  const note = ENDS_WITH_DOT.test(origin) ? " The host ends with a dot, which makes it another origin." : "";
  if (suggested !== null) return `Add ${suggested} to the source's \`allowedOrigins\`.${note}`;
  return origin === "null"
    ? "A sandboxed frame or a local file sends the origin `null`, which only `*` in `allowedOrigins` allows. Serve the page over http instead."
    : "This is not the origin of a page (scheme://host[:port]), so `allowedOrigins` cannot name it.";
}

/** A server with a token needs no origin, but an origin that it sends must match. */
function checkOrigin(
  { origin, hasToken }: Pick<SenderFacts, "origin" | "hasToken">,
  keyed: CachedSource,
): Refusal | null {
  if (origin === null) {
    const isOptional = hasToken || !keyed.source.requireOrigin || keyed.allowsAnyOrigin;
    return isOptional ? null : new Refusal("origin_missing");
  }
  if (keyed.allowsOrigin(origin)) return null;
  return new Refusal("origin_not_allowed", {
    message:
      origin === ""
        ? "The Origin header is empty, which no source allows."
        : `The origin ${origin.slice(0, 300)} is not allowed for this source.`,
    hint: originHint(origin),
  });
}

function checkBody({ problem, sizeBytes }: IngestBody, limit: number): Refusal | null {
  if (problem === "bad_encoding")
    return invalidBody(
      "invalid_encoding",
      "The content encoding is unknown, doubled or corrupt. Send plain JSON or gzip.",
    );
  if (problem === null) return null;
  return new Refusal("payload_too_large", {
    message: `The body has ${sizeBytes} bytes or more. This source accepts at most ${limit}.`,
    limit,
    limitName: "maxPayloadBytes",
    actual: sizeBytes,
  });
}

/** Whether the source accepts events of the sender at all. */
export function checkSender(
  sender: Pick<SenderFacts, "origin" | "hasToken">,
  keyed: CachedSource,
): Refusal | null {
  if (!keyed.source.isActive) return new Refusal("source_inactive");
  return checkOrigin(sender, keyed);
}

/** Checks what can be checked before the body is parsed, and returns the first refusal. */
export function checkRequest(
  { origin, authorization }: IngestRequest,
  keyed: CachedSource,
  body: IngestBody,
): Refusal | null {
  const sender = { origin, hasToken: authorization !== null };
  return checkSender(sender, keyed) ?? checkBody(body, keyed.limits.maxPayloadBytes);
}
