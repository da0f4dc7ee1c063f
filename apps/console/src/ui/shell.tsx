/** The frame of all pages for signed-in users: the navigation at the side, behind a button on narrow windows. */
import { NativeSelect, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { profileQuery } from "../queries.ts";
import { roleName } from "../role-texts.ts";
import { ShortcutSheet } from "../shortcuts.tsx";
import { useWorkspace, WorkspaceProvider } from "../workspace-context.tsx";
import { Brand } from "./brand.tsx";
import { ColorSchemeControl } from "./color-scheme-control.tsx";
import { CommandPalette } from "./command-palette.tsx";
import { setNumberFormat } from "./format-count.ts";
import { Icon } from "./icon.tsx";
import { PAGES } from "./pages.ts";
import { UnsavedChangesGuard, useConfirmLeave } from "./unsaved-changes.tsx";

/** The pages under `/analytics/` belong to a source, so they highlight "Sources". */
const isWithin = (pathname: string, to: string) =>
  pathname.startsWith(to) || (to === "/sources" && pathname.startsWith("/analytics/"));

function WorkspaceSelect() {
  const { organizationId, all, select } = useWorkspace();
  const navigate = useNavigate();
  const confirmLeave = useConfirmLeave();
  const open = async (id: string) => {
    if (!(await confirmLeave())) return;
    select(id);
    await navigate({ to: "/sources", ignoreBlocker: true });
  };
  return (
    <NativeSelect
      aria-label="Workspace"
      value={organizationId}
      data={all.map((one) => ({ value: one.organizationId, label: one.name }))}
      onChange={(event) => void open(event.currentTarget.value)}
    />
  );
}

function Sidebar() {
  const { can, role } = useWorkspace();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const signOut = () => navigate({ to: "/sign-in", search: { out: "yes" }, ignoreBlocker: true });
  return (
    <>
      <WorkspaceSelect />
      <nav aria-label="Pages">
        {PAGES.filter(({ permission }) => can(permission)).map(({ to, label, icon }) => (
          <Link
            key={to}
            to={to}
            className="side-link"
            aria-current={isWithin(pathname, to) ? "page" : undefined}
          >
            <Icon name={icon} size={17} />
            {label}
          </Link>
        ))}
      </nav>
      <div className="side-foot">
        <Link to="/profile" className="side-link" aria-current={pathname === "/profile" ? "page" : undefined}>
          <Icon name="user" size={17} />
          Profile
        </Link>
        <Link to="/workspaces/new" className="side-link">
          <Icon name="plus" size={17} />
          New workspace
        </Link>
        <UnstyledButton className="side-link" onClick={() => void signOut()}>
          <Icon name="signOut" size={17} />
          Sign out
        </UnstyledButton>
        <div className="side-end">
          <span>Role: {roleName(role)}</span>
          <ColorSchemeControl />
        </div>
      </div>
    </>
  );
}

/** Applies the preferences of the profile: those of this browser may be older. */
function usePreferences(): void {
  const { data } = useQuery(profileQuery);
  const { setColorScheme } = useMantineColorScheme();
  const theme = data?.theme ?? "auto";
  const numberFormat = data?.numberFormat;
  useEffect(() => {
    if (theme !== "auto") setColorScheme(theme);
  }, [theme, setColorScheme]);
  useEffect(() => {
    if (numberFormat !== undefined) setNumberFormat(numberFormat);
  }, [numberFormat]);
}

export function Shell() {
  usePreferences();
  const [opened, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  const menuButton = useRef<HTMLButtonElement>(null);
  const closeAndFocusButton = () => {
    close();
    menuButton.current?.focus();
  };
  // the empty list of ignored elements makes Escape work inside form fields too
  useHotkeys(opened ? [["Escape", closeAndFocusButton]] : [], []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the navigation closes when the page changes
  useEffect(close, [pathname]);
  return (
    <UnsavedChangesGuard>
      <WorkspaceProvider>
        <div className="shell">
          <a className="skip-link" href={`${pathname}#main`} onClick={skipToMain}>
            Skip to content
          </a>
          <header className="shell-bar">
            <UnstyledButton
              ref={menuButton}
              className="icon-button"
              onClick={toggle}
              aria-label="Navigation"
              aria-expanded={opened}
            >
              <Icon name={opened ? "close" : "menu"} size={20} />
            </UnstyledButton>
            <Brand />
          </header>
          <div className="shell-side" data-opened={opened ? "yes" : undefined}>
            <div className="shell-brand">
              <Brand />
            </div>
            <Sidebar />
          </div>
          <CommandPalette />
          <ShortcutSheet />
          <main id="main" className="shell-main" tabIndex={-1}>
            <div className="content">
              <Outlet />
            </div>
          </main>
        </div>
      </WorkspaceProvider>
    </UnsavedChangesGuard>
  );
}

function skipToMain(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}
