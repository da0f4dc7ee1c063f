/** The paths of the console's pages. The server serves the console on each, and the console's router has the same list. */
export const CONSOLE_PAGES = [
  "/",
  "/sign-in",
  "/sources",
  "/sources/new",
  "/sources/settings",
  "/sources/data",
  "/analytics/setup/install",
  "/analytics/setup/debug",
  "/analytics/stats",
  "/shared",
  "/team",
  "/tokens",
  "/audit",
  "/usage",
  "/support",
  "/workspaces/new",
] as const;
export type ConsolePage = (typeof CONSOLE_PAGES)[number];
