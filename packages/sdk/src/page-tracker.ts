import { documentMember } from "./document.ts";
import type { Page } from "./event.ts";

/** The URL of a source's ingest routes. */
export type IngestUrl = `${string}/api/ingest/v2/${string}`;

declare global {
  interface Window {
    /** The address of this page's latest view for the source. The frames of the page share it. */
    [ingestUrl: IngestUrl]: string | undefined;
  }
}

/** The current page, and the navigations that change it without a load. */
export interface PageTracker {
  /** Whether the page is that of a window around this frame, and is counted there or by another frame. */
  readonly isInside: unknown;
  /** Whether the page, at its present address, has no view yet. */
  hasMoved(): boolean;
  current(): Page;
  /** The page of the latest view; the current page before the first. */
  latest(): Page;
  /** Frameworks set the title after they navigate, so the title of a view is read as late as possible. */
  updateTitle(): void;
  /** Returns the current page for a new view. The previous view becomes its referrer. */
  view(): Page;
  /** Calls back after each navigation that changes path or query, and with hash routing the fragment. */
  follow(onView: () => void): void;
}

// The server cuts at the same lengths. It refuses a page object over 16 KiB.
const maxUrlLength = 4096;
const maxTitleLength = 500;

/**
 * @param ingestUrl of the source
 * @param hashRouting whether the fragment names the page. Otherwise it is removed, because sign-in flows put tokens there
 * @param pathRouting whether the path alone names the page, so that another query is no view
 * @param hasFrames whether a frame is a page of its own. Otherwise a frame of the same origin shows the page around it, so that
 * one without an address (`srcdoc`, `blob:`) is that page too
 */
export function createPageTracker(
  ingestUrl: IngestUrl,
  hashRouting: true | undefined,
  pathRouting: boolean,
  hasFrames: boolean,
): PageTracker {
  let shown: Window = window;
  // A frame in another site's page has no `frameElement`.
  while (!hasFrames && shown.frameElement) shown = shown.parent;
  const currentTitle = () => documentMember("title", shown.document).slice(0, maxTitleLength);
  let referrer = documentMember("referrer", shown.document);
  let latest: Page | undefined;
  const cut = (url: string) => (hashRouting ? url : url.split("#")[0]!).slice(0, maxUrlLength);
  const current = (): Page => ({
    url: cut(shown.location.href),
    title: currentTitle(),
    referrer: cut(referrer) || null,
    hashRouting,
  });
  const nameOf = (url?: string) => (pathRouting ? url?.split("?")[0] : url);
  const hasMoved = () => nameOf(shown[ingestUrl]) !== nameOf(cut(shown.location.href));

  const pages: PageTracker = {
    isInside: shown !== window && (shown.headwaterClients || !hasMoved()),
    hasMoved,
    current,
    latest: () => latest ?? current(),
    updateTitle() {
      if (latest) latest.title = currentTitle();
    },
    view() {
      pages.updateTitle();
      if (hasMoved()) referrer = shown[ingestUrl] ?? referrer;
      latest = current();
      shown[ingestUrl] = latest.url;
      return latest;
    },

    follow(onView) {
      // Without a first view the page is still prerendered, and its navigations are not views.
      const navigated = () => shown[ingestUrl] && hasMoved() && onView();
      // A page may define its own `navigation`. Without the Navigation API the listeners below suffice.
      window.navigation?.addEventListener?.("currententrychange", navigated);
      addEventListener("popstate", navigated);
      for (const method of ["pushState", "replaceState"] as const) {
        const original = history[method];
        history[method] = (...change) => {
          original.apply(history, change);
          navigated();
        };
      }
    },
  };
  return pages;
}
