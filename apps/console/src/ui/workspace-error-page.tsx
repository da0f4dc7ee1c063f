/** Instead of every page, where no workspace can be opened: what is wrong, and the ways out of it. */
import { Button, Group } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { CreateWorkspaceForm } from "./create-workspace-form.tsx";
import { ErrorAlert } from "./page-states.tsx";
import { StandalonePage } from "./standalone-page.tsx";

interface WorkspaceErrorPageProps {
  readonly error: Error;
  readonly onRetry: () => void;
  /** Where there is none at all, one may be made. */
  readonly onCreated: ((organizationId: string) => void) | null;
}

export function WorkspaceErrorPage({ error, onRetry, onCreated }: WorkspaceErrorPageProps) {
  const navigate = useNavigate();
  const [isMaking, setMaking] = useState(false);
  return (
    <StandalonePage title={onCreated ? "You are in no workspace" : "Your workspaces cannot be shown"}>
      <ErrorAlert error={error} onRetry={onRetry} />
      <Group gap="sm">
        <Button
          variant="default"
          onClick={() => void navigate({ to: "/sign-in", search: { out: "yes" }, ignoreBlocker: true })}
        >
          Sign out
        </Button>
        {onCreated && (
          <Button variant="default" aria-expanded={isMaking} onClick={() => setMaking(!isMaking)}>
            New workspace
          </Button>
        )}
      </Group>
      {onCreated && isMaking && <CreateWorkspaceForm onCreated={onCreated} />}
    </StandalonePage>
  );
}
