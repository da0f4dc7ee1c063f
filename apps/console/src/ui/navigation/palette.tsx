/** The list of the command palette: what contains the text. */
import { Fragment, useState } from "react";
import { Icon } from "../icon.tsx";
import { type PaletteCommand, usePaletteCommands } from "./palette-commands.ts";
import { useKeyDown } from "./use-key-down.ts";

interface PaletteTextProps {
  readonly command: PaletteCommand;
  /** The title of its group. */
  readonly group: string;
}

/** A long name of a source ends before the page. */
const PaletteText = ({ command: { label, source = "" }, group }: PaletteTextProps) => (
  <span className="palette-text">
    {source !== group && <bdi className="palette-source">{source}</bdi>}
    <span className="palette-page">
      {source === group ? label.slice(`${source}: `.length) : label.slice(source.length)}
    </span>
  </span>
);

/** The group of a source says which one it is. */
const noteOf = ({ source, note }: PaletteCommand, group: string): string[] =>
  note === undefined || source === group ? [] : [note];

interface PaletteListProps {
  readonly text: string;
  readonly onClose: () => void;
  readonly onShowShortcuts: () => void;
}

export function PaletteList({ text, onClose, onShowShortcuts }: PaletteListProps) {
  const [active, setActive] = useState(0);
  const { find, missing } = usePaletteCommands(onShowShortcuts);
  const groups = find(text);
  const shown = groups.flatMap(({ commands }) => commands);
  const run = (command: PaletteCommand | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  useKeyDown((event) => {
    // on a button, Enter presses it
    if (!(event.target instanceof HTMLInputElement)) return;
    const step = { ArrowDown: 1, ArrowUp: -1, Enter: 0 }[event.key];
    if (step === undefined) return;
    // Enter would also press the button that has the focus after the command
    event.preventDefault();
    if (step === 0) run(shown[active]);
    else setActive(Math.max(0, Math.min(shown.length - 1, active + step)));
  });
  return (
    <ul className="palette" aria-label="Results">
      {groups.map(({ title, commands }) => (
        <Fragment key={title}>
          <li className="menu-title">
            <bdi>{title}</bdi>
          </li>
          {commands.map((command) => (
            <li key={command.key}>
              <button
                type="button"
                className="menu-item"
                aria-label={[command.label, ...noteOf(command, title)].join(", ")}
                aria-keyshortcuts={command.shortcut}
                data-active={command === shown[active] ? "yes" : undefined}
                onClick={() => run(command)}
              >
                <Icon name={command.icon} />
                <PaletteText command={command} group={title} />
                {noteOf(command, title).map((note) => (
                  <bdi key={note} className="palette-note">{` ${note}`}</bdi>
                ))}
                {command.shortcut && <kbd aria-hidden>{command.shortcut}</kbd>}
                {command === shown[active] && <kbd aria-hidden>↵</kbd>}
              </button>
            </li>
          ))}
        </Fragment>
      ))}
      {shown.length === 0 && !missing && <li className="menu-title">No results for “{text}”.</li>}
      {missing && <li className="menu-title">{missing}</li>}
    </ul>
  );
}
