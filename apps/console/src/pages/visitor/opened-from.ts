/**
 * From where the visitor page was opened. It is kept in the entry of the browser's history, so that the link back leads to the same
 * filters and place, and the tab of that page stays marked.
 */
import { useLocation } from "@tanstack/react-router";
import { SOURCE_PAGES } from "../../ui/pages.ts";
import { useWorkspace } from "../../workspace-context.tsx";

type SourcePagePath = (typeof SOURCE_PAGES)[number]["to"];

type LinkSearch = Readonly<Record<string, string>>;

interface OpenedFrom {
  readonly to: SourcePagePath | "/analytics/visitor";
  readonly search: LinkSearch;
  /** For example `Stats`, or `Latest “signup” events`. */
  readonly label: string;
  /** The tab to which that page belongs. */
  readonly tab: SourcePagePath;
}

declare module "@tanstack/react-router" {
  interface HistoryState {
    readonly openedFrom?: OpenedFrom;
  }
}

const VISITOR_LABELS = { sessionId: "Session", anonymousId: "Visitor", userId: "User" } as const;

function labelOfVisitorPage(search: LinkSearch): string {
  if (search.name !== undefined) return `Latest “${search.name}” events`;
  const kind = (["sessionId", "anonymousId", "userId"] as const).find((one) => search[one] !== undefined);
  return VISITOR_LABELS[kind ?? "anonymousId"];
}

/** @returns the state of links to the visitor page: the page with the link */
export function useVisitorLinkState(): { readonly openedFrom?: OpenedFrom } {
  const { pathname, search: params, state } = useLocation();
  const search = Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const page = SOURCE_PAGES.find(({ to }) => to === pathname);
  if (page) return { openedFrom: { to: page.to, search, label: page.label, tab: page.to } };
  if (!state.openedFrom) return {};
  const { tab } = state.openedFrom;
  return { openedFrom: { to: "/analytics/visitor", search, label: labelOfVisitorPage(search), tab } };
}

const DEBUG = "/analytics/setup/debug";
const FROM_DEBUG = "debug";

/** The part of an address that says, in a new tab too, that a request led to the visitor. */
export const useFromSearch = (): { readonly from?: typeof FROM_DEBUG } =>
  useLocation().pathname === DEBUG ? { from: FROM_DEBUG } : {};

/** The search parameters that say where a visitor page belongs. */
export interface VisitorAddress {
  readonly sourceId?: string;
  readonly name?: string;
  readonly from?: string;
}

export interface VisitorOrigin extends OpenedFrom {
  /** Whether it is the page before this one in the browser's history. */
  readonly isPrevious: boolean;
}

/** @returns where the link back leads; undefined when the user may see none of the pages that link here */
export function useVisitorOrigin({ sourceId = "", name, from }: VisitorAddress): VisitorOrigin | undefined {
  const { can } = useWorkspace();
  const openedFrom = useLocation({ select: ({ state }) => state.openedFrom });
  if (openedFrom) return { ...openedFrom, isPrevious: true };
  // the link was opened in a new tab, or by another tool
  const home = name !== undefined ? "/sources/events" : from === FROM_DEBUG ? DEBUG : "/analytics/stats";
  const owners = [home, "/analytics/stats", DEBUG];
  const page = owners.flatMap(
    (path) => SOURCE_PAGES.find(({ to, permission }) => to === path && can(permission)) ?? [],
  )[0];
  return page && { to: page.to, search: { sourceId }, label: page.label, tab: page.to, isPrevious: false };
}
