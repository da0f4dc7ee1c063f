import { asking, type Consent, createGate, type GateState, held, open } from "./consent.ts";
import { createDelivery } from "./delivery.ts";
import { newEventBase, type PageEvent, type Properties, type TrackEvent } from "./event.ts";
import { createPages, currentTitle } from "./pages.ts";
import { quietly } from "./quietly.ts";
import { openStore, type Persistence } from "./storage.ts";

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
  /**
   * What the source's `privacy` says. Left out, a visitor with Global Privacy Control is not counted before the source has
   * been asked.
   */
  readonly respectGpc?: boolean | undefined;
  /** false: the page calls `page()` itself. */
  readonly autoPageViews?: boolean | undefined;
}

/** None of it ever throws. */
export interface Client {
  /** A view of the page that is shown. Unless `autoPageViews` is false they are counted without a call. */
  page(name?: string, properties?: Properties): void;
  track(name: string, properties?: Properties): void;
  /** From now on the visitor is this user; what they did before on this page included. Cut at 200 characters. */
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
  /** Whether it counts the views by itself. */
  readonly autoPageViews: boolean;
}

const maxUserIdLength = 200;

/** @param options `apiBaseUrl` as an absolute address without a slash at its end */
export function startClient(options: ClientOptions): Client {
  const { publicKey, apiBaseUrl, persistence = "local" } = options;
  // A tag's attribute is text.
  const autoPageViews = `${options.autoPageViews}` !== "false";
  const ingestUrl = `${apiBaseUrl}/api/ingest/v2/${encodeURIComponent(publicKey)}`;
  /** Sources of one site keep apart what is theirs. */
  const prefix = `headwater.${publicKey}.`;
  let latestView: PageEvent | undefined;

  /** What may be sent and stored has changed. */
  function follow(state: GateState, before: GateState): void {
    if (state === open) store.persist();
    else if (state < asking) {
      // Who was never known here takes nothing from another source.
      if (!state && before !== asking) delivery.forget();
      for (const name of store.names(prefix)) {
        const value = store.read(name)!;
        store.remove(name);
        // Until it may be stored again it is kept in memory: the visitor is the same one then.
        if (state === held) store.write(name, value);
      }
    }
    // After the calls that were recorded before the script came: they travel with the first page view.
    queueMicrotask(delivery.flush);
  }

  /** Frameworks set the title after they navigate, so a view's title is read when the next thing happens. */
  function settleTitle(): void {
    if (latestView) latestView.page.title = currentTitle();
  }

  const gate = createGate(options.consent, options.respectGpc, follow);
  const store = openStore(persistence, () => gate.state() === open);
  const pages = createPages();
  const delivery = createDelivery(ingestUrl, prefix, store, gate, pages.current, settleTitle);

  function page(name?: string, properties?: Properties): void {
    settleTitle();
    const base = newEventBase(name ? { name, ...properties } : properties);
    const view: PageEvent = { ...base, type: "page", page: pages.view() };
    latestView = view;
    gate.pass(() => delivery.take(view));
  }

  function track(name: string, properties?: Properties): void {
    const event: TrackEvent = { ...newEventBase(properties), type: "track", name };
    gate.pass(() => delivery.take(event));
  }

  function identify(userId: string): void {
    const known = `${userId ?? ""}`.slice(0, maxUserIdLength);
    if (known) gate.pass(() => delivery.identify(known));
  }

  const on = (type: string, run: (event: never) => unknown) =>
    addEventListener(type, quietly(run as (event: Event) => unknown));
  if (autoPageViews) pages.follow(() => client.page());
  // Hidden, it may never be seen again; shown again, it has nothing to wait for.
  on("visibilitychange", delivery.leave);
  on("pagehide", delivery.leave);
  on("securitypolicyviolation", ({ disposition, blockedURI }: SecurityPolicyViolationEvent) => {
    if (disposition === "enforce" && blockedURI.startsWith(ingestUrl))
      delivery.stop({ message: `The CSP lacks connect-src ${new URL(blockedURI).origin}.` });
  });

  const client: Client = {
    page: quietly(page),
    track: quietly(track),
    identify: quietly(identify),
    reset: delivery.reset,
    flush: delivery.flush,
    ready: (run) => queueMicrotask(() => run(client)),
    debug: delivery.debug,
    autoPageViews,
    ...gate.calls,
  };

  const show = () => {
    gate.show(!store.read(`${prefix}visitor`));
    if (autoPageViews) page();
  };
  on("pageshow", ({ persisted }: PageTransitionEvent) => persisted && show());
  // A prerendered page may never be shown; then it is no view.
  if (document.prerendering) document.addEventListener("prerenderingchange", show);
  else show();
  return client;
}
