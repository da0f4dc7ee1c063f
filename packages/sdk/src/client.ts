import { createDelivery } from "./delivery.ts";
import { newEventBase, type PageEvent, type Properties } from "./event.ts";
import { createPages, currentTitle } from "./pages.ts";
import { quietly } from "./quietly.ts";
import { createSession } from "./session.ts";
import { openStore } from "./storage.ts";

export interface ClientOptions {
  readonly publicKey: string;
  readonly apiBaseUrl: string;
}

export interface Client {
  /** A view of the page that is shown; the first one and those after navigations are sent without a call. */
  page(): void;
  track(name: string, properties?: Properties): void;
}

/** Sends the first page view, follows the navigations, and hands out what a page may call. None of it ever throws. */
export function createClient({ publicKey, apiBaseUrl }: ClientOptions): Client {
  const pages = createPages();
  const delivery = createDelivery({
    ingestUrl: `${apiBaseUrl.replace(/\/+$/, "")}/api/ingest/v2/${encodeURIComponent(publicKey)}`,
    session: createSession(openStore(), publicKey),
    currentPage: pages.current,
    beforeSend: settleTitle,
  });
  let latestView: PageEvent | undefined;

  /** Frameworks set the title after they navigate, so a view's title is read when the next thing happens. */
  function settleTitle(): void {
    if (latestView) latestView.page.title = currentTitle();
    latestView = undefined;
  }

  function page(): void {
    settleTitle();
    latestView = { ...newEventBase(), type: "page", page: pages.current() };
    delivery.add(latestView);
  }

  function track(name: string, properties?: Properties): void {
    delivery.add({ ...newEventBase(), type: "track", name, properties: copyOf(properties) });
  }

  page();
  pages.watch(page);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") delivery.flushBeforeLeaving();
  });
  addEventListener("pagehide", delivery.flushBeforeLeaving);
  // After the calls that were recorded before the script came: they travel with the first page view.
  queueMicrotask(delivery.flush);

  return { page: quietly(page), track: quietly(track) };
}

/** As it is at the call, and as JSON: what cannot be written as JSON (a cycle, a BigInt) must not keep the event back. */
function copyOf(properties: Properties | undefined): Properties | undefined {
  try {
    return properties && JSON.parse(JSON.stringify(properties));
  } catch (error) {
    console.warn("Headwater: the properties of an event are not JSON and were left out.", error);
    return undefined;
  }
}
