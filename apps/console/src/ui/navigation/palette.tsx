/** The content of the command palette: a search over the pages of the workspace and of its sources. */
import { TextInput, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useState } from "react";
import { api } from "../../api.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { Icon, type IconName } from "../icon.tsx";
import { PAGES, SOURCE_PAGES } from "../pages.ts";
import { useConfirmLeave } from "../unsaved-changes.tsx";

const MAX_SOURCES = 50;
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
export function matchCommands<One extends { readonly label: string }>(
  commands: readonly One[],
  text: string,
): One[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return commands
    .filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
    .slice(0, MAX_SHOWN);
}

function useCommands(isOpen: boolean): readonly PaletteCommand[] {
  const { organizationId, can } = useWorkspace();
  const { data } = useQuery({
    queryKey: ["sources", organizationId, "palette"],
    queryFn: ({ signal }) => api.listSources({ query: { organizationId, limit: MAX_SOURCES }, signal }),
    enabled: isOpen,
  });
  const pages = PAGES.filter(({ permission }) => can(permission)).map(
    ({ to, label, icon }): PaletteCommand => ({ key: to, label, icon, to, search: {} }),
  );
  const ofSources = (data?.sources ?? []).flatMap(({ sourceId, name }) =>
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
  return [...ofSources, ...pages];
}

/** A long name of a source ends before the page. */
const PaletteText = ({ label, source = "" }: PaletteCommand) => (
  <span className="palette-text">
    <bdi className="palette-source">{source}</bdi>
    <span className="palette-page">{label.slice(source.length)}</span>
  </span>
);

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const navigate = useNavigate();
  const confirmLeave = useConfirmLeave();
  const shown = matchCommands(useCommands(true), text);
  const run = async (command: PaletteCommand | undefined) => {
    if (!command) return;
    onClose();
    if (await confirmLeave()) await navigate({ to: command.to, search: command.search, ignoreBlocker: true });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") void run(shown[active]);
    if (step === undefined) return;
    event.preventDefault();
    setActive(Math.max(0, Math.min(shown.length - 1, active + step)));
  };
  return (
    <>
      <TextInput
        aria-label="Page or source"
        placeholder="A page or a source"
        leftSection={<Icon name="search" />}
        data-autofocus
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul className="palette" aria-label="Pages">
        {shown.map((command, index) => (
          <li key={command.key}>
            <UnstyledButton
              className="menu-item"
              data-active={index === active ? "yes" : undefined}
              onClick={() => void run(command)}
            >
              <Icon name={command.icon} />
              <PaletteText {...command} />
            </UnstyledButton>
          </li>
        ))}
        {shown.length === 0 && <li className="menu-title">No page or source contains “{text}”.</li>}
      </ul>
    </>
  );
}
