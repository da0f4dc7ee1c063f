/** Shows which workspace is open, switches to another one, and links to the page that creates one. */
import { useQuery } from "@tanstack/react-query";
import { createLink, useNavigate } from "@tanstack/react-router";
import type { ComponentProps } from "react";
import { profileQuery } from "../../queries.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { Dropdown, MenuItem, MenuTitle } from "../dropdown.tsx";
import { Icon } from "../icon.tsx";
import { Initials } from "../initials.tsx";
import { useConfirmLeave } from "../unsaved-changes.tsx";

const MenuLink = createLink((props: ComponentProps<"a">) => <a className="menu-item" {...props} />);

export function WorkspaceMenu() {
  const { organizationId, name, all, select } = useWorkspace();
  const { data: profile } = useQuery(profileQuery);
  const navigate = useNavigate();
  const confirmLeave = useConfirmLeave();
  const open = async (id: string) => {
    if (id === organizationId || !(await confirmLeave())) return;
    select(id);
    await navigate({ to: "/sources", ignoreBlocker: true });
  };
  const button = (
    <>
      <Initials name={name} isWorkspace />
      <span className="side-label">{name}</span>
    </>
  );
  return (
    <div className="workspace-menu">
      <Dropdown label={`Workspace: ${name}`} button={button}>
        {(close) => (
          <>
            <MenuTitle>Workspaces</MenuTitle>
            {all.map((one) => (
              <MenuItem
                key={one.organizationId}
                isSelected={one.organizationId === organizationId}
                onSelect={() => {
                  close();
                  void open(one.organizationId);
                }}
              >
                {one.name}
              </MenuItem>
            ))}
            {profile && (
              <>
                <hr className="menu-rule" />
                <MenuLink to="/workspaces/new" onClick={close}>
                  <Icon name="plus" />
                  <span className="menu-text">Create workspace</span>
                </MenuLink>
              </>
            )}
          </>
        )}
      </Dropdown>
    </div>
  );
}
