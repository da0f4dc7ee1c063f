import type { Page } from "./event.ts";

/** The current page, and the navigations that change it without a load. */
export interface PageTracker {
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

const currentTitle = (): string => `${document.title}`.slice(0, maxTitleLength);

/** @param hashRouting whether the fragment names the page. Otherwise it is removed, because sign-in flows put tokens there */
export function createPageTracker(hashRouting: true | undefined): PageTracker {
  let { referrer } = document;
  let latest: Page | undefined;
  const cut = (url: string) => (hashRouting ? url : url.split("#")[0]!).slice(0, maxUrlLength);
  const current = (): Page => ({
    url: cut(location.href),
    title: currentTitle(),
    referrer: cut(referrer) || null,
    hashRouting,
  });
  const hasMoved = () => latest && latest.url !== cut(location.href);

  const pages: PageTracker = {
    current,
    latest: () => latest ?? current(),
    updateTitle() {
      if (latest) latest.title = currentTitle();
    },
    view() {
      pages.updateTitle();
      if (hasMoved()) referrer = latest!.url;
      latest = current();
      return latest;
    },

    follow(onView) {
      // Without a first view the page is still prerendered, and its navigations are not views.
      const navigated = () => hasMoved() && onView();
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
