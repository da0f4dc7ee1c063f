/** What the command palette can find, and which of it a text selects. */
import type { SourceWithHealth } from "@headwater/contract";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { settingsSectionsOf } from "../../pages/sources/settings-sections.ts";
import { READY_TABLES, readyTableParams } from "../../pages/stats/explore/tables.ts";
import { itemsOf, savedItemsQuery } from "../../pages/stats/saved/use-saved-items.ts";
import { profileQuery, sourcesQuery } from "../../queries.ts";
import { session } from "../../session.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { setColorScheme, useColorScheme } from "../color-scheme.ts";
import type { IconName } from "../icon.tsx";
import { PAGES, SOURCE_PAGES, STATS_VIEWS } from "../pages.ts";
import { useConfirmLeave } from "../unsaved-changes.tsx";
import { pageKey } from "./page-key.ts";

const MAX_SHOWN = 10;
const MAX_RECENT = 3;
/** Beside what one can do on the page, so that the list fits a screen. */
const MAX_RECENT_BESIDE = 2;
/** The search finds the saved items of this many sources where no source is shown. */
const MAX_SAVED_SOURCES = 5;

export interface PaletteCommand {
  readonly key: string;
  readonly label: string;
  /** The source that the label begins with. */
  readonly source?: string;
  /** The end of the label that tells it from the other pages of its source. A text has to have a word of it. Default: the label. */
  readonly name?: string;
  /** Found only by a text that has a word of the source's name. */
  readonly isElsewhere?: boolean;
  /** Other words for it. */
  readonly words?: string | undefined;
  readonly icon: IconName;
  /** The title of its group. */
  readonly group: string;
  /** In grey: the source of a saved item, the first origin of another source, or the word that a text has selected it by. */
  readonly note?: string | undefined;
  /** The key that does the same on the page that is shown. */
  readonly shortcut?: string;
  /** Listed before one types. */
  readonly isFrequent?: boolean;
  run(): unknown;
}

/** The group of what one can do on the page that is shown. */
export const HERE = "On this page";

/** Other words that people search for. */
const WORDS: Readonly<Record<string, string>> = {
  "/analytics/stats": "overview visitors dashboard analytics stats",
  "/analytics/setup/install": "snippet code script key",
  "/analytics/setup/debug": "requests attempts errors problems refused failing healthy",
  "/sources/events": "raw explorer tracking plan schema properties stopped",
  "/sources/delivery": "lost lose loss missing recover replay statement",
  "/sources/settings": "origins key delete privacy goals data channels limits retention",
  "/sources": "websites apps status failing",
  "/team": "members people invite users",
  "/tokens": "api keys",
  "/audit": "history activity",
  "/usage": "quota limits events",
  "/support": "help status",
};

type Open = (
  to: string,
  search?: Readonly<Record<string, string | undefined>>,
  hash?: string,
) => () => Promise<unknown>;

/** Asks about unsaved changes before it leaves a page. Another section of the same page keeps them. */
function useOpen(): Open {
  const navigate = useNavigate();
  const confirmLeave = useConfirmLeave();
  const { pathname, search: shown }: { pathname: string; search: { sourceId?: string } } = useLocation();
  return (to, search = {}, hash = "") =>
    async () => {
      const stays = to === pathname && search.sourceId === shown.sourceId;
      if (!stays && !(await confirmLeave())) return;
      await navigate({ to, search, hash, hashScrollIntoView: false, ignoreBlocker: true });
      focusMain();
    };
}

/** Presses a key of the page that is shown, once the search has closed: a dialog keeps the keys to itself. */
const pressKey = (key: string) => () =>
  void setTimeout(() => dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true })));

/** The next Tab goes on from the page, not from where the palette was opened. A page that has focused a part of itself keeps it. */
function focusMain(): void {
  const main = document.getElementById("main");
  if (!main?.contains(document.activeElement)) main?.focus({ preventScroll: true });
}

/** A key of the page that is shown, which keeps its range and filters. */
const onPage = (shortcut: string) => ({
  group: HERE,
  shortcut,
  isFrequent: true,
  run: pressKey(shortcut),
});

interface SourceCommands {
  readonly commands: readonly PaletteCommand[];
  /** Whether a source comes first. */
  readonly hasNearest: boolean;
  /** Whether the page that is shown has the keys of the stats. Before the first event it has none. */
  readonly hasKeys: boolean;
  /** Why some are missing; null: all are there. */
  readonly missing: string | null;
}

/**
 * The pages and views of all sources, and the settings of the nearest one: the shown source, or the one that was opened last. It
 * comes first.
 */
function useSourceCommands(open: Open, shownId: string): SourceCommands {
  const { organizationId, can } = useWorkspace();
  const { pathname } = useLocation();
  const { data = [], isPending, error } = useQuery(sourcesQuery(organizationId));
  const nearestId = shownId || session.recentSources(organizationId)[0]?.sourceId;
  const nearest = data.find(({ sourceId }) => sourceId === nearestId) ?? data[0];
  const pages = SOURCE_PAGES.filter(({ permission }) => can(permission));
  const views = can("stats:read") ? STATS_VIEWS : [];
  const hasKeys = pathname === "/analytics/stats" && nearest?.sourceId === shownId && !!nearest.lastEventAt;
  const commandsOf = (source: SourceWithHealth): PaletteCommand[] => {
    const { sourceId, name, allowedOrigins } = source;
    const isNearest = source === nearest;
    const facts = (label: string) => ({
      label: `${name}: ${label}`,
      source: name,
      group: isNearest ? name : "Other sources",
      isElsewhere: !isNearest,
      note: isNearest ? undefined : allowedOrigins[0]?.replace(/^https?:\/\//, ""),
    });
    const sections = isNearest && can("sources:write") ? settingsSectionsOf(source, can) : [];
    return [
      ...pages.map(({ to, label, icon }, at) => ({
        ...facts(label),
        key: pageKey(to, sourceId, undefined),
        icon,
        // the sections have those of the settings
        words: sections.length > 0 && to === "/sources/settings" ? "" : WORDS[to],
        isFrequent: isNearest,
        ...(!isNearest && at > 0 && { name: label }),
        run: open(to, { sourceId }),
        ...(isNearest && hasKeys && to === "/analytics/stats" && { ...facts("Overview"), ...onPage("1") }),
      })),
      ...views.map(({ value, label, icon }, at) => ({
        ...facts(label),
        key: pageKey("/analytics/stats", sourceId, value),
        icon,
        words: "stats",
        name: label,
        run: open("/analytics/stats", { sourceId, view: value }),
        ...(isNearest && hasKeys && onPage(String(at + 2))),
      })),
      ...sections.map(({ id, title, words }) => ({
        ...facts(`Settings › ${title}`),
        key: `settings ${id}`,
        icon: "settings" as const,
        words,
        name: title,
        run: open("/sources/settings", { sourceId }, id),
      })),
    ];
  };
  const others = data.filter((source) => source !== nearest);
  return {
    commands: (nearest ? [nearest, ...others] : []).flatMap(commandsOf),
    hasNearest: nearest !== undefined,
    hasKeys,
    missing: isPending ? "Loading sources…" : error && "The sources could not be loaded. Reload the page.",
  };
}

/** The other keys of a stats page, as far as the shown view has them. */
function useKeyCommands(hasKeys: boolean): PaletteCommand[] {
  const { can } = useWorkspace();
  const { pathname, search }: { pathname: string; search: { view?: string } } = useLocation();
  const command = (shortcut: string, label: string, icon: IconName, words: string): PaletteCommand => ({
    key: `key ${shortcut}`,
    label,
    icon,
    words,
    ...onPage(shortcut),
  });
  if (!hasKeys && pathname !== "/analytics/all") return [];
  const isOverview = !STATS_VIEWS.some(({ value }) => value === search.view);
  return [
    ...(search.view === "realtime"
      ? []
      : [command("R", "Choose the range", "calendar", "date days period time today yesterday")]),
    command("F", "Add a filter", "filter", "segment"),
    ...(isOverview ? [command("C", "Choose the comparison", "history", "compare previous period year")] : []),
    ...(hasKeys && can("export:read")
      ? [command("E", "Export and share", "download", "csv link report annotation time zone")]
      : []),
  ];
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
      const icon = kind === "funnel" ? "funnel" : "filter";
      return [{ key: savedId, label, words: "saved", icon, group: "Saved", note, run: show }];
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
  const scheme = useColorScheme();
  const isDark = scheme === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : scheme === "dark";
  const theme = (value: "light" | "dark", icon: IconName) => ({
    ...action(`Use ${value} theme`, icon, () => setColorScheme(value), "colour color mode"),
    // the one that is not shown
    isFrequent: isDark === (value === "light"),
  });
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
      ? [
          {
            ...action("Create source", "plus", open("/sources/new"), "new add site app"),
            isFrequent: true,
          },
        ]
      : []),
    ...(person ? [action("Create workspace", "plus", open("/workspaces/new"), "new add")] : []),
    ...workspaces,
    theme("light", "sun"),
    theme("dark", "moon"),
    action("Use system theme", "desktop", () => setColorScheme("auto"), "systems colour color mode"),
    {
      ...action("Show keyboard shortcuts", "keyboard", onShowShortcuts, "keys help"),
      shortcut: "?",
      isFrequent: true,
    },
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
  /**
   * Those that contain all words, in any order; without words, the recent pages, what one can do on the page, the pages of the
   * source, and actions.
   */
  find(words: readonly string[]): readonly PaletteGroup[];
}

export function usePaletteCommands(onShowShortcuts: () => void): PaletteCommands {
  const open = useOpen();
  const { sourceId = "" }: { sourceId?: string } = useLocation().search;
  const sources = useSourceCommands(open, sourceId);
  const keys = useKeyCommands(sources.hasKeys);
  const saved = useSavedCommands(open, sourceId);
  const tables = useTableCommands(open, sourceId);
  const pages = usePageCommands(open);
  const actions = useActionCommands(open, onShowShortcuts);
  const find = (words: readonly string[]) => {
    if (words.length > 0)
      return toGroups(best([...saved, ...sources.commands, ...keys, ...pages, ...tables, ...actions], words));
    const [shownKey, ...recentKeys] = session.recentPages();
    const isHere = ({ group }: PaletteCommand) => group === HERE;
    const elsewhere = [...sources.commands, ...pages].filter((command) => !isHere(command));
    const recent = recentOf(elsewhere, recentKeys).slice(0, keys.length > 0 ? MAX_RECENT_BESIDE : MAX_RECENT);
    const listed = [...recent.map(({ key }) => key), shownKey];
    const first = sources.hasNearest
      ? sources.commands
      : pages.map((page) => ({ ...page, isFrequent: true }));
    const here = [...sources.commands.filter(isHere), ...keys];
    const frequent = [...here, ...first.filter((command) => !isHere(command)), ...actions].filter(
      ({ key, isFrequent }) => isFrequent && !listed.includes(key),
    );
    return toGroups([...recent, ...frequent]);
  };
  return { find, missing: sources.missing };
}

/** The group of the best result comes first. */
const toGroups = (commands: readonly PaletteCommand[]): PaletteGroup[] =>
  [...Map.groupBy(commands, ({ group }) => group)].map(([title, members]) => ({ title, commands: members }));

const recentOf = (commands: readonly PaletteCommand[], keys: readonly string[]): PaletteCommand[] =>
  keys
    .flatMap((recent) => commands.find(({ key }) => key === recent) ?? [])
    .map((command) => ({ ...command, group: "Recent" }));

/** Whether the words select the command. It is not enough that all of them are in the name of its source or of its page. */
function isFound(
  { label, name = label, source = "", isElsewhere, words: other = "" }: PaletteCommand,
  words: readonly string[],
) {
  const all = `${label} ${other}`.toLowerCase();
  const own = `${name} ${other}`.toLowerCase();
  return (
    words.every((word) => all.includes(word)) &&
    words.some((word) => own.includes(word)) &&
    (!isElsewhere || words.some((word) => source.toLowerCase().includes(word)))
  );
}

/** First those in whose label every word begins a word, then those in whose label or other words it stands anywhere. */
function best(commands: readonly PaletteCommand[], words: readonly string[]): PaletteCommand[] {
  const ranked = commands
    .filter((command) => isFound(command, words))
    .map((command) => {
      const label = ` ${command.label.toLowerCase()}`;
      const missing = words.find((word) => !label.includes(word));
      const other = missing && command.words?.split(" ").find((word) => word.includes(missing));
      return {
        command: other ? { ...command, note: other } : command,
        isBest: words.every((word) => label.includes(` ${word}`)),
      };
    });
  return ranked
    .toSorted((one, other) => Number(other.isBest) - Number(one.isBest))
    .slice(0, MAX_SHOWN)
    .map(({ command }) => command);
}
