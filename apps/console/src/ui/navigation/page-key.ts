/**
 * The key of a page in the command palette and in the list of recent pages.
 * @param view of the stats; undefined: the page has none
 */
export const pageKey = (pathname: string, sourceId: string | undefined, view: string | undefined): string =>
  [pathname, sourceId, view].filter(Boolean).join(" ");
