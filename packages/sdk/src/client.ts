import { type Consent, createGate, type GateState } from "./consent.ts";
import { createDelivery } from "./delivery.ts";
import { newEventBase, type PageEvent, type Properties, type TrackEvent } from "./event.ts";
import { createPages, currentTitle } from "./pages.ts";
import { createQueue } from "./queue.ts";
import { quietly } from "./quietly.ts";
import { createSession } from "./session.ts";
import { openStore, type Persistence } from "./storage.ts";
import { createTurns } from "./turns.ts";

/** Something optional that counts by itself; gives what ends it. */
export type Extra = (client: Client) => (() => void) | undefined;

export interface ClientOptions {
  readonly publicKey: string;
  readonly apiBaseUrl: string;
  /** Where ids and unsent events are kept: for all visits (the default), for this tab, or for this page. */
  readonly persistence?: Persistence | undefined;
  /**
   * Without consent nothing is sent or stored: calls wait while it is pending, and are dropped when it is denied.
   * Left out, it is granted, unless the source requires consent.
   */
  readonly consent?: Consent | undefined;
  /** false: the page calls `page()` itself. */
  readonly autoPageViews?: boolean | undefined;
  readonly extras?: readonly Extra[] | undefined;
}

/** None of it ever throws. */
export interface Client {
  /** A view of the page that is shown. Unless `autoPageViews` is false they are counted without a call. */
  page(name?: string, properties?: Properties): void;
  track(name: string, properties?: Properties): void;
  /** From now on the visitor is this user: 1 to 200 characters. */
  identify(userId: string): void;
  /** Forgets user, visitor and session, as after a sign-out. */
  reset(): void;
  /** Done when what was tracked before has been answered for, or cannot be for now. */
  flush(): Promise<void>;
  /** Called with the client, soon. */
  ready(run: (client: Client) => void): void;
  /** "Do not count me", in this browser, until `optIn`. */
  optOut(): void;
  optIn(): void;
  setConsent(consent: Consent): void;
  /** Prints what is sent, and what is answered. */
  debug(on?: boolean): void;
  /** Detaches it from the page; the next `createClient` of the same source attaches it again. */
  stop(): void;
}

const maxUserIdLength = 200;

/** @returns the client, and what attaches it to the page */
export function startClient(options: ClientOptions): { readonly client: Client; attach(): void } {
  const { publicKey, apiBaseUrl, persistence = "local", autoPageViews = true, extras = [] } = options;
  const ingestUrl = `${apiBaseUrl.replace(/\/+$/, "")}/api/ingest/v2/${encodeURIComponent(publicKey)}`;
  const gate = createGate(options.consent, follow);
  const store = openStore(persistence, () => gate.state() === "open");
  const session = createSession(store, publicKey);
  const queue = createQueue(store, publicKey);
  const turns = createTurns(store, publicKey);
  const pages = createPages();
  const log = (...words: unknown[]) => isDebugging && console.log("Headwater:", ...words);
  const delivery = createDelivery({
    ingestUrl,
    session,
    queue,
    turns,
    gate,
    currentPage: pages.current,
    beforeSend: settleTitle,
    log,
  });
  let isDebugging = false;
  let latestView: PageEvent | undefined;
  let attached: AbortController | undefined;

  /** What may be sent and stored has changed. */
  function follow(state: GateState): void {
    if (state === "open") store.persist();
    // What waits to be sent waits in memory until it may.
    if (state === "held") for (const [, event] of queue.list()) gate.pass(() => delivery.add(event));
    if (state === "held" || state === "shut") store.names("headwater.").forEach(store.remove);
    // After the calls that were recorded before the script came: they travel with the first page view.
    else queueMicrotask(delivery.flush);
  }

  /** Frameworks set the title after they navigate, so a view's title is read when the next thing happens. */
  function settleTitle(): void {
    if (latestView) latestView.page.title = currentTitle();
    latestView = undefined;
  }

  function page(name?: string, properties?: Properties): void {
    settleTitle();
    dispatchEvent(new Event("headwater:view"));
    const base = newEventBase(name ? { name, ...properties } : properties);
    const view: PageEvent = { ...base, type: "page", page: pages.view() };
    latestView = view;
    gate.pass(() => delivery.add(view));
  }

  function track(name: string, properties?: Properties): void {
    const event: TrackEvent = { ...newEventBase(properties), type: "track", name };
    gate.pass(() => delivery.add(event));
  }

  function identify(userId: string): void {
    const known = `${userId}`;
    if (known && known.length <= maxUserIdLength)
      gate.pass(() => session.identify(known) && delivery.announce());
    else console.warn(`Headwater: a user's id has 1 to ${maxUserIdLength} characters.`);
  }

  function reset(): void {
    gate.pass(() => {
      // What happened before is still of the one who did it.
      delivery.flushBeforeLeaving();
      session.reset();
      delivery.announce();
    });
  }

  function attach(): void {
    if (attached) return;
    attached = new AbortController();
    const { signal } = attached;
    const on = (target: EventTarget, type: string, run: (event: never) => unknown) =>
      target.addEventListener(type, quietly(run) as EventListener, { signal });

    if (autoPageViews) pages.watch(client.page, signal);
    on(
      document,
      "visibilitychange",
      () => document.visibilityState === "hidden" && delivery.flushBeforeLeaving(),
    );
    on(window, "pagehide", () => {
      delivery.flushBeforeLeaving();
      turns.leave();
    });
    on(window, "online", delivery.retry);
    on(document, "securitypolicyviolation", ({ disposition, blockedURI }: SecurityPolicyViolationEvent) => {
      if (disposition === "enforce" && blockedURI.startsWith(ingestUrl))
        delivery.stop({ message: `This page's Content-Security-Policy lacks connect-src ${apiBaseUrl}` });
    });
    for (const extra of extras) {
      const end = extra(client);
      if (end) signal.addEventListener("abort", end);
    }
  }

  const client: Client = {
    page: quietly(page),
    track: quietly(track),
    identify: quietly(identify),
    reset: quietly(reset),
    flush: delivery.flush,
    ready: (run) => queueMicrotask(() => run(client)),
    optOut: () => gate.setOptOut(true),
    optIn: () => gate.setOptOut(false),
    setConsent: gate.setConsent,
    debug: (on = true) => {
      isDebugging = on;
    },
    stop() {
      attached?.abort();
      attached = undefined;
    },
  };

  const show = () => {
    if (autoPageViews) page();
    gate.show();
  };
  // A prerendered page may never be shown; then it is no view.
  if (document.prerendering) document.addEventListener("prerenderingchange", show, { once: true });
  else show();
  return { client, attach };
}
