import type { Page } from "./event.ts";

/** The page that is shown, and the navigations that change it without a load. */
export interface Pages {
  current(): Page;
  /** The same, at the moment of a view: the view before it is then its referrer. */
  view(): Page;
  /** Calls back after each navigation that changed path or query. */
  follow(onView: () => void): void;
}

// The server cuts at the same lengths; a page over 16 KiB it would refuse.
const maxUrlLength = 4096;
const maxTitleLength = 500;

/** Without the fragment: sign-in flows put tokens there. */
const withoutFragment = (url: string): string => url.split("#")[0]!.slice(0, maxUrlLength);

export const currentTitle = (): string => `${document.title}`.slice(0, maxTitleLength);

export function createPages(): Pages {
  let referrer = document.referrer;
  let shown: string | undefined;
  const here = () => withoutFragment(location.href);

  const pages: Pages = {
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
      // Before the first view a page is prerendered: wherever it goes then, it was seen nowhere.
      const navigated = () => shown && shown !== here() && onView();
      // A page may have anything of that name; and where it is nothing of the browser's the others tell the same.
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
