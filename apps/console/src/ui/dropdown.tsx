/** A button that opens a panel below it, and the rows of a panel that is a menu. */
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from "react";
import { useShortcuts } from "../shortcuts.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { OpenedContent } from "./opened-content.tsx";

interface DropdownProps {
  /** The accessible name of the button. It contains the visible text. */
  readonly label: string;
  /** The content of the button. */
  readonly button: ReactNode;
  readonly icon?: IconName;
  /** Which side of the button the panel is aligned with. */
  readonly align?: "start" | "end";
  /** A button without a border and without the arrow. */
  readonly isBare?: boolean;
  /** The key that opens it. */
  readonly shortcut?: string;
  readonly children: (close: () => void) => ReactNode;
}

const FOCUSABLE = "a[href], button:not([tabindex='-1']), input, select, textarea";

/** The chosen one of several has it before the others. */
const FIRST_FOCUS = ["[data-autofocus]", "[aria-pressed='true']", FOCUSABLE];

/** Moves the focus between the controls of a panel with the arrow keys. */
export function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || event.target instanceof HTMLSelectElement) return;
  const controls = [...event.currentTarget.querySelectorAll<HTMLElement>(FOCUSABLE)];
  const { activeElement } = document;
  const index = activeElement instanceof HTMLElement ? controls.indexOf(activeElement) : -1;
  event.preventDefault();
  controls[(index + step + controls.length) % controls.length]?.focus();
}

/** Closes what is open when somebody presses or focuses something outside of it. */
export function useCloseOutside(
  isOpen: boolean,
  isInside: (target: Node) => boolean | undefined,
  onClose: () => void,
): void {
  const closeOutside = useEffectEvent(({ target }: Event) => {
    if (target instanceof Node && !isInside(target)) onClose();
  });
  useEffect(() => {
    if (!isOpen) return;
    const listener = (event: Event) => closeOutside(event);
    document.addEventListener("pointerdown", listener);
    document.addEventListener("focusin", listener);
    return () => {
      document.removeEventListener("pointerdown", listener);
      document.removeEventListener("focusin", listener);
    };
  }, [isOpen]);
}

export function Dropdown(props: DropdownProps) {
  const { label, button, icon, align = "start", isBare = false, shortcut, children } = props;
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();
  useShortcuts(shortcut === undefined ? [] : [[shortcut, () => setOpen(true)]]);
  const close = () => {
    setOpen(false);
    root.current?.querySelector("button")?.focus();
  };
  useCloseOutside(
    isOpen,
    (target) => root.current?.contains(target),
    () => setOpen(false),
  );
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== "Escape" || !isOpen) return;
    event.stopPropagation();
    close();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys reach it from the controls in it
    <div ref={root} className="dropdown" onKeyDown={onKeyDown}>
      <button
        type="button"
        className={isBare ? "dropdown-button dropdown-bare" : "dropdown-button"}
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {icon && <Icon name={icon} />}
        {button}
        {!isBare && <Icon name="chevronDown" size={14} />}
      </button>
      {isOpen && (
        // biome-ignore lint/a11y/noStaticElementInteractions: keys reach it from the controls in it
        <div ref={panel} id={id} className="dropdown-panel" data-align={align} onKeyDown={moveFocus}>
          <OpenedContent within={panel} focus={FIRST_FOCUS}>
            {children(close)}
          </OpenedContent>
        </div>
      )}
    </div>
  );
}

interface MenuItemProps {
  readonly icon?: IconName;
  /** Whether it is the chosen one of several. */
  readonly isSelected?: boolean;
  /** Whether Enter opens it from a field above. */
  readonly isActive?: boolean;
  readonly hint?: ReactNode;
  /** The key that does the same. */
  readonly shortcut?: string | undefined;
  /** Whether it deletes something, after a question. */
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

export const MenuItem = (props: MenuItemProps) => {
  const { icon, isSelected, isActive, hint, shortcut, isDanger, isDisabled, onSelect, children } = props;
  return (
    <button
      type="button"
      aria-keyshortcuts={shortcut}
      className="menu-item"
      aria-pressed={isSelected}
      data-active={isActive || undefined}
      data-danger={isDanger || undefined}
      disabled={isDisabled}
      onClick={onSelect}
    >
      {icon && <Icon name={icon} />}
      <span className="menu-text clamp">{children}</span>
      {hint && <span className="menu-hint">{hint}</span>}
      {isSelected && <Icon name="check" />}
      {shortcut && <kbd aria-hidden>{shortcut}</kbd>}
    </button>
  );
};

export const MenuTitle = ({ children }: { readonly children: ReactNode }) => (
  <div className="menu-title">{children}</div>
);
