/** The keyboard shortcuts of the console, and the sheet that lists them (`?`). */
import { Dialog } from "./ui/dialog.tsx";
import { useKeyDown } from "./ui/navigation/use-key-down.ts";

/** The key of most shortcuts of the system. */
export const MODIFIER = navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl";

/** Those that are used most come first. */
const SHORTCUTS = [
  {
    title: "Everywhere",
    keys: [
      [`${MODIFIER} K`, "Search pages, sources and actions"],
      ["?", "Show this list"],
    ],
  },
  {
    title: "Stats",
    keys: [
      ["R", "Choose the range"],
      ["F", "Add a filter"],
      ["C", "Choose the comparison"],
      ["E", "Export and share"],
      ["1 – 6", "Switch the view"],
      ["← →", "Move along the focused chart"],
      ["Alt click", "Exclude a value"],
    ],
  },
  {
    title: "Stats range",
    keys: [
      ["T", "Today"],
      ["Y", "Yesterday"],
      ["W", "Last 7 days"],
      ["M", "Month to date"],
      ["L", "Last month"],
      ["A", "All time"],
    ],
  },
  {
    title: "Lists, menus and dialogs",
    keys: [
      ["↑ ↓", "Move to another row"],
      ["Enter", "Open the row"],
      ["Esc", "Close"],
    ],
  },
  {
    title: "Usage and audit log",
    keys: [
      ["/", "Search"],
      ["R", "Choose the range"],
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
    <Dialog title="Keyboard shortcuts" isWide opened={isOpen} onClose={onClose}>
      <div className="shortcuts">
        {SHORTCUTS.map(({ title, keys }) => (
          <section key={title} aria-label={title}>
            <div className="menu-title">{title}</div>
            <dl>
              {keys.map(([key, text]) => (
                <div key={key}>
                  <dt>{text}</dt>
                  <dd>{key.split(" ").map((one) => (one === "–" ? " –" : <kbd key={one}>{one}</kbd>))}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
