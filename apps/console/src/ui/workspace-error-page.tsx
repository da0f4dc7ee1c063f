/** Shown instead of every page when no workspace can be opened. */
import { Button, Group } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { CreateWorkspaceForm } from "./create-workspace-form.tsx";
import { ErrorAlert } from "./page-states.tsx";
import { StandalonePage } from "./standalone-page.tsx";

interface WorkspaceErrorPageProps {
  readonly error: Error;
  readonly onRetry: () => void;
  /** Null when the workspaces failed to load. Otherwise the user has none and may create one. */
  readonly onCreated: ((organizationId: string) => void) | null;
}

export function WorkspaceErrorPage({ error, onRetry, onCreated }: WorkspaceErrorPageProps) {
  const navigate = useNavigate();
  const [isFormOpen, setFormOpen] = useState(false);
  return (
    <StandalonePage title={onCreated ? "No workspace" : "Could not load your workspaces"}>
      <ErrorAlert error={error} onRetry={onRetry} />
      <Group gap="sm">
        <Button
          variant="default"
          onClick={() => void navigate({ to: "/sign-in", search: { out: "yes" }, ignoreBlocker: true })}
        >
          Sign out
        </Button>
        {onCreated && (
          <Button variant="default" aria-expanded={isFormOpen} onClick={() => setFormOpen(!isFormOpen)}>
            New workspace
          </Button>
        )}
      </Group>
      {onCreated && isFormOpen && <CreateWorkspaceForm onCreated={onCreated} />}
    </StandalonePage>
  );
}
