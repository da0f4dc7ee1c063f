/** The keyboard shortcuts of the console, and the sheet that lists them (`?`). */
import { Dialog } from "./ui/dialog.tsx";
import { useKeyDown } from "./ui/navigation/use-key-down.ts";

/** The key of most shortcuts of the system. */
export const MODIFIER = navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl";

const SHORTCUTS = [
  {
    title: "Everywhere",
    keys: [[`${MODIFIER} K`, "Search pages, sources and actions"] as const, ["?", "Show this list"] as const],
  },
  {
    title: "Usage and audit log",
    keys: [["/", "Search"] as const, ["R", "Choose the range"] as const],
  },
  {
    title: "Stats",
    keys: [
      ["F", "Add a filter"] as const,
      ["R", "Choose the range"] as const,
      ["C", "Choose the comparison"] as const,
      ["T Y W M L A", "Show today, yesterday, 7 days, month to date, last month or all time"] as const,
      ["1 – 6", "Switch between overview, real time, funnel, paths, retention and explore"] as const,
      ["← →", "Move along the focused chart"] as const,
      ["Alt click", "Exclude a value instead of filtering by it"] as const,
    ],
  },
] as const;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches("input, textarea, select");

/** Runs when one of the keys is pressed outside form fields and dialogs. */
export function useShortcuts(shortcuts: readonly (readonly [key: string, run: () => void])[]): void {
  useKeyDown((event) => {
    const { key, target, altKey, ctrlKey, metaKey } = event;
    if (altKey || ctrlKey || metaKey || isTyping(target) || document.querySelector("dialog[open]")) return;
    const shortcut = shortcuts.find(([one]) => one.toLowerCase() === key.toLowerCase());
    if (!shortcut) return;
    event.preventDefault();
    shortcut[1]();
  });
}

interface ShortcutSheetProps {
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  readonly onClose: () => void;
}

export function ShortcutSheet({ isOpen, onOpen, onClose }: ShortcutSheetProps) {
  useShortcuts([["?", onOpen]]);
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
