/** The console's routes. The paths are those of the contract's `CONSOLE_PAGES`; most pages are loaded on demand. */
import type { ConsolePage } from "@headwater/contract";
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
  redirect,
} from "@tanstack/react-router";
import { apiWith, cookieApi, onSignedOut } from "./api.ts";
import { queryClient } from "./queries.ts";
import { session } from "./session.ts";
import { explainMissingFile } from "./ui/load-later.tsx";
import { NotFoundPage } from "./ui/navigation/not-found-page.tsx";
import { LoadingShell, Shell } from "./ui/navigation/shell.tsx";
import { ErrorAlert, Loading } from "./ui/page-states.tsx";

/** Converts the values of all search parameters to strings, and leaves out undefined ones. */
const toStringParams = (search: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );

/** The router reloads the console when the file of a page is missing. Without a network the browser would show its own error page. */
const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch((error: Error) => {
        throw navigator.onLine ? error : explainMissingFile(error);
      }),
    name,
  );

/** Ends the sign-in of this tab on the service. */
async function endSession(): Promise<void> {
  const [token, rememberedId] = [session.token(), session.rememberedId()];
  if (rememberedId !== null) await cookieApi(null).forgetSignIn({ body: { rememberedId }, keepalive: true });
  else if (token !== null) await apiWith(token).signOut({ keepalive: true });
}

const root = createRootRoute({
  component: Outlet,
  validateSearch: toStringParams,
  notFoundComponent: NotFoundPage,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in" satisfies ConsolePage,
  component: lazyPage(() => import("./pages/sign-in-page.tsx"), "SignInPage"),
  beforeLoad: ({ search, preload }) => {
    // a link from elsewhere signs nobody out
    if (search.out !== "yes" || preload || router.state.resolvedLocation === undefined) return;
    // the tab is signed out whether or not the service can be reached, and may be closed right after
    endSession().catch(() => undefined);
    session.signOut();
    queryClient.clear();
  },
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitation" satisfies ConsolePage,
  component: lazyPage(() => import("./pages/invitation-page.tsx"), "InvitationPage"),
});

const restoreEmail = createRoute({
  getParentRoute: () => root,
  path: "/restore-email" satisfies ConsolePage,
  component: lazyPage(() => import("./pages/restore-email-page.tsx"), "RestoreEmailPage"),
});

const shared = createRoute({
  getParentRoute: () => root,
  path: "/shared" satisfies ConsolePage,
  component: lazyPage(() => import("./pages/stats/shared-page.tsx"), "SharedPage"),
});

const embed = createRoute({
  getParentRoute: () => root,
  path: "/embed" satisfies ConsolePage,
  component: lazyPage(() => import("./pages/stats/shared-page.tsx"), "EmbeddedPage"),
});

const design = createRoute({
  getParentRoute: () => root,
  path: "/design" satisfies ConsolePage,
  component: lazyPage(() => import("./pages/design/design-page.tsx"), "DesignPage"),
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  component: Shell,
  pendingComponent: LoadingShell,
  beforeLoad: ({ location }) => {
    if (!session.isSignedIn()) throw redirect({ to: "/sign-in", search: { next: location.href } });
  },
});

const home = createRoute({
  getParentRoute: () => root,
  path: "/" satisfies ConsolePage,
  beforeLoad: () => {
    throw redirect({ to: "/sources" });
  },
});

const page = <const Path extends ConsolePage>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => signedIn, path, component });

const importStats = () => import("./pages/stats/stats-page.tsx");
const stats = createRoute({
  getParentRoute: () => signedIn,
  path: "/analytics/stats" satisfies ConsolePage,
  component: lazyPage(importStats, "StatsPage"),
  loader: ({ preload, location }) => {
    if (preload) return;
    // nothing waits for it, and the page shows what has failed
    importStats().then(
      ({ prefetchOverview }) => prefetchOverview(location.search),
      () => undefined,
    );
  },
});

/** The second page of settings, which older links name. */
const data = createRoute({
  getParentRoute: () => signedIn,
  path: "/sources/data" satisfies ConsolePage,
  beforeLoad: ({ search, location }) => {
    throw redirect({ to: "/sources/settings", search, hash: location.hash || "goals", replace: true });
  },
});

const pages = [
  page(
    "/sources",
    lazyPage(() => import("./pages/sources/sources-page.tsx"), "SourcesPage"),
  ),
  page(
    "/sources/new",
    lazyPage(() => import("./pages/sources/create-source-page.tsx"), "CreateSourcePage"),
  ),
  page(
    "/sources/settings",
    lazyPage(() => import("./pages/sources/settings-page.tsx"), "SettingsPage"),
  ),
  page(
    "/analytics/setup/install",
    lazyPage(() => import("./pages/install/install-page.tsx"), "InstallPage"),
  ),
  page(
    "/analytics/setup/debug",
    lazyPage(() => import("./pages/debug/debug-page.tsx"), "DebugPage"),
  ),
  stats,
  page(
    "/analytics/all",
    lazyPage(() => import("./pages/stats/all-sources-page.tsx"), "AllSourcesPage"),
  ),
  page(
    "/analytics/visitor",
    lazyPage(() => import("./pages/visitor/visitor-page.tsx"), "VisitorPage"),
  ),
  page(
    "/sources/events",
    lazyPage(() => import("./pages/events/events-page.tsx"), "EventsPage"),
  ),
  page(
    "/sources/delivery",
    lazyPage(() => import("./pages/delivery/delivery-page.tsx"), "DeliveryPage"),
  ),
  data,
  page(
    "/profile",
    lazyPage(() => import("./pages/profile-page.tsx"), "ProfilePage"),
  ),
  page(
    "/team",
    lazyPage(() => import("./pages/workspace/team-page.tsx"), "TeamPage"),
  ),
  page(
    "/tokens",
    lazyPage(() => import("./pages/workspace/tokens-page.tsx"), "TokensPage"),
  ),
  page(
    "/audit",
    lazyPage(() => import("./pages/workspace/audit-page.tsx"), "AuditPage"),
  ),
  page(
    "/usage",
    lazyPage(() => import("./pages/workspace/usage-page.tsx"), "UsagePage"),
  ),
  page(
    "/support",
    lazyPage(() => import("./pages/workspace/support-page.tsx"), "SupportPage"),
  ),
  page(
    "/workspaces/new",
    lazyPage(() => import("./pages/workspace/create-workspace-page.tsx"), "CreateWorkspacePage"),
  ),
] as const;

/** How long the page before stays while the next one is loading. */
const KEEP_PAGE_MS = 1_000;

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    signIn,
    invitation,
    restoreEmail,
    shared,
    embed,
    design,
    signedIn.addChildren(pages),
  ]),
  basepath: new URL(document.baseURI).pathname,
  defaultErrorComponent: ({ error }) => (
    <ErrorAlert error={explainMissingFile(error as Error)} onRetry={() => location.reload()} />
  ),
  defaultPendingComponent: Loading,
  // at first there is no page to keep, so the frame shows, and asks for the workspace, before the page's code is there
  defaultPendingMs: session.isSignedIn() && !session.isShared() ? 0 : KEEP_PAGE_MS,
  defaultPendingMinMs: 0,
  defaultPreload: "intent",
  scrollRestoration: true,
  // plain query strings that people can read and write, instead of the router's JSON values
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const present = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
    const text = new URLSearchParams(present as [string, string][]).toString();
    return text === "" ? "" : `?${text}`;
  },
});

const stopWaiting = router.subscribe("onResolved", () => {
  stopWaiting();
  router.update({ ...router.options, defaultPendingMs: KEEP_PAGE_MS });
});

function askToSignIn(why: string): void {
  const next = router.state.location.href;
  queryClient.clear();
  void router.navigate({ to: "/sign-in", search: { next, why }, ignoreBlocker: true });
}

onSignedOut(() => {
  // the shared page shows its own message about a revoked link
  if (session.isShared()) return;
  session.signOut();
  askToSignIn("expired");
});

session.onChangeElsewhere(() => {
  // the sign-in page itself notices that somebody has signed in
  if (router.state.location.pathname === "/sign-in") return;
  // another account may have signed in
  if (session.isSignedIn()) {
    location.reload();
    return;
  }
  session.signOut();
  askToSignIn("elsewhere");
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
