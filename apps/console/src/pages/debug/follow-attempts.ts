/** Attempts as they happen, over one stream that is opened again, where it ended, for as long as somebody looks. */
import type { Attempt } from "@headwater/contract";
import { type Answer, ApiError, type Ask, ask } from "../../api.ts";
import { parseEventStream } from "./server-sent-events.ts";

export type AttemptFilters = Omit<NonNullable<Ask<"streamDebug">["query"]>, "limit" | "cursor">;
export type DebugAnswer = Answer<"getDebug">;

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;

export interface AttemptListener {
  /** Attempts from now on will come. */
  onOpen(): void;
  onAttempt(attempt: Attempt): void;
  /** The stream has broken and is tried again; or it never will be, where the service said no. */
  onBroken(error: Error, isFinal: boolean): void;
}

/** Until the signal ends it, or an answer says that there is nothing to be followed. */
export async function followAttempts(
  sourceId: string,
  filters: AttemptFilters,
  follower: AttemptListener,
  signal: AbortSignal,
): Promise<void> {
  let lastEventId: string | null = null;
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    try {
      const headers: Record<string, string> = lastEventId === null ? {} : { "Last-Event-ID": lastEventId };
      const response = await ask("streamDebug", { params: { sourceId }, query: filters, headers, signal });
      follower.onOpen();
      pauseMs = FIRST_PAUSE_MS;
      for await (const { id, event, data } of parseEventStream(
        response.body!.pipeThrough(new TextDecoderStream()),
      )) {
        lastEventId = id ?? lastEventId;
        if (event === "attempt") follower.onAttempt(JSON.parse(data) as Attempt);
      }
    } catch (error) {
      if (signal.aborted) return;
      const isFinal =
        error instanceof ApiError && error.status >= 400 && error.status < 500 && !error.retryable;
      follower.onBroken(error as Error, isFinal);
      if (isFinal) return;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}
