/** The addresses of the console's pages: the server answers them with the console, whose router knows the same ones. */
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
