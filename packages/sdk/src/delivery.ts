import { takeBatch } from "./batch.ts";
import { type ConsentGate, open } from "./consent.ts";
import { type DatedEvent, newId } from "./event.ts";
import { withPageLock } from "./page-lock.ts";
import { createQueue, maxAgeMs, type QueueEntry } from "./queue.ts";
import { createSession } from "./session.ts";
import type { ClientStore } from "./storage.ts";
import { type IngestReply, keepaliveRoom, post, type RefusalDetails } from "./transport.ts";
import { sdkVersion } from "./version.ts";

/** Queues events, sends them in batches, and keeps them until the server has answered for them. */
export interface Delivery {
  enqueue(event: DatedEvent): void;
  /** Runs the function when no other page sends. */
  lock(run: () => void): void;
  /** Sends this page's events now, even while another request is in flight, because the page may be closed. */
  leave(): void;
  stop(refusal: RefusalDetails): void;
  /** Discards waiting events and starts a new visitor. */
  discardAll(): void;
  /** The public methods that a page may call. */
  readonly calls: {
    /** Assigns the visitor to a user and tells the server at once. */
    identify(userId: string | number): void;
    /** Starts a new visitor without a user or session. */
    reset(): void;
    /** Sends waiting events. Resolves when the server has answered for them or cannot be reached now. */
    flush(): Promise<void>;
    /** Logs every request and response to the browser's console. */
    debug(on?: boolean): void;
  };
}

const maxUserIdLength = 200;
const maxBatchAgeMs = 2000;
/** Below the browser's limit for `keepalive` requests, so that the request can outlive the page. */
const maxBatchBytes = 50_000;
const envelopeBytes = 2000;
/** The server's maximum batch size. */
const maxLeavingSize = 500;
/** Jitter makes a backoff up to twice as long: from 1 s at first to 60 s at the end. */
const firstBackoffMs = 500;
const lastBackoffMs = 30_000;
/** A longer Retry-After is cut: pages rarely live that long, and timers overflow. */
const maxRetryAfterMs = 3_600_000;

/**
 * @param prefix the prefix of this source's names in the store
 * @param beforeSend called before waiting events are read
 */
export function createDelivery(
  ingestUrl: string,
  prefix: string,
  store: ClientStore,
  gate: ConsentGate,
  beforeSend: () => void,
): Delivery {
  const waitName = `${prefix}wait`;
  const session = createSession(store, prefix);
  let queue = createQueue(store, prefix);
  const inFlight = new Set<string>();
  let maxBatchSize = 20;
  let batchTimer: ReturnType<typeof setTimeout> | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> | undefined;
  /** Consecutive failures. */
  let failures = 0;
  let hasStopped: boolean | undefined;
  let isDebugging: boolean | undefined;
  /**
   * The user that the server knows for this visitor; undefined for none. Null causes a bootstrap: each page makes one with
   * its first events, and the server resumes the current session.
   */
  let knownUserId: string | null | undefined = null;

  /** The events that this page may send now, oldest first. */
  const unsent = (): QueueEntry[] =>
    queue.list(session.currentOwner().anonymousId).filter(([name]) => !inFlight.has(name));

  const isSilent = (): boolean => hasStopped || gate.state() !== open;

  /** The remaining Retry-After, shared by all pages of the site. A value beyond the maximum means the clock was set back. */
  function retryAfterMs(): number {
    const ms = +store.read(waitName)! - Date.now();
    return ms > maxRetryAfterMs ? 0 : ms;
  }

  function mustWait(): unknown {
    if (retryAfterMs() > 0) retryIn(retryAfterMs());
    return isSilent() || retryTimer;
  }

  function retryIn(ms: number): void {
    retryTimer ??= setTimeout(() => {
      retryTimer = undefined;
      void sendInTurn(true);
    }, ms);
  }

  /** @param isWhole false sends only full batches; the rest waits for more events */
  function sendInTurn(isWhole: boolean): Promise<void> | undefined {
    clearTimeout(batchTimer);
    batchTimer = undefined;
    if (!mustWait()) lock(() => sendWaiting(isWhole));
    return sending;
  }

  function lock(run: () => unknown): void {
    sending ??= withPageLock(prefix, run).then(sent, sent);
  }

  function sent(): void {
    sending = undefined;
    schedule();
  }

  async function sendWaiting(isWhole: boolean): Promise<void> {
    beforeSend();
    const due = unsent();
    const last = due[due.length - 1 - (isWhole ? 0 : due.length % maxBatchSize)]?.[0];
    while (!mustWait()) {
      // Events that arrive during a request wait for the next batch.
      const entries = unsent().filter(([name]) => name <= last!);
      const isNews = knownUserId !== null && knownUserId !== session.currentOwner().userId;
      // A bootstrap without events tells the server the user. Pages older than a day stop retrying it.
      if (!entries[0] && (!isNews || (failures && performance.now() > maxAgeMs))) break;
      // After failures, try fewer and different events: one that a firewall always blocks must not hold up the others.
      const others = entries.slice((failures >> 1) % entries.length);
      await send(takeBatch(others, maxBatchSize >> failures || 1, maxBatchBytes));
    }
  }

  function schedule(): void {
    const count = queue.own.size - inFlight.size;
    if (count >= maxBatchSize) void sendInTurn(false);
    else if (count > 0) batchTimer ??= setTimeout(() => sendInTurn(true), maxBatchAgeMs);
  }

  async function send(entries: readonly QueueEntry[]): Promise<void> {
    const owner = session.currentOwner();
    const events = entries.map(([, event]) => event);
    // After a reset, unsent events of the previous visitor are still sent with that visitor's ids.
    const { anonymousId, userId, sessionId } = events[0] ?? owner;
    const isCurrentOwner = owner.anonymousId === anonymousId;
    const batchSessionId = isCurrentOwner ? owner.sessionId : sessionId;
    const continuedSessionId = isCurrentOwner && knownUserId !== owner.userId ? undefined : batchSessionId;
    for (const entry of entries) inFlight.add(entry[0]);
    const ask = (askedSessionId: string | undefined) =>
      post(`${ingestUrl}/${askedSessionId ? "events" : "bootstrap"}`, {
        ingestVersion: 2,
        sdkVersion,
        batchId: newId(),
        sentAt: new Date().toISOString(),
        anonymousId,
        userId,
        sessionId: askedSessionId ?? batchSessionId,
        joinSession: true,
        page: events[0]?.page ?? {},
        context: {
          locale: navigator.language,
          timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
          screen: `${screen.width}x${screen.height}`,
        },
        events,
      });
    let answer = await ask(continuedSessionId);
    // A server that does only what the specification says has opened the session and left the events to a second request.
    if (answer.sessionId && !answer.results && entries[0]) answer = await ask(answer.sessionId);
    for (const entry of entries) inFlight.delete(entry[0]);
    if (isDebugging) console.log("Headwater:", events, answer);
    handleReply(answer, entries, continuedSessionId, anonymousId, userId);
  }

  function handleReply(
    answer: IngestReply,
    entries: readonly QueueEntry[],
    sessionId: string | undefined,
    anonymousId: string,
    userId: string | undefined,
  ): void {
    const { status, ok, code, results } = answer;
    const refusal = { message: `${status} from ${ingestUrl}`, ...answer };
    const isTaken = ok === true && (results ?? []).length === entries.length;
    const isRefusal = code && ok === false && status !== 408 && status !== 429 && status < 500;
    // A response of a proxy or web server, whatever its status, is neither an acceptance nor a refusal.
    if (!(isTaken || isRefusal || status === 413)) {
      if (status && ok !== false) warn("waits.", refusal);
      backOff(answer.waitMs);
      return;
    }
    failures = 0;
    if (isTaken) {
      // After a reset the session belongs to the previous visitor.
      if (anonymousId === session.currentOwner().anonymousId) {
        knownUserId = userId;
        session.open(answer.sessionId ?? sessionId!);
      }
      entries.forEach((entry, index) => {
        const result = results![index];
        if (isAboutSession(result?.code) && entry[1].sessionId) detachSession(entry);
        else {
          const isRejected = result?.status === "rejected";
          if (isRejected) warn("dropped.", result);
          queue.remove(entry[0], isRejected && result.code);
        }
      });
      gate.applyPrivacy(answer.privacy ?? {});
    } else if (sessionId && isAboutSession(code)) {
      // The next request is a bootstrap with the same events.
      entries.filter(([, event]) => event.sessionId === sessionId).forEach(detachSession);
      knownUserId = null;
    } else if (status === 413 && entries[1]) maxBatchSize = Math.min(maxBatchSize, entries.length >> 1);
    else {
      const invalid = entries.filter(
        ([, event]) => status === 413 || answer.issues?.some((issue) => issue.eventId === event.id),
      );
      if (invalid[0]) warn("dropped.", refusal);
      else stop(refusal);
      for (const entry of invalid) queue.remove(entry[0], "refused");
    }
  }

  /** Lets the event be sent with the session of its next batch. */
  function detachSession(entry: QueueEntry): void {
    delete entry[1].sessionId;
    queue.own.set(...entry);
  }

  /** Waits at least as long as the server asks, otherwise exponentially longer, with jitter to spread the retries of all pages. */
  function backOff(waitMs?: number): void {
    if (waitMs! > 0) store.write(waitName, `${Date.now() + Math.min(waitMs!, maxRetryAfterMs)}`);
    retryIn(Math.min(firstBackoffMs * 2 ** failures++, lastBackoffMs) * (1 + Math.random()));
  }

  function stop(refusal: RefusalDetails): void {
    warn("stopped.", refusal);
    hasStopped = true;
  }

  function leave(): void {
    // Retry-After is respected even when the page closes. A backoff is not, because a closing page cannot wait.
    if (isSilent() || retryAfterMs() > 0) return;
    beforeSend();
    const entries = unsent().filter(([name]) => queue.own.has(name));
    if (entries[0])
      void send(takeBatch(entries, maxLeavingSize, keepaliveRoom - envelopeBytes)).then(schedule);
  }

  function assignTo(userId: string): void {
    const owner = session.currentOwner();
    // Unsent events of this page belong to the user too.
    queue.own.forEach((event) => {
      if (event.anonymousId === owner.anonymousId) event.userId ??= userId;
    });
    session.setUserId(userId);
    if (userId !== owner.userId) void sendInTurn(true);
  }

  return {
    calls: {
      identify(user) {
        const userId = `${user}`.slice(0, maxUserIdLength);
        if (userId && (typeof user === "string" || Number.isFinite(user)))
          gate.whenAllowed(() => assignTo(userId));
        else console.warn("Headwater: no user id", user);
      },
      reset() {
        // Events from before the reset belong to the previous visitor.
        leave();
        session.reset();
        knownUserId = null;
        // Reset again after the calls that wait for consent. The first reset is immediate, because the page may close before.
        gate.whenAllowed(session.reset);
      },
      async flush() {
        while (sending) await sending;
        await sendInTurn(true);
      },
      debug(on = true) {
        isDebugging = on;
      },
    },
    enqueue(event) {
      queue.put({ ...event, ...session.currentOwner() });
      schedule();
    },
    lock,
    leave,
    stop,
    discardAll() {
      // A new queue, because what is discarded ends its sequence.
      queue = createQueue(store, prefix);
      session.reset();
    },
  };
}

/** invalid_session, session_expired or session_mismatch: the server does not know the session or no longer accepts events for it. */
const isAboutSession = (code: RefusalDetails["code"]): boolean => /session/.test(code!);

let latestWarning: string | undefined;

/** Logs a warning, but not the same one twice in a row. */
function warn(consequence: string, about: RefusalDetails): void {
  const parts = [about.message, about.hint, about.code, about.debugUrl];
  const warning = ["Headwater:", consequence, ...parts].filter(Boolean).join(" ");
  if (warning !== latestWarning) console.warn(warning, ...(about.issues ?? []));
  latestWarning = warning;
}
