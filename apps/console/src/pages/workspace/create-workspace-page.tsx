/** The page that creates a workspace. */
import { useNavigate } from "@tanstack/react-router";
import { CreateWorkspaceForm } from "../../ui/create-workspace-form.tsx";
import { ButtonLink } from "../../ui/links.tsx";
import { Page } from "../../ui/page.tsx";
import { Paper } from "../../ui/primitives/elements.tsx";
import { useIsMounted } from "../../ui/use-is-mounted.ts";
import { useWorkspace } from "../../workspace-context.tsx";

export const CreateWorkspacePage = () => (
  <Page
    title="Create workspace"
    lead="A workspace has its own sources, members and tokens. You will be its owner."
  >
    <CreateWorkspace />
  </Page>
);

function CreateWorkspace() {
  const { select } = useWorkspace();
  const navigate = useNavigate();
  const isMounted = useIsMounted();
  const open = (organizationId: string) => {
    if (!isMounted()) return;
    select(organizationId);
    return navigate({ to: "/sources", ignoreBlocker: true });
  };
  return (
    <Paper p="lg" maw={760}>
      <CreateWorkspaceForm onCreated={open}>
        <ButtonLink variant="default" to="/sources">
          Cancel
        </ButtonLink>
      </CreateWorkspaceForm>
    </Paper>
  );
}
