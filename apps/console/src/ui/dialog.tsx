/** A dialog over the page. The browser's own `<dialog>` keeps the focus inside, and makes the page behind it inert. */
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Icon } from "./icon.tsx";
import { useCloseOnBack } from "./navigation/close-on-back.ts";
import { OpenedContent } from "./opened-content.tsx";
import { Button, classes, Title } from "./primitives/elements.tsx";

interface DialogProps {
  readonly title: string;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** A dialog with a table or a list. */
  readonly isWide?: boolean;
  /** It has no row with the title, and stands at the top: its content says what it is, and grows as one types. */
  readonly isSearch?: boolean;
  readonly children: ReactNode;
}

const FIRST = "[data-autofocus]";
const FOCUS = [FIRST];

export function Dialog({ title, opened, onClose, isWide = false, isSearch = false, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useCloseOnBack(opened, onClose);
  useEffect(() => {
    if (!opened) return element.current?.close();
    element.current?.showModal();
    // the first button closes the dialog; Chromium would focus a body that scrolls
    for (const first of [FIRST, "button"]) {
      const control = element.current?.querySelector<HTMLElement>(first);
      if (control) return control.focus();
    }
  }, [opened]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog
    <dialog
      ref={element}
      className={classes("dialog", isWide && "dialog-wide", isSearch && "dialog-search")}
      {...(isSearch ? { "aria-label": title } : { "aria-labelledby": titleId })}
      // the owner decides whether to close, and may ask first
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // browsers ask no one at a second Escape
      onClose={() => {
        if (!opened || element.current?.open) return;
        element.current?.showModal();
        onClose();
      }}
      // a press on the backdrop has the dialog itself as its target
      onClick={({ target }) => target === element.current && onClose()}
    >
      {opened && (
        <div className="dialog-body">
          <div className="dialog-head">
            {!isSearch && (
              <Title order={2} size="h4" id={titleId} className="wrap">
                {title}
              </Title>
            )}
            <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
              <Icon name="close" size={18} />
            </button>
          </div>
          <OpenedContent within={element} focus={FOCUS}>
            {children}
          </OpenedContent>
        </div>
      )}
    </dialog>
  );
}

interface DialogButtonProps {
  /** The text of the button and the title of the dialog. */
  readonly label: string;
  readonly variant?: "default" | "filled";
  /** Renders the content. It calls `close` when the dialog has done its work. */
  readonly children: (close: () => void) => ReactNode;
}

/** A button that opens a dialog, such as one with a form. */
export function DialogButton({ label, variant = "filled", children }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button variant={variant} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog title={label} opened={isOpen} onClose={close}>
        {children(close)}
      </Dialog>
    </>
  );
}
