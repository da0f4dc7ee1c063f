import { batchOf } from "./batch.ts";
import { asking, type Gate } from "./consent.ts";
import { type ClientEvent, newId, type Page } from "./event.ts";
import { createQueue, type Entry, maxAgeMs } from "./queue.ts";
import { createSession } from "./session.ts";
import type { Store } from "./storage.ts";
import { type Answer, keepaliveRoom, post, type Refusal } from "./transport.ts";
import { inTurn } from "./turns.ts";
import { sdkVersion } from "./version.ts";

/** Takes events, sends them in batches, and keeps those that the server did not answer for. */
export interface Delivery {
  take(event: ClientEvent): void;
  /** From now on the visitor is this user; the server is told at once. */
  identify(userId: string): void;
  /** Forgets user, visitor and session. */
  reset(): void;
  /** Sends what waits; done when the server has answered for it, or cannot for now. */
  flush(): Promise<void>;
  /** The page may be gone in a moment: what it has added goes now, beside a request that may be under way. */
  leave(): void;
  stop(refusal: Refusal): void;
  /** Nothing of what waits is sent any more, and the visitor is somebody else. */
  forget(): void;
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
/** With jitter up to twice as long: a second at first, a minute in the end. */
const firstBackoffMs = 500;
const lastBackoffMs = 30_000;
/** A Retry-After beyond this is cut: a page rarely lives so long, and timers overflow. */
const maxRetryAfterMs = 3_600_000;

/**
 * @param prefix of the names of this source in the store
 * @param beforeSend called before what waits is read
 */
export function createDelivery(
  ingestUrl: string,
  prefix: string,
  store: Store,
  gate: Gate,
  currentPage: () => Page,
  beforeSend: () => void,
): Delivery {
  const waitName = `${prefix}wait`;
  const session = createSession(store, prefix);
  const queue = createQueue(store, prefix);
  const inFlight = new Set<string>();
  let maxBatchSize = 20;
  let batchTimer: ReturnType<typeof setTimeout> | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> | undefined;
  /** In a row. */
  let failures = 0;
  let hasStopped: boolean | undefined;
  let isDebugging: boolean | undefined;
  /**
   * The user that the server knows this visitor as, null for none. Undefined asks for a bootstrap: each page makes one with
   * its first events, and the server resumes the session that goes on.
   */
  let told: string | null | undefined;

  /** What this page may send now, the oldest first. */
  const unsent = (): Entry[] =>
    queue
      .list(session.stamp().anonymousId)
      .filter(
        ([name, event]) =>
          !inFlight.has(name) &&
          (navigator.locks ||
            queue.own.has(name) ||
            Date.now() - Date.parse(event.timestamp) > abandonedAfterMs),
      );

  const isSilent = (): boolean => hasStopped || gate.state() < asking;

  /** How much longer the server has asked the pages of this site to wait. (Beyond its bound the clock was set back.) */
  function toldMs(): number {
    const ms = +store.read(waitName)! - Date.now();
    return ms > maxRetryAfterMs ? 0 : ms;
  }

  function mustWait(): unknown {
    if (toldMs() > 0) retryIn(toldMs());
    return isSilent() || retryTimer;
  }

  function retryIn(ms: number): void {
    retryTimer ??= setTimeout(() => {
      retryTimer = undefined;
      sendInTurn(true);
    }, ms);
  }

  /** @param isWhole false: only what fills batches, the rest may wait for more */
  function sendInTurn(isWhole: boolean): Promise<void> | undefined {
    clearTimeout(batchTimer);
    batchTimer = undefined;
    if (!mustWait()) sending ??= inTurn(prefix, () => sendWaiting(isWhole)).then(sent, sent);
    return sending;
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
      const isAsking = gate.state() === asking;
      // What comes meanwhile may wait for more.
      const entries = isAsking ? [] : unsent().filter(([name]) => name <= last!);
      const isNews = isAsking || (told !== undefined && told !== session.stamp().userId);
      // A bootstrap without events asks the source, or tells it the user. A page of a day leaves it.
      if (!entries[0] && (!isNews || (failures && performance.now() > maxAgeMs))) break;
      // Where nothing goes through, fewer and others try it each time: what never will holds up none but itself.
      const others = entries.slice((failures >> 1) % entries.length);
      await send(batchOf(others, maxBatchSize >> failures || 1, maxBatchBytes), isAsking);
    }
  }

  function schedule(): void {
    const count = queue.own.size - inFlight.size;
    if (count >= maxBatchSize) sendInTurn(false);
    else if (count > 0) batchTimer ??= setTimeout(() => sendInTurn(true), maxBatchAgeMs);
  }

  /** @param isAsking whether the source takes this visitor: nothing is sent that tells of them */
  async function send(entries: readonly Entry[], isAsking?: boolean): Promise<void> {
    const present = session.stamp();
    const events = entries.map(([, event]) => event);
    // After a reset the events of the visitor before may still be here: they are sent as that one's.
    const { anonymousId, userId, sessionId } = isAsking
      ? { ...present, userId: null }
      : (events[0] ?? present);
    const isPresent = anonymousId === present.anonymousId;
    const visit = isPresent ? present.sessionId : sessionId;
    const known = isPresent && told !== present.userId ? null : visit;
    for (const [name] of entries) inFlight.add(name);
    const answer = await post(`${ingestUrl}/${known ? "events" : "bootstrap"}`, {
      ingestVersion: 2,
      sdkVersion,
      batchId: newId(),
      sentAt: new Date().toISOString(),
      anonymousId,
      userId,
      sessionId: visit,
      joinSession: true,
      page: known || isAsking ? {} : currentPage(),
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
    settle(answer, entries, known, anonymousId, userId);
  }

  function settle(
    answer: Answer,
    entries: readonly Entry[],
    sessionId: string | null,
    anonymousId: string,
    userId: string | null,
  ): void {
    const { status, ok, code, results, issues } = answer;
    const refusal = { message: `${status} from ${ingestUrl}`, ...answer };
    const isTaken = ok === true && results?.length === entries.length;
    const isRefusal = code && ok === false && status !== 408 && status !== 429 && status < 500;
    // A proxy or a web server that answers with something of its own, 200 or not, has taken nothing and refused nothing.
    if (!(isTaken || isRefusal || status === 413)) {
      if (status && ok !== false) warn("waits.", refusal);
      backOff(answer.waitMs);
      return;
    }
    failures = 0;
    if (isTaken) {
      // After a reset it is the session of somebody else.
      if (anonymousId === session.stamp().anonymousId) {
        told = userId;
        session.open(answer.sessionId ?? sessionId!);
      }
      entries.forEach((entry, index) => {
        const result = results[index];
        if (isAboutSession(result?.code) && entry[1].sessionId) release(entry);
        else {
          if (result?.status === "rejected") warn("dropped.", result);
          queue.remove(entry[0]);
        }
      });
      gate.obey(answer.privacy ?? {});
    } else if (sessionId && isAboutSession(code)) {
      // The next request is a bootstrap and carries the same events.
      for (const entry of entries) if (entry[1].sessionId === sessionId) release(entry);
      told = undefined;
    } else if (status === 413 && entries[1]) maxBatchSize = Math.min(maxBatchSize, entries.length >> 1);
    else {
      const spoilt = entries.filter(
        ([, { id }]) => status === 413 || issues?.some(({ eventId }) => eventId === id),
      );
      if (spoilt[0]) warn("dropped.", refusal);
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
    if (waitMs > 0) store.write(waitName, `${Date.now() + Math.min(waitMs, maxRetryAfterMs)}`);
    retryIn(Math.min(firstBackoffMs * 2 ** failures++, lastBackoffMs) * (1 + Math.random()));
  }

  function stop(refusal: Refusal): void {
    warn("stopped.", refusal);
    hasStopped = true;
  }

  function leave(): void {
    // The server's word holds to the end; for a better network a page that ends cannot wait.
    if (isSilent() || toldMs() > 0) return;
    beforeSend();
    const entries = unsent().filter(([name]) => queue.own.has(name));
    const room = keepaliveRoom - envelopeBytes;
    if (entries[0]) send(batchOf(entries, maxLeavingSize, room)).then(schedule);
  }

  return {
    take(event) {
      if (hasStopped) return;
      queue.put({ ...event, ...session.stamp() });
      schedule();
    },
    async flush() {
      while (sending) await sending;
      await sendInTurn(true);
    },
    identify(userId) {
      // What the visitor did before, on this page, was done by this user.
      const present = session.stamp();
      for (const event of queue.own.values())
        if (event.anonymousId === present.anonymousId) event.userId ??= userId;
      session.know(userId);
      if (userId !== present.userId) sendInTurn(true);
    },
    reset() {
      // What happened before is still of the one who did it.
      leave();
      session.reset();
      told = undefined;
      // And again after what waits for consent. At once too, because the page may be left before it has it.
      gate.pass(session.reset);
    },
    leave,
    stop,
    forget() {
      queue.own.clear();
      session.reset();
    },
    debug(on = true) {
      isDebugging = on;
    },
  };
}

/** invalid_session, session_expired, session_mismatch: it is not known to the server, or takes no events any more. */
const isAboutSession = (code: Refusal["code"]): boolean => /session/.test(code!);

let latestWarning: string | undefined;

/** Not twice in a row. */
function warn(consequence: string, about: Refusal): void {
  const parts = [about.message, about.hint, about.code, about.debugUrl];
  const warning = ["Headwater:", consequence, ...parts].filter(Boolean).join(" ");
  if (warning !== latestWarning) console.warn(warning, ...(about.issues ?? []));
  latestWarning = warning;
}
