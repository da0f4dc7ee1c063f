/** Calls back with each http(s) link that is clicked with the main or the middle button. */
export function onLink(follow: (link: HTMLAnchorElement) => void): void {
  for (const type of ["click", "auxclick"] as const) {
    addEventListener(
      type,
      ({ button, target }) => {
        const link = button < 2 && target instanceof Element && target.closest<HTMLAnchorElement>("a[href]");
        if (link && /^https?:$/.test(link.protocol)) follow(link);
      },
      // In the capture phase, because the page's own listeners may stop the event.
      true,
    );
  }
}

/** Returns the URL without query and fragment, which may contain personal data. */
export const linkUrl = ({ origin, pathname }: HTMLAnchorElement): string => origin + pathname;
