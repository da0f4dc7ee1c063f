import type { Gate } from "./consent.ts";
import { type ClientEvent, newId, type Page } from "./event.ts";
import type { Entry, Queue } from "./queue.ts";
import type { Session } from "./session.ts";
import { type Answer, keepaliveRoom, post, type Refusal } from "./transport.ts";
import type { Turns } from "./turns.ts";
import { sdkVersion } from "./version.ts";

/** Takes events, sends them in batches, and keeps those that the server did not answer for. */
export interface Delivery {
  add(event: ClientEvent): void;
  /** Sends what waits; done when the server has answered for it, or cannot for now. */
  flush(): Promise<void>;
  /** Tells the server who the visitor is, also when no event follows. */
  announce(): void;
  /** The page may be gone in a moment: what it has added goes now, beside a request that may be under way. */
  flushBeforeLeaving(): void;
  /** The network is back: what failed for the want of it is tried now. */
  retry(): void;
  stop(refusal: Refusal): void;
}

export interface DeliveryOptions {
  readonly ingestUrl: string;
  readonly session: Session;
  readonly queue: Queue;
  readonly turns: Turns;
  readonly gate: Gate;
  readonly currentPage: () => Page;
  readonly beforeSend: () => void;
  readonly log: (...words: unknown[]) => void;
}

const maxBatchAgeMs = 2000;
/** Small enough to outlive the page. */
const maxBatchLength = 50_000;
const envelopeLength = 2000;
const firstBackoffMs = 1000;
const maxBackoffMs = 60_000;
/** A Retry-After beyond this is cut: a page rarely lives so long, and timers overflow. */
const maxRetryAfterMs = 3_600_000;

export function createDelivery(options: DeliveryOptions): Delivery {
  const { ingestUrl, session, queue, turns, gate, currentPage, beforeSend, log } = options;
  const inFlight = new Set<string>();
  let maxBatchSize = 20;
  let batchTimer: ReturnType<typeof setTimeout> | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> | undefined;
  let isToldToWait = false;
  let failures = 0;
  let hasStopped = false;
  /** Each page asks for its session once, with its first events; the server resumes the one that goes on. */
  let mustBootstrap = true;
  /** A bootstrap is due even without an event. */
  let mustAnnounce = false;

  const waiting = (): Entry[] => queue.list().filter(([name]) => !inFlight.has(name));

  const mayNot = (): unknown => hasStopped || retryTimer || /held|shut/.test(gate.state());

  /** @param isWhole false: only what fills batches, the rest may wait for more */
  async function sendInTurn(isWhole: boolean): Promise<void> {
    clearTimeout(batchTimer);
    batchTimer = undefined;
    if (mayNot()) return;
    sending ??= turns
      .take(() => sendWaiting(isWhole))
      .catch(() => {})
      .then(() => {
        sending = undefined;
        schedule();
      });
    await sending;
  }

  async function sendWaiting(isWhole: boolean): Promise<void> {
    beforeSend();
    const names = waiting().map(([name]) => name);
    const due = new Set(isWhole ? names : names.slice(0, names.length - (names.length % maxBatchSize)));
    while (!mayNot()) {
      const entries = waiting().filter(([name]) => due.has(name));
      const isAsking = gate.state() === "asking";
      if (entries[0] || mustAnnounce || isAsking)
        await send(isAsking ? [] : batchOf(entries, maxBatchSize, maxBatchLength));
      else break;
    }
  }

  function schedule(): void {
    const count = queue.own.size - inFlight.size;
    if (count >= maxBatchSize) sendInTurn(false);
    else if (count > 0) batchTimer ??= setTimeout(() => sendInTurn(true), maxBatchAgeMs);
  }

  async function send(entries: readonly Entry[]): Promise<void> {
    const sessionId = mustBootstrap ? undefined : session.id();
    const page = sessionId ? undefined : currentPage();
    const events = entries.map(([, { userId, ...event }]) => event);
    const userId = entries.reduce<string | null>((known, [, event]) => event.userId ?? known, null);
    mustAnnounce = false;
    for (const [name] of entries) inFlight.add(name);
    const url = `${ingestUrl}/${sessionId ? "events" : "bootstrap"}`;
    const answer = await post(url, {
      ingestVersion: 2,
      sdkVersion,
      batchId: newId(),
      sentAt: new Date().toISOString(),
      anonymousId: session.anonymousId(),
      sessionId: sessionId ?? session.id() ?? null,
      userId: userId ?? session.userId(),
      page,
      context: {
        locale: navigator.language,
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        userAgent: navigator.userAgent,
      },
      events,
    });
    for (const [name] of entries) inFlight.delete(name);
    log(events, answer);
    settle(answer, entries, url, sessionId);
  }

  function settle(
    { status, content, retryAfterMs }: Answer,
    entries: readonly Entry[],
    url: string,
    sessionId?: string,
  ): void {
    if (!status || status === 408 || status === 429 || status >= 500) return backOff(retryAfterMs);
    failures = 0;
    const { ok, code, message, results = [], issues = [], privacy } = content;
    // A web server that answers every address with its own page says 200 too, and has taken nothing.
    if (ok && status < 300) {
      mustBootstrap = false;
      session.keepAlive(content.sessionId ?? sessionId!);
      entries.forEach(([name, event], index) => {
        const result = results[index];
        if (result?.code === "session_mismatch" && event.sessionId) {
          event.sessionId = undefined;
          queue.own.set(name, event);
        } else {
          if (result?.status === "rejected") warn("An event was not taken.", result);
          queue.remove(name);
        }
      });
      if (!sessionId) gate.obey(privacy ?? {});
    } else if (sessionId && /^(invalid_session|session_expired)$/.test(code ?? "")) {
      // The next request is a bootstrap and carries the same events.
      session.lose(sessionId);
      mustBootstrap = true;
    } else if (status === 413 && entries[1]) maxBatchSize = entries.length >> 1;
    else {
      const named = new Set(
        issues.flatMap(({ eventId, path }) => [eventId, path?.[0] === "events" && path[1]]),
      );
      const spoilt = entries.filter(
        ([, { id }], index) => status === 413 || (status === 422 && (named.has(id) || named.has(index))),
      );
      const refusal = {
        ...content,
        message: message ?? `${url} answered ${status}, but not as a Headwater server does.`,
      };
      if (!spoilt[0]) return stop(refusal);
      warn("Events were dropped.", refusal);
      for (const [name] of spoilt) queue.remove(name);
    }
  }

  /** At least what the server asks for; else twice as long each time, with jitter, so that pages do not come back at once. */
  function backOff(retryAfterMs: number): void {
    const exponentialMs = Math.min(firstBackoffMs * 2 ** failures, maxBackoffMs);
    failures += 1;
    isToldToWait = retryAfterMs > 0;
    clearTimeout(retryTimer);
    retryTimer = setTimeout(
      resume,
      Math.max(exponentialMs * (0.5 + Math.random() / 2), Math.min(retryAfterMs, maxRetryAfterMs)),
    );
  }

  function resume(): void {
    clearTimeout(retryTimer);
    retryTimer = undefined;
    isToldToWait = false;
    sendInTurn(true);
  }

  function stop(refusal: Refusal): void {
    if (!hasStopped) warn("Nothing more is sent from this page.", refusal);
    hasStopped = true;
  }

  return {
    add(event) {
      if (hasStopped) return;
      queue.add({
        ...event,
        anonymousId: session.anonymousId(),
        sessionId: session.id(),
        userId: session.userId(),
      });
      schedule();
    },
    async flush() {
      await sending;
      await sendInTurn(true);
    },
    announce() {
      // Before the first request it is told by that one.
      mustAnnounce = !mustBootstrap;
      mustBootstrap = true;
      if (mustAnnounce) sendInTurn(true);
    },
    flushBeforeLeaving() {
      if (hasStopped || isToldToWait || gate.state() !== "open") return;
      beforeSend();
      let entries = waiting().filter(([name]) => queue.own.has(name));
      while (entries[0] && keepaliveRoom() > envelopeLength) {
        const batch = batchOf(entries, maxBatchLength, keepaliveRoom() - envelopeLength);
        entries = entries.slice(batch.length);
        send(batch);
      }
    },
    retry: () => retryTimer && !isToldToWait && resume(),
    stop,
  };
}

/**
 * The oldest that may share a request: at most so many, about so long in all, but always one; of one visitor, and of
 * one user, whom what happened before the identification belongs to as well.
 */
function batchOf(entries: readonly Entry[], maxSize: number, maxLength: number): readonly Entry[] {
  const first = entries[0]?.[1];
  let user: string | null | undefined;
  let length = 0;
  const end = entries.findIndex(([, event], index) => {
    length += JSON.stringify(event).length;
    const isOther = event.anonymousId !== first?.anonymousId || (user && event.userId !== user);
    user ??= event.userId;
    return index > 0 && (index >= maxSize || length > maxLength || isOther);
  });
  return end < 0 ? entries : entries.slice(0, end);
}

function warn(consequence: string, { code, message, hint, debugUrl, issues = [] }: Refusal): void {
  console.warn(
    ["Headwater:", consequence, message, hint, code && `(${code})`, debugUrl].filter(Boolean).join(" "),
    ...issues,
  );
}
