import type { Page } from "./event.ts";
import { quietly } from "./quietly.ts";

/** The page that is shown, and the navigations that change it without a load. */
export interface Pages {
  current(): Page;
  /** Calls back after each navigation that changed path or query, and when the browser shows a kept page again. */
  watch(onView: () => void): void;
}

// The server cuts at the same lengths; a page over 16 KiB it would refuse.
const maxUrlLength = 4096;
const maxTitleLength = 500;

/** Without the fragment: sign-in flows put tokens there. */
const withoutFragment = (url: string): string => url.replace(/#.*/s, "").slice(0, maxUrlLength);
const address = (): string => location.pathname + location.search;

export const currentTitle = (): string => document.title.slice(0, maxTitleLength);

export function createPages(): Pages {
  let referrer = document.referrer;
  let shown = withoutFragment(location.href);
  let shownAddress = address();

  return {
    current: () => ({
      url: withoutFragment(location.href),
      path: location.pathname.slice(0, maxUrlLength),
      title: currentTitle(),
      referrer: referrer ? withoutFragment(referrer) : null,
    }),

    watch(onView) {
      const navigated = quietly(() => {
        if (address() === shownAddress) return;
        referrer = shown;
        shown = withoutFragment(location.href);
        shownAddress = address();
        onView();
      });
      const restored = quietly((event: PageTransitionEvent) => event.persisted && onView());
      const follow = quietly((method: "pushState" | "replaceState") => {
        const original = history[method];
        history[method] = function (this: History, ...change) {
          original.apply(this, change);
          navigated();
        };
      });
      addEventListener("popstate", navigated);
      addEventListener("pageshow", restored);
      follow("pushState");
      follow("replaceState");
    },
  };
}
