/** Follows a source's attempts over a stream of server-sent events, and reconnects after a pause when it breaks. */
import type { DebugAttempt } from "@headwater/contract";
import { type ApiAnswer, ApiFailure, type ApiInput, api } from "../../api.ts";
import { parseEventStream } from "./server-sent-events.ts";

export type AttemptFilters = Omit<NonNullable<ApiInput<"streamDebug">["query"]>, "limit" | "cursor">;
export type DebugResult = ApiAnswer<"getDebug">;

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 15_000;

export interface AttemptListener {
  /** The stream is open. After a reconnect it begins with the attempts that were missed. */
  onOpen(): void;
  onAttempt(attempt: DebugAttempt): void;
  /** The stream broke. It is opened again unless `isFinal`: then the API has refused it. */
  onDisconnect(error: Error, isFinal: boolean): void;
}

interface FollowAttemptsOptions {
  readonly sourceId: string;
  readonly filters: AttemptFilters;
  readonly listener: AttemptListener;
  readonly signal: AbortSignal;
}

/** Runs until the signal aborts or the API refuses the stream. */
export async function followAttempts(options: FollowAttemptsOptions): Promise<void> {
  const { sourceId, filters, listener, signal } = options;
  let lastEventId: string | null = null;
  let retryMs = FIRST_RETRY_MS;
  while (!signal.aborted) {
    try {
      const headers: Record<string, string> = lastEventId === null ? {} : { "Last-Event-ID": lastEventId };
      const response = await api.streamDebug({
        params: { sourceId },
        query: filters,
        headers,
        signal,
      });
      listener.onOpen();
      retryMs = FIRST_RETRY_MS;
      for await (const { id, event, data } of parseEventStream(
        response.body!.pipeThrough(new TextDecoderStream()),
      )) {
        lastEventId = id ?? lastEventId;
        if (event === "attempt") listener.onAttempt(JSON.parse(data) as DebugAttempt);
      }
    } catch (error) {
      if (signal.aborted) return;
      const isFinal =
        error instanceof ApiFailure && error.status >= 400 && error.status < 500 && !error.retryable;
      listener.onDisconnect(error as Error, isFinal);
      if (isFinal) return;
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs));
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
  }
}
