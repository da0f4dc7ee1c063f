/** The frame of all pages for signed-in users: the navigation at the side, behind a button on narrow windows. */
import { useQuery } from "@tanstack/react-query";
import { Outlet, useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { setOwnFormat } from "../../own-format.ts";
import { profileQuery } from "../../queries.ts";
import { ShortcutSheet } from "../../shortcuts.tsx";
import { WorkspaceProvider } from "../../workspace-context.tsx";
import { Brand } from "../brand.tsx";
import { setColorScheme } from "../color-scheme.ts";
import { Icon } from "../icon.tsx";
import { Loading } from "../page-states.tsx";
import { UnsavedChangesGuard } from "../unsaved-changes.tsx";
import { useCloseOnBack } from "./close-on-back.ts";
import { CommandPalette } from "./command-palette.tsx";
import { Sidebar, SidebarBrand } from "./sidebar.tsx";
import { useKeyDown } from "./use-key-down.ts";

/** Applies the preferences of the profile: those of this browser may be older. */
function usePreferences(): void {
  const { data } = useQuery(profileQuery);
  const theme = data?.theme ?? "auto";
  useEffect(() => {
    if (theme !== "auto") setColorScheme(theme);
  }, [theme]);
  useEffect(() => {
    if (data) setOwnFormat(data);
  }, [data]);
}

/** The frame before the page and the workspace are known. */
export const LoadingShell = () => (
  <ShellFrame side={() => <SidebarBrand />}>
    <Loading />
  </ShellFrame>
);

interface ShellProps {
  /** Default: the page of the route. */
  readonly children?: ReactNode;
}

export function Shell({ children = <Outlet /> }: ShellProps) {
  usePreferences();
  const [dialog, setDialog] = useState<"search" | "shortcuts" | null>(null);
  /** A dialog reports that it has closed after another one may have opened. */
  const closing = (closed: typeof dialog) => () => setDialog((shown) => (shown === closed ? null : shown));
  const search = () => setDialog("search");
  const showShortcuts = () => setDialog("shortcuts");
  return (
    <UnsavedChangesGuard>
      <WorkspaceProvider loading={<LoadingShell />}>
        <ShellFrame side={(isOpened) => <Sidebar onSearch={search} isOpened={isOpened} />}>
          <CommandPalette
            isOpen={dialog === "search"}
            onOpen={search}
            onClose={closing("search")}
            onShowShortcuts={showShortcuts}
          />
          <ShortcutSheet
            isOpen={dialog === "shortcuts"}
            onOpen={showShortcuts}
            onClose={closing("shortcuts")}
          />
          {children}
        </ShellFrame>
      </WorkspaceProvider>
    </UnsavedChangesGuard>
  );
}

interface ShellFrameProps {
  /** @param isOpened whether it covers the page of a narrow window */
  readonly side: (isOpened: boolean) => ReactNode;
  readonly children: ReactNode;
}

function ShellFrame({ side, children }: ShellFrameProps) {
  const [opened, setOpened] = useState(false);
  const { pathname, search } = useLocation();
  const { sourceId }: { sourceId?: string } = search;
  const menuButton = useRef<HTMLButtonElement>(null);
  const close = () => setOpened(false);
  const closeAndFocusButton = () => {
    close();
    menuButton.current?.focus();
  };
  useCloseOnBack(opened, closeAndFocusButton);
  useKeyDown(({ key }) => opened && key === "Escape" && closeAndFocusButton());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the navigation closes when the page or its source changes
  useEffect(close, [pathname, sourceId]);
  return (
    <div className="shell">
      <a className="skip-link" href={`${pathname}#main`} onClick={skipToMain}>
        Skip to content
      </a>
      <header className="shell-bar">
        <button
          type="button"
          ref={menuButton}
          className="icon-button"
          onClick={() => setOpened(!opened)}
          aria-label="Navigation"
          aria-expanded={opened}
        >
          <Icon name={opened ? "close" : "menu"} size={20} />
        </button>
        <Brand />
      </header>
      <aside className="shell-side" aria-label="Navigation" data-opened={opened ? "yes" : undefined}>
        {side(opened)}
      </aside>
      <main id="main" className="shell-main" tabIndex={-1}>
        <div className="content">{children}</div>
      </main>
    </div>
  );
}

function skipToMain(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}
