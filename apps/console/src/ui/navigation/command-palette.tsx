/** The command palette (⌘K or Ctrl+K): opens any page of the workspace or of one of its sources by its name. */
import { useHotkeys } from "@mantine/hooks";
import { useState } from "react";
import { Dialog } from "../dialog.tsx";
import { lazily } from "../load-later.tsx";

const Palette = lazily(async () => (await import("./palette.tsx")).Palette);

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
