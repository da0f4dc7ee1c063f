import type { Gate } from "./consent.ts";
import { type ClientEvent, newId, type Page } from "./event.ts";
import { createQueue, type Entry, type QueuedEvent } from "./queue.ts";
import { createSession } from "./session.ts";
import type { Store } from "./storage.ts";
import { type Answer, keepaliveRoom, post, type Refusal } from "./transport.ts";
import { hasTurns, inTurn } from "./turns.ts";
import { sdkVersion } from "./version.ts";

/** Takes events, sends them in batches, and keeps those that the server did not answer for. */
export interface Delivery {
  add(event: ClientEvent): void;
  /** From now on the visitor is this user; the server is told at once. */
  identify(userId: string): void;
  /** Forgets user, visitor and session. */
  reset(): void;
  /** The events that wait; as new ones, should they be added again. */
  list(): ClientEvent[];
  /** Sends what waits; done when the server has answered for it, or cannot for now. */
  flush(): Promise<void>;
  /** The page may be gone in a moment: what it has added goes now, beside a request that may be under way. */
  leave(): void;
  stop(refusal: Refusal): void;
  /** Prints what is sent, and what is answered. */
  debug(on: boolean): void;
}

const maxBatchAgeMs = 2000;
/** Where pages cannot take turns, they leave the events of others alone for so long. */
const abandonedAfterMs = 60_000;
/** Small enough to outlive the page. */
const maxBatchLength = 50_000;
const envelopeLength = 2000;
/** As many as a server takes in one batch. */
const maxLeavingSize = 500;
const firstBackoffMs = 1000;
const maxBackoffMs = 60_000;
/** A Retry-After beyond this is cut: a page rarely lives so long, and timers overflow. */
const maxRetryAfterMs = 3_600_000;

/** @param beforeSend called before what waits is read */
export function createDelivery(
  ingestUrl: string,
  publicKey: string,
  store: Store,
  gate: Gate,
  currentPage: () => Page,
  beforeSend: () => void,
): Delivery {
  const session = createSession(store, publicKey);
  const queue = createQueue(store, publicKey);
  const inFlight = new Set<string>();
  let maxBatchSize = 20;
  let batchTimer: ReturnType<typeof setTimeout> | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> | undefined;
  let failures = 0;
  let hasStopped = false;
  let isDebugging = false;
  /** Each page asks for its session once, with its first events; the server resumes the one that goes on. */
  let mustBootstrap = true;

  const unsent = (): Entry[] => queue.list().filter(([name]) => !inFlight.has(name));

  const mayNot = (): unknown => hasStopped || retryTimer || /held|shut/.test(gate.state());

  /** @param isWhole false: only what fills batches, the rest may wait for more */
  async function sendInTurn(isWhole: boolean): Promise<void> {
    clearTimeout(batchTimer);
    batchTimer = undefined;
    if (mayNot()) return;
    sending ??= inTurn(publicKey, () => sendWaiting(isWhole)).then(sent, sent);
    await sending;
  }

  function sent(): void {
    sending = undefined;
    schedule();
  }

  async function sendWaiting(isWhole: boolean): Promise<void> {
    beforeSend();
    const names = unsent()
      .filter(([name, event]) => hasTurns() || queue.own.has(name) || isAbandoned(event))
      .map(([name]) => name);
    const due = new Set(isWhole ? names : names.slice(0, names.length - (names.length % maxBatchSize)));
    while (!mayNot()) {
      const entries = unsent().filter(([name]) => due.has(name));
      if (!entries[0] && !mustBootstrap) break;
      await send(gate.state() === "asking" ? [] : batchOf(entries, maxBatchSize, maxBatchLength));
    }
  }

  function schedule(): void {
    const count = queue.own.size - inFlight.size;
    if (count >= maxBatchSize) sendInTurn(false);
    else if (count > 0) batchTimer ??= setTimeout(() => sendInTurn(true), maxBatchAgeMs);
  }

  async function send(entries: readonly Entry[]): Promise<void> {
    const stamp = session.stamp();
    const sessionId = mustBootstrap ? null : stamp.sessionId;
    const events = entries.map(([, event]) => event);
    for (const [name] of entries) inFlight.add(name);
    const url = `${ingestUrl}/${sessionId ? "events" : "bootstrap"}`;
    const answer = await post(url, {
      ingestVersion: 2,
      sdkVersion,
      batchId: newId(),
      sentAt: new Date().toISOString(),
      ...stamp,
      userId: (events[0] ?? stamp).userId,
      page: sessionId ? undefined : currentPage(),
      context: {
        locale: navigator.language,
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      },
      events,
    });
    for (const [name] of entries) inFlight.delete(name);
    if (isDebugging) console.log("Headwater:", events, answer);
    settle(answer, entries, url, sessionId, stamp.anonymousId);
  }

  function settle(
    { status, content, waitMs }: Answer,
    entries: readonly Entry[],
    url: string,
    sessionId: string | null,
    anonymousId: string,
  ): void {
    if (/^(0|408|429|5..)$/.test(`${status}`)) {
      backOff(waitMs);
      return;
    }
    failures = 0;
    const { ok, code, results = [], issues = [], privacy = {} } = content;
    // A web server that answers every address with its own page says 200 too, and has taken nothing.
    if (ok) {
      // After a reset it is the session of somebody else.
      if (anonymousId === session.stamp().anonymousId) {
        mustBootstrap = false;
        session.open(content.sessionId ?? sessionId!);
      }
      entries.forEach(([name, event], index) => {
        const result = results[index];
        if (result?.code === "session_mismatch" && event.sessionId) {
          event.sessionId = null;
          queue.own.set(name, event);
        } else {
          if (result?.status === "rejected") warn("dropped events.", result);
          queue.remove(name);
        }
      });
      if (!sessionId) gate.obey(privacy);
    } else if (sessionId && /invalid_session|session_expired/.test(`${code}`)) {
      // The next request is a bootstrap and carries the same events.
      session.lose(sessionId);
      mustBootstrap = true;
    } else if (status === 413 && entries[1]) maxBatchSize = entries.length >> 1;
    else {
      const spoilt = entries.filter(
        ([, { id }], index) =>
          status === 413 ||
          issues.some(
            ({ eventId, path = [] }) => eventId === id || (path[0] === "events" && path[1] === index),
          ),
      );
      const refusal = { message: `${url} answered ${status}, not as Headwater.`, ...content };
      if (spoilt[0]) warn("dropped events.", refusal);
      else stop(refusal);
      for (const [name] of spoilt) queue.remove(name);
    }
  }

  /** At least what the server asks for; else twice as long each time, with jitter, so that pages do not come back at once. */
  function backOff(waitMs: number): void {
    const exponentialMs = Math.min(firstBackoffMs * 2 ** failures++, maxBackoffMs);
    retryTimer ??= setTimeout(
      () => {
        retryTimer = undefined;
        sendInTurn(true);
      },
      Math.max(exponentialMs * (0.5 + Math.random() / 2), Math.min(waitMs, maxRetryAfterMs)),
    );
  }

  function stop(refusal: Refusal): void {
    if (!hasStopped) warn("stopped.", refusal);
    hasStopped = true;
  }

  function leave(): void {
    if (mayNot()) return;
    beforeSend();
    const entries = unsent().filter(([name]) => queue.own.has(name));
    const room = keepaliveRoom() - envelopeLength;
    if (entries[0] && room > 0) send(batchOf(entries, maxLeavingSize, room));
  }

  return {
    add(event) {
      if (hasStopped) return;
      queue.add({ ...event, ...session.stamp() });
      schedule();
    },
    async flush() {
      await sending;
      await sendInTurn(true);
    },
    identify(userId) {
      // What the visitor did before, on this page, was done by this user.
      for (const event of queue.own.values()) event.userId ??= userId;
      if (!session.identify(userId)) return;
      mustBootstrap = true;
      sendInTurn(true);
    },
    reset() {
      // What happened before is still of the one who did it.
      leave();
      session.reset();
      mustBootstrap = true;
    },
    list: () => queue.list().map(([, event]) => event),
    leave,
    stop,
    debug(on) {
      isDebugging = on;
    },
  };
}

const isAbandoned = ({ timestamp }: QueuedEvent) => Date.now() - Date.parse(timestamp) > abandonedAfterMs;

/** The oldest that may share a request: at most so many, about so long in all, but always one; of one visitor and user. */
function batchOf(entries: readonly Entry[], maxSize: number, maxLength: number): readonly Entry[] {
  const first = entries[0]?.[1];
  let length = 0;
  const end = entries.findIndex(([, event], index) => {
    length += JSON.stringify(event).length;
    return (
      index > 0 &&
      (index >= maxSize ||
        length > maxLength ||
        event.anonymousId !== first?.anonymousId ||
        event.userId !== first.userId)
    );
  });
  return end < 0 ? entries : entries.slice(0, end);
}

function warn(consequence: string, { message, hint, code, debugUrl, issues = [] }: Refusal): void {
  const parts = ["Headwater:", consequence, message, hint, code && `(${code})`, debugUrl];
  console.warn(...parts.filter(Boolean), ...issues);
}
