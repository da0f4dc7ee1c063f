/** Another workspace: sources, members and tokens of its own. */
import { Paper } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { ButtonLink } from "../../ui/link.tsx";
import { Page } from "../../ui/page.tsx";
import { useIsHere } from "../../ui/use-is-here.ts";
import { WorkspaceForm } from "../../ui/workspace-form.tsx";
import { useWorkspace } from "../../workspace.tsx";

export const CreateWorkspacePage = () => (
  <Page title="New workspace" lead="It has sources, members and tokens of its own, and you own it.">
    <CreateWorkspace />
  </Page>
);

function CreateWorkspace() {
  const { choose } = useWorkspace();
  const navigate = useNavigate();
  const isHere = useIsHere();
  const open = (organizationId: string) => {
    if (!isHere()) return;
    choose(organizationId);
    return navigate({ to: "/sources", ignoreBlocker: true });
  };
  return (
    <Paper withBorder p="lg" maw={560}>
      <WorkspaceForm onMade={open}>
        <ButtonLink variant="default" to="/sources">
          Cancel
        </ButtonLink>
      </WorkspaceForm>
    </Paper>
  );
}
