/** The list of the command palette: what contains the text. */
import { useState } from "react";
import { Icon } from "../icon.tsx";
import { type PaletteCommand, usePaletteCommands } from "./palette-commands.ts";
import { useKeyDown } from "./use-key-down.ts";

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
  readonly onShowShortcuts: () => void;
}

export function PaletteList({ text, onClose, onShowShortcuts }: PaletteListProps) {
  const [active, setActive] = useState(0);
  const { find, missing } = usePaletteCommands(onShowShortcuts);
  const shown = find(text);
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
      {shown.map((command, index) => (
        <li key={command.key}>
          <button
            type="button"
            className="menu-item"
            aria-label={command.label}
            data-active={index === active ? "yes" : undefined}
            onClick={() => run(command)}
          >
            <Icon name={command.icon} />
            <PaletteText command={command} />
            {index === active && <kbd aria-hidden>↵</kbd>}
          </button>
        </li>
      ))}
      {shown.length === 0 && !missing && <li className="menu-title">No results for “{text}”.</li>}
      {missing && <li className="menu-title">{missing}</li>}
    </ul>
  );
}
