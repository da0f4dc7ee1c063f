/** The list of the command palette: what contains the text. */
import { Fragment, useState } from "react";
import { Icon } from "../icon.tsx";
import { HERE, type PaletteCommand, usePaletteCommands } from "./palette-commands.ts";
import { useKeyDown } from "./use-key-down.ts";

interface MarkedProps {
  readonly text: string;
  /** Marked wherever they are in it. */
  readonly words: readonly string[];
}

function Marked({ text, words }: MarkedProps) {
  if (words.length === 0) return text;
  const pattern = words.map((word) => word.replaceAll(/[^\p{L}\p{N}]/gu, "\\$&")).join("|");
  // every second part is a match
  return text.split(new RegExp(`(${pattern})`, "i")).map((part, at) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: a part has no other key
    return at % 2 === 1 ? <mark key={at}>{part}</mark> : part;
  });
}

interface PaletteTextProps {
  readonly command: PaletteCommand;
  readonly words: readonly string[];
}

/** A long name of a source ends before the page. Its own group has it in the title, and the page that is shown has it too. */
function PaletteText({ command: { label, source = "", group }, words }: PaletteTextProps) {
  const isNamed = source !== "" && (source === group || group === HERE);
  const hasSource = source !== "" && !isNamed;
  const page = isNamed ? label.slice(`${source}: `.length) : label.slice(source.length);
  return (
    <span className="palette-text">
      {hasSource && (
        <bdi className="palette-source">
          <Marked text={source} words={words} />
        </bdi>
      )}
      <span className="palette-page">
        <Marked text={page} words={words} />
      </span>
    </span>
  );
}

/** On a phone there are no such keys. */
const PaletteKeys = () => (
  <div className="palette-keys" aria-hidden>
    <span>
      <kbd>↑</kbd> <kbd>↓</kbd> Move
    </span>
    <span>
      <kbd>↵</kbd> Open
    </span>
    <span>
      <kbd>Esc</kbd> Close
    </span>
  </div>
);

/** The active row stays in sight. */
const keepInSight = (row: HTMLElement | null) => row?.scrollIntoView({ block: "nearest" });

interface PaletteListProps {
  readonly text: string;
  readonly onClose: () => void;
  readonly onShowShortcuts: () => void;
}

export function PaletteList({ text, onClose, onShowShortcuts }: PaletteListProps) {
  const [active, setActive] = useState(0);
  const { find, missing } = usePaletteCommands(onShowShortcuts);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = find(words);
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
    <>
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
                  // beside a key the text alone is the name
                  aria-label={
                    command.shortcut ? undefined : [command.label, command.note].filter(Boolean).join(", ")
                  }
                  aria-keyshortcuts={command.shortcut}
                  ref={command === shown[active] ? keepInSight : undefined}
                  data-active={command === shown[active] ? "yes" : undefined}
                  onClick={() => run(command)}
                >
                  <Icon name={command.icon} />
                  <PaletteText command={command} words={words} />
                  {command.note && (
                    <bdi className="palette-note">
                      {" "}
                      <Marked text={command.note} words={words} />
                    </bdi>
                  )}
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
      <PaletteKeys />
    </>
  );
}
