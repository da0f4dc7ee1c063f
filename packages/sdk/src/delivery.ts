import { type ClientEvent, newId, type Page } from "./event.ts";
import { createQueue } from "./queue.ts";
import { quietly } from "./quietly.ts";
import type { Session } from "./session.ts";
import { type Issue, post, type Refusal } from "./transport.ts";
import { sdkVersion } from "./version.ts";

/** Takes events, sends them in batches, and keeps those that the server did not answer for. */
export interface Delivery {
  add(event: ClientEvent): void;
  flush(): void;
  /** The page may be gone in a moment: what waits goes now, beside a request that may be under way. */
  flushBeforeLeaving(): void;
}

export interface DeliveryOptions {
  readonly ingestUrl: string;
  readonly session: Session;
  readonly currentPage: () => Page;
  readonly beforeSend: () => void;
}

const maxWaiting = 1000;
const maxBatchAgeMs = 2000;
const firstBackoffMs = 1000;
const maxBackoffMs = 60_000;
/** A Retry-After beyond this is cut: a page rarely lives so long, and timers overflow. */
const maxRetryAfterMs = 3_600_000;

export function createDelivery({ ingestUrl, session, currentPage, beforeSend }: DeliveryOptions): Delivery {
  const queue = createQueue<ClientEvent>(maxWaiting);
  let maxBatchSize = 20;
  let batchTimer: ReturnType<typeof setTimeout> | undefined;
  let isSending = false;
  let isBackingOff = false;
  let hasStopped = false;
  let failures = 0;

  const flush = quietly(() => isSending || sendNext());

  async function sendNext(): Promise<void> {
    clearTimeout(batchTimer);
    batchTimer = undefined;
    if (hasStopped || isBackingOff || queue.size === 0) return;
    beforeSend();
    isSending = true;
    try {
      await send(queue.take(maxBatchSize), false);
    } finally {
      isSending = false;
      schedule();
    }
  }

  function schedule(): void {
    if (queue.size >= maxBatchSize) flush();
    else if (queue.size > 0) batchTimer ??= setTimeout(flush, maxBatchAgeMs);
  }

  async function send(events: readonly ClientEvent[], isSecondTry: boolean): Promise<void> {
    const sessionId = session.id;
    const answer = await (sessionId ? postEvents(sessionId, events) : postBootstrap(events));
    if (answer.kind !== "later") failures = 0;
    switch (answer.kind) {
      case "taken":
        if (!sessionId && answer.sessionId) session.open(answer.sessionId);
        return;
      case "later":
        queue.putBack(events);
        return backOff(answer.retryAfterMs);
      case "session_lost":
        if (!sessionId) return stop(answer.refusal);
        // Another request may have opened a new one meanwhile. The bootstrap carries the events, so this ends.
        if (session.id === sessionId) session.close();
        return send(events, isSecondTry);
      case "too_large":
        if (events.length === 1) return warn("An event was dropped.", answer.refusal);
        maxBatchSize = events.length >> 1;
        return queue.putBack(events);
      case "invalid": {
        const valid = withoutNamed(events, answer.refusal.issues ?? []);
        if (valid.length === events.length) return stop(answer.refusal);
        warn("Events were dropped.", answer.refusal);
        if (!isSecondTry && valid.length > 0) return send(valid, true);
        return;
      }
      case "refused":
        return stop(answer.refusal);
    }
  }

  const postBootstrap = (events: readonly ClientEvent[]) =>
    post(`${ingestUrl}/bootstrap`, {
      ...envelope(),
      sessionId: session.resumable(),
      userId: null,
      page: currentPage(),
      events,
    });

  const postEvents = (sessionId: string, events: readonly ClientEvent[]) =>
    post(`${ingestUrl}/events`, { ...envelope(), sessionId, events });

  const envelope = () => ({
    ingestVersion: 2,
    sdkVersion,
    batchId: newId(),
    sentAt: new Date().toISOString(),
    anonymousId: session.anonymousId,
    context: {
      locale: navigator.language,
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      userAgent: navigator.userAgent,
    },
  });

  /** At least what the server asks for; else twice as long each time, with jitter, so that pages do not come back at once. */
  function backOff(retryAfterMs: number): void {
    const exponentialMs = Math.min(firstBackoffMs * 2 ** failures, maxBackoffMs);
    failures += 1;
    isBackingOff = true;
    const delayMs = Math.max(
      exponentialMs * (0.5 + Math.random() / 2),
      Math.min(retryAfterMs, maxRetryAfterMs),
    );
    setTimeout(() => {
      isBackingOff = false;
      flush();
    }, delayMs);
  }

  function stop(refusal: Refusal): void {
    if (hasStopped) return;
    hasStopped = true;
    queue.take(maxWaiting);
    warn("Nothing more is sent from this page.", refusal);
  }

  return {
    add(event) {
      if (hasStopped) return;
      queue.add(event);
      schedule();
    },
    flush,
    flushBeforeLeaving: quietly(sendNext),
  };
}

function withoutNamed(events: readonly ClientEvent[], issues: readonly Issue[]): ClientEvent[] {
  const named = new Set(
    issues.flatMap(({ eventId, path }) => [eventId, path?.[0] === "events" ? path[1] : undefined]),
  );
  return events.filter((event, index) => !named.has(event.id) && !named.has(index));
}

function warn(consequence: string, { code, message, hint, issues = [] }: Refusal): void {
  console.warn(
    ["Headwater:", consequence, message, hint, code && `(${code})`].filter(Boolean).join(" "),
    ...issues,
  );
}
