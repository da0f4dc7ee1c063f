/** The list of the command palette: the pages of the workspace and of its sources that contain the text. */
import { UnstyledButton } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { sourcesQuery } from "../../queries.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { Icon, type IconName } from "../icon.tsx";
import { PAGES, SOURCE_PAGES } from "../pages.ts";
import { useConfirmLeave } from "../unsaved-changes.tsx";

const MAX_SHOWN = 10;

interface PaletteCommand {
  readonly key: string;
  readonly label: string;
  /** The source that the label begins with. */
  readonly source?: string;
  readonly icon: IconName;
  readonly to: string;
  readonly search: Readonly<Record<string, string>>;
}

/** @returns the commands that contain all of the words, in any order */
function matchCommands<One extends { readonly label: string }>(
  commands: readonly One[],
  text: string,
): One[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return commands
    .filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
    .slice(0, MAX_SHOWN);
}

/** Before one types: the first page of some sources, and all pages of the workspace. */
const firstCommands = (sourceCommands: readonly PaletteCommand[], pages: readonly PaletteCommand[]) => {
  const first = sourceCommands.filter(({ to }) => to === SOURCE_PAGES[0]?.to);
  return [...first.slice(0, Math.max(0, MAX_SHOWN - pages.length)), ...pages];
};

interface PaletteCommands {
  readonly sourceCommands: readonly PaletteCommand[];
  readonly pages: readonly PaletteCommand[];
  /** Why the commands of the sources are missing; null: they are there. */
  readonly missing: string | null;
}

function useCommands(): PaletteCommands {
  const { organizationId, can } = useWorkspace();
  const { data = [], isPending, error } = useQuery(sourcesQuery(organizationId));
  const allSources: PaletteCommand = {
    key: "all",
    label: "All sources: Stats",
    icon: "world",
    to: "/analytics/all",
    search: { organizationId },
  };
  const pages = PAGES.filter(({ permission }) => can(permission)).map(
    ({ to, label, icon }): PaletteCommand => ({ key: to, label, icon, to, search: {} }),
  );
  const sourceCommands = data.flatMap(({ sourceId, name }) =>
    SOURCE_PAGES.filter(({ permission }) => can(permission)).map(
      ({ to, label }): PaletteCommand => ({
        key: `${sourceId} ${to}`,
        label: `${name}: ${label}`,
        source: name,
        icon: "world",
        to,
        search: { sourceId },
      }),
    ),
  );
  const missing = isPending ? "Loading sources…" : error && "The sources could not be loaded.";
  return {
    sourceCommands,
    pages: data.length > 1 && can("stats:read") ? [...pages, allSources] : pages,
    missing,
  };
}

/** A long name of a source ends before the page. */
const PaletteText = ({ command: { label, source = "" } }: { readonly command: PaletteCommand }) => (
  <span className="palette-text">
    <bdi className="palette-source">{source}</bdi>
    <span className="palette-page">{label.slice(source.length)}</span>
  </span>
);

interface PaletteListProps {
  readonly text: string;
  readonly onClose: () => void;
}

export function PaletteList({ text, onClose }: PaletteListProps) {
  const [active, setActive] = useState(0);
  const navigate = useNavigate();
  const confirmLeave = useConfirmLeave();
  const { sourceCommands, pages, missing } = useCommands();
  const shown =
    text.trim() === ""
      ? firstCommands(sourceCommands, pages)
      : matchCommands([...sourceCommands, ...pages], text);
  const run = async (command: PaletteCommand | undefined) => {
    if (!command) return;
    onClose();
    if (await confirmLeave()) await navigate({ to: command.to, search: command.search, ignoreBlocker: true });
  };
  useWindowEvent("keydown", (event) => {
    // on a button, Enter presses it
    if (!(event.target instanceof HTMLInputElement)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") void run(shown[active]);
    if (step === undefined) return;
    event.preventDefault();
    setActive(Math.max(0, Math.min(shown.length - 1, active + step)));
  });
  return (
    <ul className="palette" aria-label="Pages">
      {shown.map((command, index) => (
        <li key={command.key}>
          <UnstyledButton
            className="menu-item"
            aria-label={command.label}
            data-active={index === active ? "yes" : undefined}
            onClick={() => void run(command)}
          >
            <Icon name={command.icon} />
            <PaletteText command={command} />
            {index === active && <kbd aria-hidden>↵</kbd>}
          </UnstyledButton>
        </li>
      ))}
      {shown.length === 0 && !missing && <li className="menu-title">No page or source contains “{text}”.</li>}
      {missing && <li className="menu-title">{missing}</li>}
    </ul>
  );
}
