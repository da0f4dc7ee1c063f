/** Shown instead of every page when no workspace can be opened. */
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { loadLater } from "../load-later.tsx";
import { ErrorAlert } from "../page-states.tsx";
import { Button, Group } from "../primitives/elements.tsx";
import { StandalonePage } from "../standalone-page.tsx";

const CreateWorkspaceForm = loadLater(
  async () => (await import("../create-workspace-form.tsx")).CreateWorkspaceForm,
);

interface WorkspaceErrorPageProps {
  readonly error: Error;
  readonly onRetry: () => void;
  /** `none`: the user has no workspace and may create one. */
  readonly reason: "loadFailed" | "none";
  readonly onCreated: (organizationId: string) => void;
}

export function WorkspaceErrorPage({ error, onRetry, reason, onCreated }: WorkspaceErrorPageProps) {
  const navigate = useNavigate();
  const canCreate = reason === "none";
  const [isFormOpen, setFormOpen] = useState(false);
  return (
    <StandalonePage title={canCreate ? "No workspace" : "Could not load your workspaces"}>
      <ErrorAlert error={error} onRetry={onRetry} />
      <Group gap="sm">
        <Button
          variant="default"
          onClick={() => void navigate({ to: "/sign-in", search: { out: "yes" }, ignoreBlocker: true })}
        >
          Sign out
        </Button>
        {canCreate && (
          <Button variant="default" aria-expanded={isFormOpen} onClick={() => setFormOpen(!isFormOpen)}>
            New workspace
          </Button>
        )}
      </Group>
      {canCreate && isFormOpen && <CreateWorkspaceForm onCreated={onCreated} />}
    </StandalonePage>
  );
}
