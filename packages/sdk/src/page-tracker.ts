import type { Page } from "./event.ts";

/** The current page, and the navigations that change it without a load. */
export interface PageTracker {
  current(): Page;
  /** Returns the current page for a new view. The previous view becomes its referrer. */
  view(): Page;
  /** Calls back after each navigation that changes path or query. */
  follow(onView: () => void): void;
}

// The server cuts at the same lengths. It refuses a page object over 16 KiB.
const maxUrlLength = 4096;
const maxTitleLength = 500;

/** Removes the fragment, because sign-in flows put tokens there. */
const withoutFragment = (url: string): string => url.split("#")[0]!.slice(0, maxUrlLength);

export const currentTitle = (): string => `${document.title}`.slice(0, maxTitleLength);

export function createPageTracker(): PageTracker {
  let referrer = document.referrer;
  let shown: string | undefined;
  const here = () => withoutFragment(location.href);

  const pages: PageTracker = {
    current: () => ({
      url: here(),
      title: currentTitle(),
      referrer: withoutFragment(referrer) || null,
    }),

    view() {
      const url = here();
      if (shown && shown !== url) referrer = shown;
      shown = url;
      return pages.current();
    },

    follow(onView) {
      // Without a first view the page is still prerendered, and its navigations are not views.
      const navigated = () => shown && shown !== here() && onView();
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
