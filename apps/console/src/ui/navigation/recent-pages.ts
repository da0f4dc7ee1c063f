/** The pages that were opened last in this tab, for the command palette. */
const STORAGE_KEY = "headwater.recent";
/** The shown page, and the five before it. */
const MAX_KEPT = 6;

/** @param view of the stats; undefined: the page has none */
export const pageKey = (pathname: string, sourceId: string | undefined, view: string | undefined): string =>
  [pathname, sourceId, view].filter(Boolean).join(" ");

/** @returns the keys, that of the shown page first; none where the browser has no storage */
export function readRecent(): string[] {
  try {
    return sessionStorage.getItem(STORAGE_KEY)?.split("\n") ?? [];
  } catch {
    return [];
  }
}

/** Keeps the page as the newest one. */
export function recordPage(key: string): void {
  const kept = [key, ...readRecent().filter((other) => other !== key)].slice(0, MAX_KEPT);
  try {
    sessionStorage.setItem(STORAGE_KEY, kept.join("\n"));
  } catch {
    // the palette then begins with the pages
  }
}
