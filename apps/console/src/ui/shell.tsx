/** The layout of every signed-in page: navigation, header on phones, and content. */
import { AppShell, Burger, Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useWorkspace, WorkspaceProvider } from "../workspace-context.tsx";
import { Brand } from "./brand.tsx";
import { ColorSchemeControl } from "./color-scheme-control.tsx";
import { NavigationLink, TextLink } from "./links.tsx";
import { UnsavedChangesGuard, useConfirmLeave } from "./unsaved-changes.tsx";

const PAGES = [
  { to: "/sources", label: "Sources", permission: "sources:read" },
  { to: "/team", label: "Team", permission: "members:manage" },
  { to: "/tokens", label: "Tokens", permission: "tokens:manage" },
  { to: "/audit", label: "Audit log", permission: "audit:read" },
  { to: "/usage", label: "Usage", permission: "usage:read" },
  { to: "/support", label: "Support", permission: "support:read" },
] as const;

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
    <Stack gap={4}>
      <NativeSelect
        label="Workspace"
        value={organizationId}
        data={all.map((one) => ({ value: one.organizationId, label: one.name }))}
        onChange={(event) => void open(event.currentTarget.value)}
      />
      <TextLink to="/workspaces/new" size="sm">
        New workspace
      </TextLink>
    </Stack>
  );
}

function Sidebar() {
  const { can, role } = useWorkspace();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  return (
    <Stack h="100%" justify="space-between">
      <Stack gap="md">
        <WorkspaceSelect />
        <nav aria-label="Pages">
          {PAGES.filter(({ permission }) => can(permission)).map(({ to, label }) => (
            <NavigationLink
              key={to}
              to={to}
              label={label}
              aria-current={isWithin(pathname, to) ? "page" : undefined}
            />
          ))}
        </nav>
      </Stack>
      <Stack gap="sm">
        <ColorSchemeControl />
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            Role: {role}
          </Text>
          <Button
            size="xs"
            variant="default"
            onClick={() => void navigate({ to: "/sign-in", search: { out: "yes" }, ignoreBlocker: true })}
          >
            Sign out
          </Button>
        </Group>
      </Stack>
    </Stack>
  );
}

export function Shell() {
  const [opened, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  const burger = useRef<HTMLButtonElement>(null);
  const closeAndFocusBurger = () => {
    close();
    burger.current?.focus();
  };
  // the empty list of ignored elements makes Escape work inside form fields too
  useHotkeys(opened ? [["Escape", closeAndFocusBurger]] : [], []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the navigation closes when the page changes
  useEffect(close, [pathname]);
  return (
    <UnsavedChangesGuard>
      <WorkspaceProvider>
        <AppShell
          header={{ height: { base: 56, md: 0 } }}
          navbar={{ width: 248, breakpoint: "md", collapsed: { mobile: !opened } }}
          padding={{ base: "md", md: "xl" }}
        >
          <a className="skip-link" href={`${pathname}#main`} onClick={skipToMain}>
            Skip to content
          </a>
          <AppShell.Header hiddenFrom="md">
            <Group h="100%" px="md" gap="sm">
              <Burger
                ref={burger}
                opened={opened}
                onClick={toggle}
                size="sm"
                aria-label="Navigation"
                aria-expanded={opened}
              />
              <Brand />
            </Group>
          </AppShell.Header>
          <AppShell.Navbar p="md" className="navbar" data-opened={opened ? "yes" : undefined}>
            <Group visibleFrom="md" mb="lg">
              <Brand />
            </Group>
            <Sidebar />
          </AppShell.Navbar>
          <AppShell.Main id="main" tabIndex={-1}>
            <div className="content">
              <Outlet />
            </div>
          </AppShell.Main>
        </AppShell>
      </WorkspaceProvider>
    </UnsavedChangesGuard>
  );
}

function skipToMain(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}
