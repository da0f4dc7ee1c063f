/** What the command palette can find, and which of it a text selects. */
import { useQueries, useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { READY_TABLES, readyTableParams } from "../../pages/stats/explore/tables.ts";
import { itemsOf, savedItemsQuery } from "../../pages/stats/saved/use-saved-items.ts";
import { profileQuery, sourcesQuery } from "../../queries.ts";
import { session } from "../../session.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { setColorScheme } from "../color-scheme.ts";
import type { IconName } from "../icon.tsx";
import { PAGES, SOURCE_PAGES, STATS_VIEWS } from "../pages.ts";
import { useConfirmLeave } from "../unsaved-changes.tsx";
import { pageKey } from "./page-key.ts";

const MAX_SHOWN = 10;
/** The search finds the saved items of this many sources where no source is shown. */
const MAX_SAVED_SOURCES = 5;

export interface PaletteCommand {
  readonly key: string;
  readonly label: string;
  /** The source that the label begins with. */
  readonly source?: string;
  /** Other words for it. */
  readonly words?: string | undefined;
  readonly icon: IconName;
  /** The title of its group where a text has selected it. */
  readonly group: string;
  /** Says in grey which one it is: the source of a saved item, or the first origin of a source. */
  readonly note?: string | undefined;
  /** The key that does the same on the page that is shown. */
  readonly shortcut?: string;
  /** Listed before one types. */
  readonly isFrequent?: boolean;
  run(): unknown;
}

/** Other words that people search for. */
const WORDS: Readonly<Record<string, string>> = {
  "/analytics/stats": "overview visitors dashboard analytics",
  "/analytics/setup/install": "snippet code script key",
  "/analytics/setup/debug": "requests attempts errors problems refused",
  "/sources/events": "raw explorer tracking plan",
  "/sources/delivery": "lost lose loss missing recover replay statement",
  "/sources/settings": "origins key delete privacy goals data channels limits retention",
  "/team": "members people invite users",
  "/tokens": "api keys",
  "/audit": "history activity",
  "/usage": "quota limits events",
  "/support": "help status",
};

type Open = (to: string, search?: Readonly<Record<string, string | undefined>>) => () => Promise<unknown>;

/** Asks about unsaved changes before it leaves a page. */
function useOpen(): Open {
  const navigate = useNavigate();
  const confirmLeave = useConfirmLeave();
  return (to, search = {}) =>
    async () => {
      if (await confirmLeave()) await navigate({ to, search, ignoreBlocker: true });
    };
}

interface SourceCommands {
  readonly commands: readonly PaletteCommand[];
  /** Why some are missing; null: all are there. */
  readonly missing: string | null;
}

/** The pages and views of all sources; those of the source that the page shows come first. */
function useSourceCommands(open: Open, shownId: string): SourceCommands {
  const { organizationId, can } = useWorkspace();
  const { data = [], isPending, error } = useQuery(sourcesQuery(organizationId));
  const shownFirst = data.toSorted(
    (one, other) => Number(other.sourceId === shownId) - Number(one.sourceId === shownId),
  );
  const commands = shownFirst.flatMap(({ sourceId, name, allowedOrigins: [origin] }) => {
    const commandOf = (label: string, to: string, view?: string): PaletteCommand => ({
      key: pageKey(to, sourceId, view),
      label: `${name}: ${label}`,
      source: name,
      group: "Sources",
      note: origin?.replace(/^https?:\/\//, ""),
      words: view ? "stats" : WORDS[to],
      icon: "world",
      run: open(to, { sourceId, view }),
    });
    const pages = SOURCE_PAGES.filter(({ permission }) => can(permission));
    return [
      ...pages.map(({ to, label }) => commandOf(label, to)),
      ...(can("stats:read")
        ? STATS_VIEWS.map(({ value, label }) => commandOf(label, "/analytics/stats", value))
        : []),
    ];
  });
  return { commands, missing: isPending ? "Loading sources…" : error && "The sources could not be loaded." };
}

/** The segments and funnels that are saved for the shown source, or for some sources. */
function useSavedCommands(open: Open, shownId: string): PaletteCommand[] {
  const { organizationId } = useWorkspace();
  const { data: sources = [] } = useQuery(sourcesQuery(organizationId));
  const owners = shownId
    ? sources.filter(({ sourceId }) => sourceId === shownId)
    : sources.slice(0, MAX_SAVED_SOURCES);
  const answers = useQueries({ queries: owners.map(({ sourceId }) => savedItemsQuery(sourceId)) });
  return answers.flatMap(({ data }, index) =>
    itemsOf(data).flatMap((item): PaletteCommand[] => {
      const { savedId, kind, name } = item;
      if (kind === "annotation") return [];
      const show = async () => {
        const { funnelParams, segmentParams } = await import("../../pages/stats/saved/saved-search.ts");
        const search = kind === "funnel" ? { view: kind, ...funnelParams(item) } : segmentParams(item);
        await open("/analytics/stats", { sourceId: owners[index]?.sourceId, ...search })();
      };
      const label = `${kind === "funnel" ? "Funnel" : "Segment"}: ${name}`;
      const note = owners[index]?.name;
      return [{ key: savedId, label, words: "saved", icon: "filter", group: "Saved", note, run: show }];
    }),
  );
}

/** The tables that Explore offers to begin with. */
function useTableCommands(open: Open, sourceId: string): PaletteCommand[] {
  const { can } = useWorkspace();
  if (!sourceId || !can("stats:read")) return [];
  return READY_TABLES.map((table) => ({
    key: `table ${table.title}`,
    label: `Table: ${table.title}`,
    words: "explore",
    icon: "usage",
    group: "Tables",
    run: open("/analytics/stats", { sourceId, view: "explore", ...readyTableParams(table) }),
  }));
}

function usePageCommands(open: Open): PaletteCommand[] {
  const { organizationId, can } = useWorkspace();
  const pages = PAGES.filter(({ permission }) => can(permission)).map(
    ({ to, label, icon }): PaletteCommand => ({
      key: to,
      label,
      words: WORDS[to],
      icon,
      group: "Go to",
      run: open(to),
    }),
  );
  const allSources: PaletteCommand = {
    key: "/analytics/all",
    label: "All sources: Stats",
    icon: "world",
    group: "Go to",
    run: open("/analytics/all", { organizationId }),
  };
  const profile: PaletteCommand = {
    key: "/profile",
    label: "Profile",
    group: "Go to",
    words: "account password email preferences",
    icon: "user",
    run: open("/profile"),
  };
  return [...pages, ...(can("stats:read") ? [allSources] : []), profile];
}

function useActionCommands(open: Open, onShowShortcuts: () => void): PaletteCommand[] {
  const { organizationId, all, can, select } = useWorkspace();
  const { data: person } = useQuery(profileQuery);
  const navigate = useNavigate();
  const confirmLeave = useConfirmLeave();
  const action = (label: string, icon: IconName, run: () => unknown, words = ""): PaletteCommand => ({
    key: label,
    label,
    words,
    icon,
    group: "Actions",
    run,
  });
  const frequent = (...params: Parameters<typeof action>) => ({ ...action(...params), isFrequent: true });
  const workspaces = all
    .filter((one) => one.organizationId !== organizationId)
    .map((one) => {
      const enter = async () => {
        if (!(await confirmLeave())) return;
        select(one.organizationId);
        await navigate({ to: "/sources", ignoreBlocker: true });
      };
      return { ...action(`Switch to ${one.name}`, "users", enter, "workspace"), key: one.organizationId };
    });
  return [
    ...(can("sources:write")
      ? [frequent("Create source", "plus", open("/sources/new"), "new add site app")]
      : []),
    ...(person ? [action("Create workspace", "plus", open("/workspaces/new"), "new add")] : []),
    ...workspaces,
    frequent("Use light theme", "sun", () => setColorScheme("light"), "colour color mode"),
    frequent("Use dark theme", "moon", () => setColorScheme("dark"), "colour color mode"),
    action("Use the system’s theme", "desktop", () => setColorScheme("auto"), "systems colour color mode"),
    { ...frequent("Show keyboard shortcuts", "support", onShowShortcuts, "keys help"), shortcut: "?" },
    action(
      "Open the API reference",
      "external",
      () => window.open(new URL("docs", document.baseURI), "_blank", "noopener"),
      "documentation help",
    ),
    action("Sign out", "signOut", open("/sign-in", { out: "yes" }), "log out logout"),
  ];
}

interface PaletteGroup {
  readonly title: string;
  readonly commands: readonly PaletteCommand[];
}

interface PaletteCommands extends Pick<SourceCommands, "missing"> {
  /** Those that contain all words of the text, in any order; without a text, the recent pages and then the others. */
  find(text: string): readonly PaletteGroup[];
}

export function usePaletteCommands(onShowShortcuts: () => void): PaletteCommands {
  const open = useOpen();
  const { pathname, search } = useLocation();
  const { sourceId = "" }: { sourceId?: string } = search;
  const sources = useSourceCommands(open, sourceId);
  const saved = useSavedCommands(open, sourceId);
  const tables = useTableCommands(open, sourceId);
  const pages = usePageCommands(open);
  const actions = useActionCommands(open, onShowShortcuts);
  const find = (text: string) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length > 0) {
      const all = [...saved, ...sources.commands, ...pages, ...tables, ...actions];
      return toGroups(best(all, words));
    }
    const shown = firstOf(sources.commands, sourceId, pathname === "/analytics/stats");
    return [
      { title: "Recent", commands: recentOf([...sources.commands, ...pages]) },
      { title: (sourceId && shown[0]?.source) || "Sources", commands: shown },
      { title: "Go to", commands: pages },
      { title: "Actions", commands: actions.filter(({ isFrequent }) => isFrequent) },
    ].filter(({ commands }) => commands.length > 0);
  };
  return { find, missing: sources.missing };
}

/** The group of the best result comes first. */
const toGroups = (commands: readonly PaletteCommand[]): PaletteGroup[] =>
  [...Map.groupBy(commands, ({ group }) => group)].map(([title, members]) => ({ title, commands: members }));

/** The pages that were shown before this one. */
const recentOf = (commands: readonly PaletteCommand[]): PaletteCommand[] =>
  session
    .recentPages()
    .slice(1)
    .flatMap((recent) => {
      const command = commands.find(({ key }) => key === recent);
      return command ? [{ ...command }] : [];
    });

/**
 * Before one types: the pages of the shown source, or the stats of some sources.
 * @param hasKeys whether the page has the keys of the views
 */
function firstOf(commands: readonly PaletteCommand[], shownId: string, hasKeys: boolean): PaletteCommand[] {
  if (!shownId) return commands.filter(({ label, source = "" }) => label === `${source}: Stats`).slice(0, 5);
  const views = STATS_VIEWS.map(({ value }, at) => ({
    key: pageKey("/analytics/stats", shownId, value),
    shortcut: String(at + 2),
  }));
  return commands.flatMap((command, index) => {
    const view = hasKeys && views.find(({ key }) => key === command.key);
    if (view) return [{ ...command, ...view }];
    return index < SOURCE_PAGES.length && command.key.endsWith(` ${shownId}`) ? [command] : [];
  });
}

/** First those in whose name every word begins a word, then those in whose name or other words it stands anywhere. */
function best(commands: readonly PaletteCommand[], words: readonly string[]): PaletteCommand[] {
  const ranked = commands.flatMap((command) => {
    const label = ` ${command.label.toLowerCase()}`;
    const all = `${label} ${command.words ?? ""}`;
    if (!words.every((word) => all.includes(word))) return [];
    return [{ command, isBest: words.every((word) => label.includes(` ${word}`)) }];
  });
  return ranked
    .toSorted((one, other) => Number(other.isBest) - Number(one.isBest))
    .slice(0, MAX_SHOWN)
    .map(({ command }) => command);
}
