import { catchErrors } from "./catch-errors.ts";
import { type Consent, createGate, type GateState, held, open } from "./consent.ts";
import { createDelivery } from "./delivery.ts";
import { documentMember } from "./document.ts";
import { copyOf, type EventContent, type Page, type Properties, type TrackOptions } from "./event.ts";
import { createPageTracker, type IngestUrl } from "./page-tracker.ts";
import { openStore, type Persistence } from "./storage.ts";

export interface CoreClientOptions {
  readonly publicKey: string;
  readonly apiBaseUrl: string;
  /**
   * Where ids and unsent events are stored: for all visits (the default), for this tab, or for this page. "none": nothing is
   * stored, and the server identifies the visitor for a day.
   */
  readonly persistence?: Persistence | undefined;
  /**
   * Without consent nothing is sent or stored. Calls wait while consent is pending and are dropped when it is denied.
   * Default: granted, unless the source requires consent.
   */
  readonly consent?: Consent | undefined;
  /**
   * The `respectGpc` setting of the source. Unless it is false, a visitor with Global Privacy Control is not counted without
   * consent.
   */
  readonly respectGpc?: boolean | undefined;
  /**
   * false: the page calls `page()` itself. true: a frame is a page of its own. Default: a frame of the same origin shows the page
   * around it, and counts no view if that page does.
   */
  readonly autoPageViews?: boolean | undefined;
  /** true: a navigation within the page, to another fragment, is a view, and the path includes the fragment. */
  readonly hashRouting?: boolean | undefined;
  /** "path": a navigation to another query is no view. */
  readonly routing?: "path" | undefined;
}

/** No method throws. */
export interface Client {
  /** Counts a view of the current page. Views are counted automatically unless `autoPageViews` is false. */
  page(name?: string, properties?: Properties): void;
  track(name: string, properties?: Properties, options?: TrackOptions): void;
  /** The page of the latest view. */
  currentPage(): Page;
  /**
   * Assigns the visitor to a user, including unsent events of this page. Ids are cut at 200 characters. Anything but text and
   * finite numbers is ignored with a warning.
   */
  identify(userId: string | number): void;
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

/** @param options `apiBaseUrl` is an absolute URL without a trailing slash */
export function startClient(options: CoreClientOptions): Client {
  const { publicKey, apiBaseUrl, persistence = "local" } = options;
  // Attributes of a script tag are text.
  const views = `${options.autoPageViews}`;
  const ingestUrl: IngestUrl = `${apiBaseUrl}/api/ingest/v2/${encodeURIComponent(publicKey)}`;
  const pages = createPageTracker(
    ingestUrl,
    `${options.hashRouting}` === "true" || undefined,
    options.routing === "path",
    views === "true",
  );
  const autoPageViews = views !== "false" && !pages.isInside;
  /** Separates the stored data of several sources on one site. */
  const prefix = `headwater.${publicKey}.`;

  /** Runs when the consent gate changes what may be sent and stored. */
  function follow(state: GateState): void {
    if (state === open) store.persist();
    else {
      if (!state) delivery.discardAll();
      store.names(prefix).forEach((name) => {
        const value = store.read(name)!;
        store.remove(name);
        // While consent is pending the data stays in memory, so that the visitor keeps their id.
        if (state === held) store.write(name, value);
      });
    }
    // In a microtask, so that the replayed calls of the stub travel with the first page view.
    queueMicrotask(delivery.calls.flush);
  }

  const gate = createGate(options.consent, options.respectGpc, follow);
  const store = openStore(persistence, () => gate.state() === open);
  const delivery = createDelivery(ingestUrl, prefix, store, gate, pages.updateTitle);

  /** Queues an event with the time of the call. Without consent it waits or is dropped. */
  function enqueue(event: EventContent): void {
    const dated = { ...event, timestamp: new Date().toISOString() };
    gate.whenAllowed(() => delivery.enqueue(dated));
  }

  function page(name?: string, properties?: Properties): void {
    enqueue({
      type: "page",
      page: pages.view(),
      properties: copyOf(name ? { name, ...properties } : properties),
    });
  }

  function track(name: string, properties?: Properties, options?: TrackOptions): void {
    enqueue({
      type: "track",
      name,
      page: options?.page ?? pages.current(),
      passive: options?.passive,
      properties: copyOf(properties),
    });
  }

  const isKnown = () => store.read(`${prefix}visitor`);
  function leave(): void {
    // A page that is left does not wait for its turn.
    gate.show();
    delivery.leave();
  }

  const on = (type: string, run: (event: never) => unknown) =>
    addEventListener(type, catchErrors(run as (event: Event) => unknown));
  // A frozen `history` keeps its own methods.
  if (autoPageViews) catchErrors(pages.follow)(() => client.page());
  // A hidden page may be closed without another event. A page that becomes visible may send early too.
  on("visibilitychange", leave);
  on("pagehide", leave);
  on("securitypolicyviolation", (violation: SecurityPolicyViolationEvent) => {
    if (violation.disposition === "enforce" && violation.blockedURI.startsWith(ingestUrl))
      delivery.stop({ message: `The CSP lacks connect-src ${apiBaseUrl}/` });
  });

  const client: Client = {
    page: catchErrors(page),
    track: catchErrors(track),
    currentPage: pages.latest,
    ready: (run) => queueMicrotask(() => run(client)),
    autoPageViews,
    ...delivery.calls,
    ...gate.calls,
  };

  on("pageshow", (event: PageTransitionEvent) => {
    if (!event.persisted) return;
    gate.show(!isKnown());
    if (autoPageViews) page();
  });
  const start = () => {
    if (autoPageViews && pages.hasMoved()) page();
    // One of several tabs that a new visitor opens at once makes the id.
    if (isKnown()) gate.show();
    else delivery.lock(gate.show);
  };
  // A prerendered page counts as a view only when it is shown.
  if (documentMember("prerendering")) addEventListener("prerenderingchange", start, true);
  else start();
  return client;
}
