/** Calls back with the link that was followed, by the main button or the middle one: the others follow none. */
export function onLink(follow: (link: HTMLAnchorElement) => void): void {
  for (const type of ["click", "auxclick"] as const) {
    document.addEventListener(
      type,
      ({ button, target }) => {
        const link = button < 2 && target instanceof Element && target.closest<HTMLAnchorElement>("a[href]");
        if (link && /^https?:$/.test(link.protocol)) follow(link);
      },
      // Before the page's own listeners, which may stop it.
      true,
    );
  }
}

/** Without query and fragment, which may hold what is nobody's business. */
export const addressOf = ({ origin, pathname }: HTMLAnchorElement): string => origin + pathname;
