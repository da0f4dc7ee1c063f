import { catchErrors } from "./catch-errors.ts";
import { askingSource, type Consent, createGate, type GateState, held, open } from "./consent.ts";
import { createDelivery } from "./delivery.ts";
import { copyOf, type EventContent, newId, type Page, type Properties, type TrackOptions } from "./event.ts";
import { createPageTracker } from "./page-tracker.ts";
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
   * The `respectGpc` setting of the source. Without it, a visitor with Global Privacy Control is not counted until the
   * server has answered with the source's setting.
   */
  readonly respectGpc?: boolean | undefined;
  /** false: the page calls `page()` itself. */
  readonly autoPageViews?: boolean | undefined;
  /** true: a navigation within the page, to another fragment, is a view, and the path includes the fragment. */
  readonly hashRouting?: boolean | undefined;
}

/** No method throws. */
export interface Client {
  /** Counts a view of the current page. Views are counted automatically unless `autoPageViews` is false. */
  page(name?: string, properties?: Properties): void;
  track(name: string, properties?: Properties, options?: TrackOptions): void;
  /** The page of the latest view. */
  currentPage(): Page;
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

/** @param options `apiBaseUrl` is an absolute URL without a trailing slash */
export function startClient(options: CoreClientOptions): Client {
  const { publicKey, apiBaseUrl, persistence = "local" } = options;
  // Attributes of a script tag are text.
  const autoPageViews = `${options.autoPageViews}` !== "false";
  const ingestUrl = `${apiBaseUrl}/api/ingest/v2/${encodeURIComponent(publicKey)}`;
  /** Separates the stored data of several sources on one site. */
  const prefix = `headwater.${publicKey}.`;

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
    queueMicrotask(delivery.calls.flush);
  }

  const gate = createGate(options.consent, options.respectGpc, follow);
  const store = openStore(persistence, () => gate.state() === open);
  const pages = createPageTracker(`${options.hashRouting}` === "true" || undefined);
  const delivery = createDelivery(ingestUrl, prefix, store, gate, pages.updateTitle);

  /** Id, time and properties are those of the call, whenever the event is sent. */
  function count(event: EventContent): void {
    const dated = { ...event, id: newId(), timestamp: new Date().toISOString() };
    gate.whenAllowed(() => delivery.enqueue(dated));
  }

  function page(name?: string, properties?: Properties): void {
    count({
      type: "page",
      page: pages.view(),
      properties: copyOf(name ? { name, ...properties } : properties),
    });
  }

  function track(
    name: string,
    properties?: Properties,
    { passive, page = pages.current() }: TrackOptions = {},
  ): void {
    count({ type: "track", name, page, passive, properties: copyOf(properties) });
  }

  const on = (type: string, run: (event: never) => unknown) =>
    addEventListener(type, catchErrors(run as (event: Event) => unknown));
  if (autoPageViews) pages.follow(() => client.page());
  // A hidden page may never become visible again; a page that becomes visible has nothing to wait for.
  on("visibilitychange", delivery.leave);
  on("pagehide", delivery.leave);
  on("securitypolicyviolation", ({ disposition, blockedURI }: SecurityPolicyViolationEvent) => {
    if (disposition === "enforce" && blockedURI.startsWith(ingestUrl))
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
