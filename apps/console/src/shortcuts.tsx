/** The keyboard shortcuts of the console, and the sheet that lists them (`?`). */
import { useHotkeys } from "@mantine/hooks";
import { Dialog } from "./ui/dialog.tsx";

/** The key of most shortcuts of the system. */
export const MODIFIER = navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl";

const SHORTCUTS = [
  {
    title: "Everywhere",
    keys: [[`${MODIFIER} K`, "Search pages, sources and actions"] as const, ["?", "Show this list"] as const],
  },
  {
    title: "Stats",
    keys: [
      ["F", "Add a filter"] as const,
      ["R", "Choose the range"] as const,
      ["C", "Choose the comparison"] as const,
      ["T Y W M L A", "Show today, yesterday, 7 days, month to date, last month or all time"] as const,
      ["1 – 5", "Switch between overview, real time, funnel, paths and retention"] as const,
      ["← →", "Move along the chart, once it has the focus"] as const,
      ["Alt click", "Exclude a value instead of filtering by it"] as const,
    ],
  },
] as const;

/** Runs when the keys are pressed outside form fields and dialogs. */
export function useShortcuts(shortcuts: readonly (readonly [keys: string, run: () => void])[]): void {
  useHotkeys(
    shortcuts.map(([keys, run]) => [keys, () => document.querySelector("dialog[open]") === null && run()]),
  );
}

interface ShortcutSheetProps {
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  readonly onClose: () => void;
}

export function ShortcutSheet({ isOpen, onOpen, onClose }: ShortcutSheetProps) {
  // the character needs the shift key on most keyboards
  useShortcuts([
    ["shift+?", onOpen],
    ["?", onOpen],
  ]);
  return (
    <Dialog title="Keyboard shortcuts" opened={isOpen} onClose={onClose}>
      {SHORTCUTS.map(({ title, keys }) => (
        <section key={title} aria-label={title}>
          <div className="menu-title">{title}</div>
          <dl className="shortcuts">
            {keys.map(([key, text]) => (
              <div key={key}>
                <dt>{key.split(" ").map((one) => (one === "–" ? " – " : <kbd key={one}>{one}</kbd>))}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
