/** Calls back with the link that was followed, by whichever button. */
export function onLink(follow: (link: HTMLAnchorElement) => void): void {
  for (const type of ["click", "auxclick"]) {
    document.addEventListener(
      type,
      ({ target }) => {
        const link = target instanceof Element && target.closest<HTMLAnchorElement>("a[href]");
        if (link && /^https?:$/.test(link.protocol)) follow(link);
      },
      // Before the page's own listeners, which may stop it.
      true,
    );
  }
}

/** Without query and fragment, which may hold what is nobody's business. */
export const addressOf = ({ origin, pathname }: HTMLAnchorElement): string => origin + pathname;
