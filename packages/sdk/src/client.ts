import { catchErrors } from "./catch-errors.ts";
import { askingSource, type Consent, createGate, type GateState, held, open } from "./consent.ts";
import { createDelivery } from "./delivery.ts";
import { newEventBase, type PageEvent, type Properties, type TrackEvent } from "./event.ts";
import { createPageTracker, currentTitle } from "./page-tracker.ts";
import { openStore, type Persistence } from "./storage.ts";

export interface CoreClientOptions {
  readonly publicKey: string;
  readonly apiBaseUrl: string;
  /** Where ids and unsent events are stored: for all visits (the default), for this tab, or for this page. */
  readonly persistence?: Persistence | undefined;
  /**
   * Without consent nothing is sent or stored. Calls wait while consent is pending and are dropped when it is denied.
   * Default: granted, unless the source requires consent.
   */
  readonly consent?: Consent | undefined;
  /**
   * The `respectGpc` setting of the source. Without it, a visitor with Global Privacy Control is not counted until the
   * server has answered with the source's setting.
   */
  readonly respectGpc?: boolean | undefined;
  /** false: the page calls `page()` itself. */
  readonly autoPageViews?: boolean | undefined;
}

/** No method throws. */
export interface Client {
  /** Counts a view of the current page. Views are counted automatically unless `autoPageViews` is false. */
  page(name?: string, properties?: Properties): void;
  track(name: string, properties?: Properties): void;
  /** Assigns the visitor to a user, including unsent events of this page. Ids are cut at 200 characters. */
  identify(userId: string): void;
  /** Starts a new visitor without a user or session, as after a sign-out. */
  reset(): void;
  /** Sends waiting events. Resolves when the server has answered for them or cannot be reached now. */
  flush(): Promise<void>;
  /** Calls `run` with the client in a microtask. */
  ready(run: (client: Client) => void): void;
  /** Stops counting this browser until `optIn` is called. */
  optOut(): void;
  optIn(): void;
  setConsent(consent: Consent): void;
  /** Logs every request and response to the browser's console. */
  debug(on?: boolean): void;
  /** Whether views are counted without calls of `page`. */
  readonly autoPageViews: boolean;
}

const maxUserIdLength = 200;

/** @param options `apiBaseUrl` is an absolute URL without a trailing slash */
export function startClient(options: CoreClientOptions): Client {
  const { publicKey, apiBaseUrl, persistence = "local" } = options;
  // Attributes of a script tag are text.
  const autoPageViews = `${options.autoPageViews}` !== "false";
  const ingestUrl = `${apiBaseUrl}/api/ingest/v2/${encodeURIComponent(publicKey)}`;
  /** Separates the stored data of several sources on one site. */
  const prefix = `headwater.${publicKey}.`;
  let latestView: PageEvent | undefined;

  /** Runs when the consent gate changes what may be sent and stored. */
  function follow(state: GateState, before: GateState): void {
    if (state === open) store.persist();
    else if (state < askingSource) {
      // A visitor who was never counted here must not lose the data of another source.
      if (!state && before !== askingSource) delivery.discardAll();
      for (const name of store.names(prefix)) {
        const value = store.read(name)!;
        store.remove(name);
        // While consent is pending the data stays in memory, so that the visitor keeps their id.
        if (state === held) store.write(name, value);
      }
    }
    // In a microtask, so that the replayed calls of the stub travel with the first page view.
    queueMicrotask(delivery.flush);
  }

  /** Frameworks set the title after they navigate, so the title of a view is read as late as possible. */
  function updateTitle(): void {
    if (latestView) latestView.page.title = currentTitle();
  }

  const gate = createGate(options.consent, options.respectGpc, follow);
  const store = openStore(persistence, () => gate.state() === open);
  const pages = createPageTracker();
  const delivery = createDelivery(ingestUrl, prefix, store, gate, pages.current, updateTitle);

  function page(name?: string, properties?: Properties): void {
    updateTitle();
    const base = newEventBase(name ? { name, ...properties } : properties);
    const view: PageEvent = { ...base, type: "page", page: pages.view() };
    latestView = view;
    gate.whenAllowed(() => delivery.enqueue(view));
  }

  function track(name: string, properties?: Properties): void {
    const event: TrackEvent = { ...newEventBase(properties), type: "track", name };
    gate.whenAllowed(() => delivery.enqueue(event));
  }

  function identify(userId: string): void {
    const known = `${userId ?? ""}`.slice(0, maxUserIdLength);
    if (known) gate.whenAllowed(() => delivery.identify(known));
  }

  const on = (type: string, run: (event: never) => unknown) =>
    addEventListener(type, catchErrors(run as (event: Event) => unknown));
  if (autoPageViews) pages.follow(() => client.page());
  // A hidden page may never become visible again; a page that becomes visible has nothing to wait for.
  on("visibilitychange", delivery.leave);
  on("pagehide", delivery.leave);
  on("securitypolicyviolation", ({ disposition, blockedURI }: SecurityPolicyViolationEvent) => {
    if (disposition === "enforce" && blockedURI.startsWith(ingestUrl))
      delivery.stop({ message: `The CSP lacks connect-src ${new URL(blockedURI).origin}.` });
  });

  const client: Client = {
    page: catchErrors(page),
    track: catchErrors(track),
    identify: catchErrors(identify),
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
  // A prerendered page counts as a view only when it is shown.
  if (document.prerendering) document.addEventListener("prerenderingchange", show);
  else show();
  return client;
}
