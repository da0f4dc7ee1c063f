/** May this request come in? Key, rate, active, origin, size, in that order; the first failure answers. */

import type { Attempt } from "../core/attempt.ts";
import type { Arrival, Body } from "../core/ingest-request.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import type { Corridor } from "./attend.ts";
import { decodeText } from "./json.ts";
import type { KnownSource } from "./known-sources.ts";
import { readEnvelope } from "./parse.ts";

function keyRefusal(known: KnownSource, now: number): Refusal | null {
  const letIn = known.keyState === "current" || (known.keyExpiresAt !== null && known.keyExpiresAt > now);
  return letIn ? null : new Refusal("rotated_public_key");
}

/** The `Origin` header; without one, the origin of `Referer`. */
export function originOf({ origin, referer }: Pick<Arrival, "origin" | "referer">): string | null {
  if (origin !== undefined) return origin;
  const url = referer === undefined ? null : URL.parse(referer);
  return url?.host ? `${url.protocol}//${url.host}` : null;
}

/** A fully qualified name: the same host in DNS, and another origin in a browser. */
const DOTTED = /^https?:\/\/[a-z0-9.-]+\.(?::\d+)?$/i;

/** @param toAllow what to paste; a client writes into this header what it likes, and `*` must not be advised to anybody */
function originHint(origin: string, toAllow: string | null): string {
  if (toAllow !== null) return `Add ${toAllow} to the source's \`allowedOrigins\`.`;
  if (DOTTED.test(origin))
    return "The host ends with a dot, which `allowedOrigins` does not name; open the page at its address without that dot.";
  return origin === "null"
    ? "A sandboxed frame or a local file sends the origin `null`, which only `*` in `allowedOrigins` lets in; serve the page over http instead."
    : "This is not the origin of a page (scheme://host[:port]), so that `allowedOrigins` cannot name it.";
}

function originRefusal(origin: string | null, known: KnownSource): Refusal | null {
  if (origin === null) {
    const open = !known.source.requireOrigin || known.allowsAnyOrigin;
    return open ? null : new Refusal("origin_missing");
  }
  if (known.allows(origin)) return null;
  const hint = originHint(origin, known.originToAllow(origin));
  return new Refusal("origin_not_allowed", {
    message: `The origin ${origin.slice(0, 300)} is not allowed for this source.`,
    hint,
  });
}

const headOf = (bytes: Buffer) => bytes.toString("utf8", 0, SERVER_LIMITS.rawTextBytes);

function keepBody(attempt: Attempt, body: Body): void {
  attempt.payloadBytes = body.sizeBytes;
  if (body.tooLarge || body.badEncoding) attempt.head = headOf(body.bytes);
}

/** @throws Refusal 422 when the bytes are not UTF-8; the attempt then shows their head */
function readText(attempt: Attempt, bytes: Buffer): string {
  try {
    attempt.text = decodeText(bytes);
    return attempt.text;
  } catch (error) {
    attempt.head = headOf(bytes);
    throw error;
  }
}

function bodyRefusal(body: Body, known: KnownSource): Refusal | null {
  if (body.badEncoding) {
    const message = "The content encoding is unknown, doubled or corrupt; send plain JSON or gzip.";
    return new Refusal("invalid_payload", {
      message,
      issues: [{ path: [], code: "invalid_encoding", message }],
    });
  }
  if (!body.tooLarge) return null;
  const limit = known.limits.maxPayloadBytes;
  return new Refusal("payload_too_large", {
    message: `The body has ${body.sizeBytes} bytes or more; this source takes ${limit}.`,
    limit,
    limitName: "maxPayloadBytes",
    actual: body.sizeBytes,
  });
}

/** Made-up keys cost the ledger a bounded number of look-ups. */
async function lookUp({ publicKey, clientKey, receivedAt }: Arrival, { sources, rates }: Corridor) {
  const byRate = rates.ofLookUp(clientKey, receivedAt);
  if (byRate) throw byRate;
  return sources.find(publicKey);
}

/** A request that is let in: its source, and its body's text. */
export interface Admitted {
  known: KnownSource;
  text: string;
}

/**
 * A refused request is read all the same, within the limit, so that the debug view can show what came;
 * one that is over its rate is not.
 */
export async function admit(arrival: Arrival, attempt: Attempt, corridor: Corridor): Promise<Admitted> {
  const cached = corridor.sources.cached(arrival.publicKey);
  const known = cached === undefined ? await lookUp(arrival, corridor) : cached;
  if (!known)
    throw (
      corridor.rates.ofUnknownKey(arrival.clientKey, arrival.receivedAt) ?? new Refusal("unknown_public_key")
    );
  attempt.source = known.source;
  attempt.publicKey = arrival.publicKey;
  attempt.keyState = known.keyState;

  const byKey = keyRefusal(known, arrival.receivedAt);
  if (byKey) attempt.keyState = "retired";
  const byRate = corridor.rates.ofSource(known, arrival.clientKey, arrival.receivedAt);
  if (byRate) throw byKey ?? byRate;
  const unavailable = corridor.unavailable(known.source.sourceId);
  if (unavailable) throw new Refusal(unavailable);

  const byState = known.source.isActive ? null : new Refusal("source_inactive");
  const byOrigin = originRefusal(attempt.origin, known);
  const body = await corridor.bodies.await(known.source.sourceId, arrival.clientKey, () =>
    arrival.readBody(known.limits.maxPayloadBytes),
  );
  keepBody(attempt, body);
  const refusal = byKey ?? byState ?? byOrigin ?? bodyRefusal(body, known);
  if (refusal) {
    if (!body.tooLarge && !body.badEncoding) keepWhatCame(attempt, body.bytes);
    throw refusal;
  }
  if (corridor.work.isFull(known.source.sourceId)) throw new Refusal("overloaded");
  return { known, text: readText(attempt, body.bytes) };
}

/** The envelope of a refused request, as far as it can be read. */
function keepWhatCame(attempt: Attempt, bytes: Buffer): void {
  try {
    attempt.envelope = readEnvelope(JSON.parse(readText(attempt, bytes)));
  } catch {
    // what is no JSON has no envelope
  }
}
