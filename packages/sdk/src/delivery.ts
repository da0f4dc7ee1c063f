import type { Gate } from "./consent.ts";
import { type ClientEvent, newId, type Page, type Stamp } from "./event.ts";
import { createQueue, type Entry, type QueuedEvent } from "./queue.ts";
import { createSession } from "./session.ts";
import type { Store } from "./storage.ts";
import { type Answer, bytesOf, keepaliveRoom, post, type Refusal } from "./transport.ts";
import { hasTurns, inTurn } from "./turns.ts";
import { sdkVersion } from "./version.ts";

/** Takes events, sends them in batches, and keeps those that the server did not answer for. */
export interface Delivery {
  add(event: ClientEvent): void;
  /** From now on the visitor is this user; the server is told at once. */
  identify(userId: string): void;
  /** Forgets user, visitor and session. */
  reset(): void;
  /** Sends what waits; done when the server has answered for it, or cannot for now. */
  flush(): Promise<void>;
  /** The page may be gone in a moment: what it has added goes now, beside a request that may be under way. */
  leave(): void;
  stop(refusal: Refusal): void;
  /** Prints what is sent, and what is answered. */
  debug(on?: boolean): void;
}

const maxBatchAgeMs = 2000;
/** Where pages cannot take turns, they leave the events of others alone for so long. */
const abandonedAfterMs = 60_000;
/** Small enough to outlive the page. */
const maxBatchBytes = 50_000;
const envelopeBytes = 2000;
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
  /** By the server; a page that ends cannot wait for the network as well. */
  let isToldToWait = false;
  let sending: Promise<void> | undefined;
  let failures = 0;
  let hasStopped = false;
  let isDebugging = false;
  /**
   * The user that the server knows this visitor as, null for none. Undefined asks for a bootstrap: each page makes one with
   * its first events, and the server resumes the session that goes on.
   */
  let told: string | null | undefined;

  /** What this page may send now, the oldest first. */
  const unsent = (): Entry[] =>
    queue
      .list()
      .filter(
        ([name, event]) => !inFlight.has(name) && (hasTurns() || queue.own.has(name) || isAbandoned(event)),
      );

  const isSilent = (): boolean => hasStopped || /held|shut/.test(gate.state());

  /** @param isWhole false: only what fills batches, the rest may wait for more */
  async function sendInTurn(isWhole: boolean): Promise<void> {
    clearTimeout(batchTimer);
    batchTimer = undefined;
    if (isSilent() || retryTimer) return;
    sending ??= inTurn(publicKey, () => sendWaiting(isWhole)).then(sent, sent);
    await sending;
  }

  function sent(): void {
    sending = undefined;
    schedule();
  }

  async function sendWaiting(isWhole: boolean): Promise<void> {
    beforeSend();
    const due = unsent();
    const [last = ""] = due[due.length - 1 - (isWhole ? 0 : due.length % maxBatchSize)] ?? [];
    while (!isSilent() && !retryTimer) {
      // What comes meanwhile may wait for more.
      const entries = unsent().filter(([name]) => name <= last);
      if (!entries[0] && told === session.stamp().userId) break;
      await send(gate.state() === "asking" ? [] : batchOf(entries, maxBatchSize, maxBatchBytes));
    }
  }

  function schedule(): void {
    const count = queue.own.size - inFlight.size;
    if (count >= maxBatchSize) sendInTurn(false);
    else if (count > 0) batchTimer ??= setTimeout(() => sendInTurn(true), maxBatchAgeMs);
  }

  async function send(entries: readonly Entry[]): Promise<void> {
    const isAsking = gate.state() === "asking";
    const present = session.stamp();
    const events = entries.map(([, event]) => event);
    // After a reset the events of the visitor before may still be here: they are sent as that one's.
    const { anonymousId, userId, sessionId } = events[0] ?? {
      ...present,
      userId: isAsking ? null : present.userId,
    };
    const isPresent = anonymousId === present.anonymousId;
    const visit = isPresent ? present.sessionId : sessionId;
    const known = isPresent && told !== present.userId ? null : visit;
    for (const [name] of entries) inFlight.add(name);
    const url = `${ingestUrl}/${known ? "events" : "bootstrap"}`;
    const answer = await post(url, {
      ingestVersion: 2,
      sdkVersion,
      batchId: newId(),
      sentAt: new Date().toISOString(),
      anonymousId,
      userId,
      sessionId: visit,
      joinSession: true,
      // The source is asked with nothing that tells of the visitor.
      page: known ? undefined : isAsking ? {} : currentPage(),
      context: isAsking
        ? undefined
        : {
            locale: navigator.language,
            timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
          },
      events,
    });
    for (const [name] of entries) inFlight.delete(name);
    if (isDebugging) console.log("Headwater:", events, answer);
    settle(answer, entries, url, known, { anonymousId, userId });
  }

  function settle(
    { status, content, waitMs }: Answer,
    entries: readonly Entry[],
    url: string,
    sessionId: string | null,
    whose: Pick<Stamp, "anonymousId" | "userId">,
  ): void {
    if (/^(0|408|429|5..)$/.test(`${status}`)) {
      backOff(waitMs);
      return;
    }
    failures = 0;
    const { ok, code, results = [], issues, privacy = {} } = content;
    // A web server that answers every address with its own page says 200 too, and has taken nothing.
    if (ok) {
      // After a reset it is the session of somebody else.
      if (whose.anonymousId === session.stamp().anonymousId) {
        told = whose.userId;
        session.open(content.sessionId ?? sessionId!);
      }
      entries.forEach((entry, index) => {
        const result = results[index];
        if (isAboutSession(result?.code) && entry[1].sessionId) release(entry);
        else {
          if (result?.status === "rejected") warn("dropped events.", result);
          queue.remove(entry[0]);
        }
      });
      if (!sessionId) gate.obey(privacy);
    } else if (sessionId && isAboutSession(code)) {
      // The next request is a bootstrap and carries the same events.
      for (const entry of entries) if (entry[1].sessionId === sessionId) release(entry);
      told = undefined;
    } else if (status === 413 && entries[1]) maxBatchSize = Math.min(maxBatchSize, entries.length >> 1);
    else {
      const spoilt = entries.filter(
        ([, { id }], index) =>
          status === 413 ||
          issues?.some(
            ({ eventId, path = [] }) => eventId === id || (path[0] === "events" && path[1] === index),
          ),
      );
      const refusal = { message: `${url} answered ${status}, not as Headwater.`, ...content };
      if (spoilt[0]) warn("dropped events.", refusal);
      else stop(refusal);
      for (const [name] of spoilt) queue.remove(name);
    }
  }

  /** It goes with the session of its batch. */
  function release([name, event]: Entry): void {
    event.sessionId = null;
    queue.own.set(name, event);
  }

  /** At least what the server asks for; else twice as long each time, with jitter, so that pages do not come back at once. */
  function backOff(waitMs: number): void {
    const exponentialMs = Math.min(firstBackoffMs * 2 ** failures++, maxBackoffMs);
    isToldToWait = waitMs > 0;
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
    if (isSilent() || (retryTimer && isToldToWait)) return;
    beforeSend();
    const entries = unsent().filter(([name]) => queue.own.has(name));
    const room = keepaliveRoom() - envelopeBytes;
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
      const present = session.stamp();
      for (const event of queue.own.values())
        if (event.anonymousId === present.anonymousId) event.userId ??= userId;
      session.identify(userId);
      if (userId !== present.userId) sendInTurn(true);
    },
    reset() {
      // What happened before is still of the one who did it.
      leave();
      session.reset();
      told = undefined;
    },
    leave,
    stop,
    debug(on = true) {
      isDebugging = on;
    },
  };
}

/** invalid_session, session_expired, session_mismatch: it is not known to the server, or takes no events any more. */
const isAboutSession = (code: Refusal["code"]): boolean => /session/.test(`${code}`);

const isAbandoned = ({ timestamp }: QueuedEvent) => Date.now() - Date.parse(timestamp) > abandonedAfterMs;

/** The oldest that may share a request: at most so many, about so large in all, but always one; of one visitor and user. */
function batchOf(entries: readonly Entry[], maxSize: number, maxBytes: number): readonly Entry[] {
  const first = entries[0]?.[1];
  let bytes = 0;
  const end = entries.findIndex(([, event], index) => {
    bytes += bytesOf(JSON.stringify(event));
    return (
      index > 0 &&
      (index >= maxSize ||
        bytes > maxBytes ||
        event.anonymousId !== first?.anonymousId ||
        event.userId !== first.userId)
    );
  });
  return end < 0 ? entries : entries.slice(0, end);
}

function warn(consequence: string, { message, hint, code, debugUrl, issues = [] }: Refusal): void {
  const parts = ["Headwater:", consequence, message, hint, code, debugUrl];
  console.warn(...parts.filter(Boolean), ...issues);
}
