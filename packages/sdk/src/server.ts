import { newId, type Page, type Properties } from "./event.ts";
import { sdkVersion } from "./version.ts";

export interface ServerClientOptions {
  readonly publicKey: string;
  readonly apiBaseUrl: string;
  /**
   * A token with the scope `ingest` for the source. Then nobody else can use the ids of the events first. Without a token a
   * source with `requireOrigin: true` refuses the events, because a server sends no `Origin`.
   */
  readonly token?: string | undefined;
}

/** The visitor or user of an event. With the ids of the browser client, the event joins the visit in the browser. */
export type EventSubject = ({ readonly anonymousId: string } | { readonly userId: string }) & {
  readonly anonymousId?: string | undefined;
  readonly userId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** The visitor's user agent, when the event belongs to a request of their browser. */
  readonly userAgent?: string | undefined;
  readonly page?: Partial<Page> | undefined;
  /** The visitor did nothing, as in a measurement: the event opens no session and does not affect the bounce rate. */
  readonly passive?: boolean | undefined;
  /** At most 128 characters. Events with the same id count once, so that a webhook can be delivered twice. */
  readonly id?: string | undefined;
};

/** The outcome of an event. `failed` means that the server refused the request or was unreachable; `message` says why. */
export interface SendResult {
  readonly status: "accepted" | "duplicate" | "rejected" | "failed";
  readonly code: string | null;
  readonly message: string | null;
  readonly sessionId: string | null;
}

export interface ServerClient {
  /** Resolves when the event is stored or has finally failed. Never rejects. */
  track(name: string, properties: Properties | undefined, about: EventSubject): Promise<SendResult>;
}

interface ReplyBody {
  readonly sessionId?: string;
  readonly code?: string;
  readonly message?: string;
  readonly hint?: string;
  readonly results?: readonly {
    status: SendResult["status"];
    code?: string | null;
    message?: string | null;
  }[];
}

const maxTries = 4;
const timeoutMs = 10_000;
const firstBackoffMs = 500;
/** A longer Retry-After is cut, because route handlers do not run that long. */
const maxBackoffMs = 10_000;

/**
 * Creates a client for servers: route handlers, webhooks, jobs. Each event is sent in its own bootstrap request
 * (docs/api/ingest.md): one round trip without state, which suits serverless functions.
 */
export function createServerClient({ publicKey, apiBaseUrl, token }: ServerClientOptions): ServerClient {
  const headers = {
    "content-type": "application/json",
    ...(token ? { authorization: `Bearer ${token}` } : {}),
  };
  const url = `${apiBaseUrl.replace(/\/+$/, "")}/api/ingest/v2/${encodeURIComponent(publicKey)}`;
  /** Failed events, which the next event reports. */
  const losses: string[] = [];
  return {
    async track(name, properties, about) {
      // The types require it, but plain JavaScript may leave it out.
      const { id = ownId(), passive, ...whom }: Partial<EventSubject> = about ?? {};
      if (!whom.anonymousId && !whom.userId)
        return failed(
          "about_missing",
          "The event has no visitor. Pass a userId or an anonymousId: track(name, properties, { userId }).",
        );
      const timestamp = new Date().toISOString();
      const reported = losses.splice(0);
      const lost = reported.length > 0 ? reported.join() : undefined;
      const event = { id, type: "track", timestamp, name, page: whom.page, properties, passive, lost };
      for (let tries = 1; ; tries++) {
        const { sent, retryAfterMs, isTooLarge } = await send(url, headers, bodyOf(event, whom));
        if (retryAfterMs === null || tries === maxTries) {
          // Each event would be refused with a report that is too large.
          if (isLost(sent)) losses.push(...reported.slice(isTooLarge ? Math.ceil(reported.length / 2) : 0));
          // An event with an id of the application is the application's to repeat.
          if (isLost(sent) && about.id === undefined) losses.push(lossOf(event, sent, retryAfterMs === null));
          losses.splice(0, losses.length - maxLosses);
          return sent;
        }
        const backoffMs = Math.max(retryAfterMs, firstBackoffMs * 2 ** (tries - 1));
        await new Promise((resolve) => setTimeout(resolve, Math.min(backoffMs, maxBackoffMs)));
      }
    },
  };
}

/** The server takes reports of 60,000 characters. */
const maxLosses = 500;

/** Each event is a sequence of its own: an event of a server says nothing about the events before it (docs/api/events.md). */
const ownId = (): string => `${newId()}~1000000`;

const isLost = ({ status }: SendResult): boolean => status === "failed" || status === "rejected";

function lossOf(
  { id, timestamp }: { readonly id: string; readonly timestamp: string },
  { status, code }: SendResult,
  isRefused: boolean,
): string {
  const failure = isRefused ? "refused" : "unreachable";
  return `${status === "rejected" ? code : failure},event.${Date.parse(timestamp)}${id}`;
}

const maxIdLength = 200;

/** A visitor id for a user without a browser, the same for all of their events. The prefix is left out if the id gets too long. */
function visitorOf(userId: string): string {
  const prefixed = `user:${userId}`;
  return prefixed.length > maxIdLength ? userId : prefixed;
}

const bodyOf = (
  event: object,
  { anonymousId, userId, sessionId, userAgent, page }: Partial<EventSubject>,
) => ({
  ingestVersion: 2,
  sdkVersion,
  batchId: newId(),
  sentAt: new Date().toISOString(),
  anonymousId: anonymousId || visitorOf(userId!),
  sessionId,
  userId,
  page: page ?? {},
  // Empty when unknown: with the user agent of the server's own fetch, events would count as a bot's.
  context: { userAgent: userAgent ?? "" },
  events: [event],
});

interface SendAttempt {
  readonly sent: SendResult;
  /** The session that a server opened without storing the event. */
  readonly openedSessionId?: string | undefined;
  /** Null when a retry would not help. */
  readonly retryAfterMs: number | null;
  readonly isTooLarge?: boolean;
}

/** A server that does only what the specification says opens the session and leaves the event to a second request. */
async function send(url: string, headers: Record<string, string>, body: object): Promise<SendAttempt> {
  const answered = await post(`${url}/bootstrap`, headers, body);
  const { openedSessionId } = answered;
  return openedSessionId ? post(`${url}/events`, headers, { ...body, sessionId: openedSessionId }) : answered;
}

async function post(url: string, headers: Record<string, string>, body: object): Promise<SendAttempt> {
  let text: string;
  try {
    text = JSON.stringify(body);
  } catch (error) {
    return {
      sent: failed("properties_not_json", `The properties cannot be written as JSON: ${error}`),
      retryAfterMs: null,
    };
  }
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body: text,
      signal: AbortSignal.timeout(timeoutMs),
    });
    return read(response, await response.json().catch(() => ({})));
  } catch (error) {
    return { sent: failed("unreachable", `${url} could not be reached: ${error}`), retryAfterMs: 0 };
  }
}

function read({ ok, status, headers, url }: Response, content: ReplyBody): SendAttempt {
  const result = content.results?.[0];
  if (ok && result) {
    const { code = null, message = null } = result;
    return {
      sent: { status: result.status, code, message, sessionId: content.sessionId ?? null },
      retryAfterMs: null,
    };
  }
  const explanation = [content.message, content.hint].filter(Boolean).join(" ");
  const isPassing = status === 408 || status === 429 || status >= 500;
  return {
    sent: failed(
      content.code ?? null,
      explanation || `${url} responded with ${status}, but it is not a Headwater server.`,
    ),
    openedSessionId: ok && !content.results ? content.sessionId : undefined,
    isTooLarge: status === 413,
    retryAfterMs: isPassing ? Number(headers.get("retry-after")) * 1000 || 0 : null,
  };
}

const failed = (code: string | null, message: string): SendResult => ({
  status: "failed",
  code,
  message,
  sessionId: null,
});
