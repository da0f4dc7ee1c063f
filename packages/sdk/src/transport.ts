import { readObject } from "./json.ts";

/** What came of a request. What may be in the text of an answer; a proxy's page of HTML reads as nothing of it. */
export interface Answer extends Refusal {
  /** 0: none came. */
  readonly status: number;
  /** What Retry-After asks for, if it is above 0; NaN is nothing too. */
  readonly waitMs: number;
  readonly ok?: boolean;
  readonly sessionId?: string;
  readonly privacy?: Privacy;
  /** One for each event that was sent; an answer of somebody else may hold anything. */
  readonly results?: readonly (Refusal & { readonly status?: string })[] | null;
}
export interface Privacy {
  readonly respectGpc?: boolean;
  readonly requireConsent?: boolean;
}
export interface Refusal {
  readonly code?: string | null;
  readonly message?: string | null;
  readonly hint?: string;
  readonly debugUrl?: string;
  readonly issues?: readonly Issue[];
}
export interface Issue {
  /** Of the event that it lies in. */
  readonly eventId?: string;
}

/**
 * How many bytes of what is sent now would outlive the page. Browsers hold 64 KiB of such bodies, of all requests together;
 * beyond it they fail at once.
 */
export let keepaliveRoom = 60_000;
/** An answer that takes longer is none: something has lost it. */
const timeoutMs = 30_000;

/** As it is sent: most scripts but the Latin take two or three bytes a letter. */
export const bytesOf = (text: string): number => new Blob([text]).size;

export function abortedAfter(ms: number): AbortSignal {
  const abort = new AbortController();
  setTimeout(() => abort.abort(), ms);
  return abort.signal;
}

export async function post(url: string, content: unknown): Promise<Answer> {
  const body = JSON.stringify(content);
  const size = bytesOf(body);
  const keptBytes = size <= keepaliveRoom ? size : 0;
  keepaliveRoom -= keptBytes;
  try {
    // A string is sent as text/plain: JSON's own type would cost a preflight.
    const response = await fetch(url, {
      method: "POST",
      body,
      keepalive: keptBytes > 0,
      credentials: "omit",
      signal: abortedAfter(timeoutMs),
    });
    const retryAfter = response.headers.get("retry-after");
    return {
      ...readObject<Answer>(await response.text()),
      status: response.status,
      // Seconds, or a date from a proxy.
      waitMs: +retryAfter! * 1000 || Date.parse(retryAfter!) - Date.now(),
    };
  } catch {
    return { status: 0, waitMs: 0 };
  } finally {
    keepaliveRoom += keptBytes;
  }
}
