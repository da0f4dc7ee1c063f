/** The command palette (⌘K or Ctrl+K): opens any page of the workspace or of one of its sources by its name. */
import { useHotkeys } from "@mantine/hooks";
import { Suspense, useState } from "react";
import { Dialog } from "../dialog.tsx";
import { Icon } from "../icon.tsx";
import { lazily } from "../load-later.tsx";
import { Loading } from "../page-states.tsx";

const PaletteList = lazily(async () => (await import("./palette.tsx")).PaletteList);

export function CommandPalette() {
  const [isOpen, setOpen] = useState(false);
  // the empty list of ignored elements makes it work inside form fields too
  useHotkeys([["mod+K", () => setOpen(true)]], []);
  return (
    <Dialog title="Go to" opened={isOpen} onClose={() => setOpen(false)}>
      <Palette onClose={() => setOpen(false)} />
    </Dialog>
  );
}

/** The field is there at once, so that it takes the keys that are pressed while the list is loading. */
function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState("");
  return (
    <>
      <label className="palette-field">
        <Icon name="search" />
        <input
          aria-label="Page or source"
          placeholder="A page or a source"
          data-autofocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <Suspense fallback={<Loading />}>
        <PaletteList key={text} text={text} onClose={onClose} />
      </Suspense>
    </>
  );
}
