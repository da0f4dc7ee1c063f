/** The command palette (⌘K or Ctrl+K): finds pages, views, sources, saved items, actions and documents by their names. */
import { useLocation } from "@tanstack/react-router";
import { Suspense, useEffect, useState } from "react";
import { session } from "../../session.ts";
import { Dialog } from "../dialog.tsx";
import { Icon } from "../icon.tsx";
import { lazily } from "../load-later.tsx";
import { Loading } from "../page-states.tsx";
import { pageKey } from "./page-key.ts";
import { useKeyDown } from "./use-key-down.ts";

const PaletteList = lazily(async () => (await import("./palette.tsx")).PaletteList);

interface PaletteProps {
  readonly onClose: () => void;
  readonly onShowShortcuts: () => void;
}
interface CommandPaletteProps extends PaletteProps {
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

export function CommandPalette({ isOpen, onOpen, ...props }: CommandPaletteProps) {
  const shownKey = useLocation({
    select: ({ pathname, search }) => {
      const { sourceId, view }: { sourceId?: string; view?: string } = search;
      return pageKey(pathname, sourceId, view);
    },
  });
  useEffect(() => {
    // the sign-in page comes after a sign-out, which leaves nothing
    if (session.isSignedIn()) session.openedPage(shownKey);
  }, [shownKey]);
  // in form fields too
  useKeyDown((event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (key.toLowerCase() !== "k" || !(ctrlKey || metaKey) || altKey || shiftKey) return;
    event.preventDefault();
    onOpen();
  });
  return (
    <Dialog title="Search" isSearch opened={isOpen} onClose={props.onClose}>
      <Palette {...props} />
    </Dialog>
  );
}

/** The field is there at once, so that it takes the keys that are pressed while the list is loading. */
function Palette(props: PaletteProps) {
  const [text, setText] = useState("");
  return (
    <>
      <label className="palette-field">
        <Icon name="search" />
        <input
          aria-label="Search pages, sources and actions"
          placeholder="Search pages, sources and actions"
          data-autofocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <Suspense fallback={<Loading />}>
        <PaletteList key={text} text={text} {...props} />
      </Suspense>
    </>
  );
}
