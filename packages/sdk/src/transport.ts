/** One request, and what its answer means to the client. */
export interface Refusal {
  readonly code?: string;
  readonly message?: string;
  readonly hint?: string;
  readonly issues?: readonly Issue[];
}
interface Content extends Refusal {
  readonly ok?: boolean;
  readonly sessionId?: string;
}
export interface Issue {
  readonly path?: readonly (string | number)[];
  readonly eventId?: string;
}

export type Answer =
  | { readonly kind: "taken"; readonly sessionId: string | undefined }
  /** Not now: the network failed, or the server has too much to do. */
  | { readonly kind: "later"; readonly retryAfterMs: number }
  /** `refused`: nothing that this page could send would be taken. */
  | { readonly kind: "session_lost" | "too_large" | "invalid" | "refused"; readonly refusal: Refusal };

/** Browsers hold 64 KiB of bodies that outlive their page; a larger one fails at once when it asks for that. */
const maxKeepaliveBytes = 60_000;

export async function post(url: string, body: unknown): Promise<Answer> {
  try {
    const text = JSON.stringify(body);
    const response = await fetch(url, {
      method: "POST",
      // Sent as text/plain, as every string is: JSON's own type would cost a preflight.
      body: text,
      keepalive: new Blob([text]).size < maxKeepaliveBytes,
      credentials: "omit",
    });
    return await read(response);
  } catch {
    return { kind: "later", retryAfterMs: 0 };
  }
}

async function read(response: Response): Promise<Answer> {
  const { status } = response;
  if (status === 408 || status === 429 || status >= 500) {
    return { kind: "later", retryAfterMs: Number(response.headers.get("retry-after")) * 1000 || 0 };
  }
  const content = await readJson(response);
  // A web server that answers every address with its own page says 200 too, and has taken nothing.
  if (response.ok && content.ok) return { kind: "taken", sessionId: content.sessionId };
  const message =
    content.message ?? `${response.url} answered ${status}, but not as a Headwater server does.`;
  return { kind: refusalKind(status, content.code), refusal: { ...content, message } };
}

function refusalKind(status: number, code: string | undefined) {
  if (status === 422) return "invalid";
  if (status === 413) return "too_large";
  return code === "invalid_session" || code === "session_expired" ? "session_lost" : "refused";
}

/** A proxy's page of HTML reads as an empty answer. */
async function readJson(response: Response): Promise<Content> {
  try {
    return Object(await response.json());
  } catch {
    return {};
  }
}
