import { newId, type Page, type Properties } from "./event.ts";
import { sdkVersion } from "./version.ts";

export interface ServerClientOptions {
  /** The key of a source whose `requireOrigin` is false: a server sends no `Origin`. */
  readonly publicKey: string;
  readonly apiBaseUrl: string;
}

/** Whom an event is about. With the ids that the page holds, it joins the visit that the page began. */
export type About = ({ readonly anonymousId: string } | { readonly userId: string }) & {
  readonly anonymousId?: string | undefined;
  readonly userId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Of the visitor's browser, when the event answers a request of it. */
  readonly userAgent?: string | undefined;
  readonly page?: Partial<Page> | undefined;
  /** At most 128 characters. The same id is counted once, so that a webhook may be delivered twice. */
  readonly id?: string | undefined;
};

/** What became of an event. `failed`: the server refused the request or could not be reached, and `message` says why. */
export interface Sent {
  readonly status: "accepted" | "duplicate" | "rejected" | "failed";
  readonly code: string | null;
  readonly message: string | null;
  readonly sessionId: string | null;
}

export interface ServerClient {
  /** Resolves when the event is stored or known not to be; never rejects. */
  track(name: string, properties: Properties | undefined, about: About): Promise<Sent>;
}

interface Content {
  readonly sessionId?: string;
  readonly code?: string;
  readonly message?: string;
  readonly hint?: string;
  readonly results?: readonly { status: Sent["status"]; code?: string | null; message?: string | null }[];
}

const maxTries = 4;
const timeoutMs = 10_000;
const firstBackoffMs = 500;
/** A route handler does not live to see the end of a longer Retry-After. */
const maxBackoffMs = 10_000;

/**
 * Sends events from a server: a route handler, a webhook, a job. Each travels inside a bootstrap request (CONTRACT 4),
 * one round trip without state between two of them, as functions that start anew for each request need it.
 */
export function createServerClient({ publicKey, apiBaseUrl }: ServerClientOptions): ServerClient {
  const url = `${apiBaseUrl.replace(/\/+$/, "")}/api/ingest/v2/${encodeURIComponent(publicKey)}/bootstrap`;
  return {
    async track(name, properties, about) {
      // The types ask for it; plain JavaScript may leave it out.
      const { id = newId(), ...whom }: Partial<About> = about ?? {};
      if (!whom.anonymousId && !whom.userId)
        return failed("about_missing", "Say whom the event is about: track(name, properties, { userId }).");
      const event = { id, type: "track", timestamp: new Date().toISOString(), name, properties };
      for (let tries = 1; ; tries++) {
        const { sent, retryAfterMs } = await post(url, bodyOf(event, whom));
        if (retryAfterMs === null || tries === maxTries) return sent;
        const backoffMs = Math.max(retryAfterMs, firstBackoffMs * 2 ** (tries - 1));
        await new Promise((resolve) => setTimeout(resolve, Math.min(backoffMs, maxBackoffMs)));
      }
    },
  };
}

const maxIdLength = 200;

/** A user without a browser is one visitor, not one for each event. Where the mark makes the id too long it is left out. */
function visitorOf(userId: string): string {
  const marked = `user:${userId}`;
  return marked.length > maxIdLength ? userId : marked;
}

const bodyOf = (event: object, { anonymousId, userId, sessionId, userAgent, page }: Partial<About>) => ({
  ingestVersion: 2,
  sdkVersion,
  batchId: newId(),
  sentAt: new Date().toISOString(),
  anonymousId: anonymousId || visitorOf(userId!),
  sessionId,
  userId,
  page: page ?? {},
  // Empty where no browser is known: the agent of a server's own fetch would make each event a bot's.
  context: { userAgent: userAgent ?? "" },
  events: [event],
});

interface Try {
  readonly sent: Sent;
  /** Null when another try would end in the same way. */
  readonly retryAfterMs: number | null;
}

async function post(url: string, body: object): Promise<Try> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return read(response, await response.json().catch(() => ({})));
  } catch (error) {
    return { sent: failed("unreachable", `${url} could not be reached: ${error}`), retryAfterMs: 0 };
  }
}

function read({ ok, status, headers, url }: Response, content: Content): Try {
  const result = content.results?.[0];
  if (ok && result) {
    const { code = null, message = null } = result;
    return {
      sent: { status: result.status, code, message, sessionId: content.sessionId ?? null },
      retryAfterMs: null,
    };
  }
  const told = [content.message, content.hint].filter(Boolean).join(" ");
  const isPassing = status === 408 || status === 429 || status >= 500;
  return {
    sent: failed(
      content.code ?? null,
      told || `${url} answered ${status}, but not as a Headwater server does.`,
    ),
    retryAfterMs: isPassing ? Number(headers.get("retry-after")) * 1000 || 0 : null,
  };
}

const failed = (code: string | null, message: string): Sent => ({
  status: "failed",
  code,
  message,
  sessionId: null,
});
