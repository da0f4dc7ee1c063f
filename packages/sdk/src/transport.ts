import { parseObject, toJson } from "./json.ts";

/** The response to an ingest request. Members of the JSON are missing when something else has answered, such as a proxy with HTML. */
export interface IngestReply extends RefusalDetails {
  /** 0 when there was no response. */
  readonly status: number;
  /** The Retry-After in milliseconds. 0, NaN and undefined mean that there is none. */
  readonly waitMs?: number;
  readonly ok?: boolean;
  readonly sessionId?: string;
  readonly privacy?: PrivacySettings;
  /** One result per event. A response of another server may contain anything. */
  readonly results?: readonly (RefusalDetails & { readonly status?: string })[] | null;
}
export interface PrivacySettings {
  readonly respectGpc?: boolean;
  readonly requireConsent?: boolean;
}
export interface RefusalDetails {
  readonly code?: string | null;
  readonly message?: string | null;
  readonly hint?: string;
  readonly debugUrl?: string;
  readonly issues?: readonly RefusedIssue[];
}
export interface RefusedIssue {
  /** The event that the issue is about. */
  readonly eventId?: string;
}

/**
 * The bytes left for `keepalive` requests, which outlive the page. Browsers allow 64 KiB for all such requests together
 * and fail further ones at once.
 */
export let keepaliveRoom = 60_000;
/** A request without a response within this time counts as failed. */
const timeoutMs = 30_000;

/** The length in UTF-8. Letters outside of the Latin script take two or three bytes. */
export const byteLength = (text: string): number => new Blob([text]).size;

export function abortedAfter(ms: number): AbortSignal {
  const abort = new AbortController();
  setTimeout(() => abort.abort(), ms);
  return abort.signal;
}

export async function post(url: string, content: unknown): Promise<IngestReply> {
  const body = toJson(content);
  const size = byteLength(body);
  const keptBytes = keepaliveRoom < size ? 0 : size;
  keepaliveRoom -= keptBytes;
  try {
    // A string is sent as text/plain. The type application/json would need a preflight request.
    const response = await fetch(url, {
      method: "POST",
      body,
      keepalive: keptBytes > 0,
      credentials: "omit",
      signal: abortedAfter(timeoutMs),
    });
    return {
      ...parseObject<IngestReply>(await response.text()),
      status: response.status,
      waitMs: +response.headers.get("retry-after")! * 1000,
    };
  } catch {
    // Leaving a page fails its requests between "pagehide" and "visibilitychange", although they arrive. No timer runs there.
    await new Promise((done) => setTimeout(done));
    return { status: 0 };
  } finally {
    keepaliveRoom += keptBytes;
  }
}
