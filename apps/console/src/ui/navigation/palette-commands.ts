/** What the command palette can find, and which of it a text selects. */
import { useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { useSavedItems } from "../../pages/stats/saved/use-saved-items.ts";
import { profileQuery, sourcesQuery } from "../../queries.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { setColorScheme } from "../color-scheme.ts";
import type { IconName } from "../icon.tsx";
import { PAGES, SOURCE_PAGES, STATS_VIEWS } from "../pages.ts";
import { useConfirmLeave } from "../unsaved-changes.tsx";

const MAX_SHOWN = 10;

export interface PaletteCommand {
  readonly key: string;
  readonly label: string;
  /** The source that the label begins with. */
  readonly source?: string;
  /** Other words for it. */
  readonly words?: string | undefined;
  readonly icon: IconName;
  run(): unknown;
}

/** Other words that people search for. */
const WORDS: Readonly<Record<string, string>> = {
  "/analytics/stats": "overview visitors dashboard analytics",
  "/analytics/setup/install": "snippet code script key",
  "/analytics/setup/debug": "requests attempts errors problems refused",
  "/sources/events": "raw explorer tracking plan",
  "/sources/delivery": "lost missing statement",
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
  const commands = shownFirst.flatMap(({ sourceId, name }) => {
    const commandOf = (label: string, to: string, view?: string): PaletteCommand => ({
      key: `${sourceId} ${to} ${view}`,
      label: `${name}: ${label}`,
      source: name,
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

/** The segments and funnels that are saved for the source that the page shows. */
function useSavedCommands(open: Open, sourceId: string): PaletteCommand[] {
  const { items } = useSavedItems(sourceId);
  return items.flatMap((item): PaletteCommand[] => {
    const { savedId, kind, name } = item;
    if (kind === "annotation") return [];
    const show = async () => {
      const { funnelParams, segmentParams } = await import("../../pages/stats/saved/saved-search.ts");
      const search = kind === "funnel" ? { view: kind, ...funnelParams(item) } : segmentParams(item);
      await open("/analytics/stats", { sourceId, ...search })();
    };
    const label = `${kind === "funnel" ? "Funnel" : "Segment"}: ${name}`;
    return [{ key: savedId, label, words: "saved", icon: "filter", run: show }];
  });
}

function usePageCommands(open: Open): PaletteCommand[] {
  const { organizationId, can } = useWorkspace();
  const pages = PAGES.filter(({ permission }) => can(permission)).map(
    ({ to, label, icon }): PaletteCommand => ({ key: to, label, words: WORDS[to], icon, run: open(to) }),
  );
  const allSources: PaletteCommand = {
    key: "all",
    label: "All sources: Stats",
    icon: "world",
    run: open("/analytics/all", { organizationId }),
  };
  const profile: PaletteCommand = {
    key: "profile",
    label: "Profile",
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
    run,
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
      ? [action("Create source", "plus", open("/sources/new"), "new add site app")]
      : []),
    ...(person ? [action("Create workspace", "plus", open("/workspaces/new"), "new add")] : []),
    ...workspaces,
    action("Use light theme", "sun", () => setColorScheme("light"), "colour color mode"),
    action("Use dark theme", "moon", () => setColorScheme("dark"), "colour color mode"),
    action("Use the system’s theme", "desktop", () => setColorScheme("auto"), "systems colour color mode"),
    action("Show keyboard shortcuts", "support", onShowShortcuts, "keys help"),
    action(
      "Open the API reference",
      "external",
      () => window.open(new URL("docs", document.baseURI), "_blank", "noopener"),
      "documentation help",
    ),
    action("Sign out", "signOut", open("/sign-in", { out: "yes" }), "log out logout"),
  ];
}

interface PaletteCommands extends Pick<SourceCommands, "missing"> {
  /** Those that contain all words of the text, in any order; without a text, the pages of the shown source and the others. */
  find(text: string): readonly PaletteCommand[];
}

export function usePaletteCommands(onShowShortcuts: () => void): PaletteCommands {
  const open = useOpen();
  const { sourceId = "" }: { sourceId?: string } = useLocation().search;
  const sources = useSourceCommands(open, sourceId);
  const saved = useSavedCommands(open, sourceId);
  const pages = usePageCommands(open);
  const actions = useActionCommands(open, onShowShortcuts);
  const find = (text: string) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length > 0) return best([...saved, ...sources.commands, ...pages, ...actions], words);
    return [...firstOf(sources.commands, sourceId), ...pages].slice(0, MAX_SHOWN);
  };
  return { find, missing: sources.missing };
}

/** Before one types: the pages of the shown source, or the stats of some sources. */
const firstOf = (commands: readonly PaletteCommand[], shownId: string): PaletteCommand[] =>
  shownId
    ? commands.slice(0, SOURCE_PAGES.length)
    : commands.filter(({ label, source = "" }) => label === `${source}: Stats`).slice(0, 5);

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
