import { readObject } from "./json.ts";

/** One request, and its answer. */
export interface Answer {
  /** 0: none came. */
  readonly status: number;
  readonly waitMs: number;
  readonly content: Content;
}
/** What may be in an answer; a proxy's page of HTML reads as an empty one. */
export interface Content extends Refusal {
  readonly ok?: boolean;
  readonly sessionId?: string;
  readonly privacy?: Privacy;
  readonly results?: readonly (Refusal & { readonly status?: string })[];
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
  readonly path?: readonly (string | number)[];
  readonly eventId?: string;
}

/** Browsers hold 64 KiB of bodies that outlive their page, of all requests together; beyond it they fail at once. */
const maxKeepaliveBytes = 60_000;
/** An answer that takes longer is none: something has lost it. */
const timeoutMs = 30_000;

let keepaliveBytes = 0;

/** How much of what is sent now would outlive the page. */
export const keepaliveRoom = (): number => maxKeepaliveBytes - keepaliveBytes;

/** As it is sent: most scripts but the Latin take two or three bytes a letter. */
export const bytesOf = (text: string): number => new Blob([text]).size;

export async function post(url: string, content: unknown): Promise<Answer> {
  const body = JSON.stringify(content);
  const size = bytesOf(body);
  const keepalive = size <= keepaliveRoom();
  if (keepalive) keepaliveBytes += size;
  const abort = new AbortController();
  setTimeout(() => abort.abort(), timeoutMs);
  try {
    // A string is sent as text/plain: JSON's own type would cost a preflight.
    const init: RequestInit = { method: "POST", body, keepalive, credentials: "omit", signal: abort.signal };
    const response = await fetch(url, init);
    return {
      status: response.status,
      waitMs: Number(response.headers.get("retry-after")) * 1000 || 0,
      content: readObject<Content>(await response.text()),
    };
  } catch {
    return { status: 0, waitMs: 0, content: {} };
  } finally {
    if (keepalive) keepaliveBytes -= size;
  }
}
