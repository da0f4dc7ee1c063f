/** Instead of every page, where no workspace can be opened: what is wrong, and the ways out of it. */
import { Button, Group } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Alone } from "./alone.tsx";
import { Failure } from "./states.tsx";
import { WorkspaceForm } from "./workspace-form.tsx";

interface DeadEndProps {
  readonly error: Error;
  readonly onRetry: () => void;
  /** Where there is none at all, one may be made. */
  readonly onMade: ((organizationId: string) => void) | null;
}

export function DeadEnd({ error, onRetry, onMade }: DeadEndProps) {
  const navigate = useNavigate();
  const [isMaking, setMaking] = useState(false);
  return (
    <Alone title={onMade ? "You are in no workspace" : "Your workspaces cannot be shown"}>
      <Failure error={error} onRetry={onRetry} />
      <Group gap="sm">
        <Button
          variant="default"
          onClick={() => void navigate({ to: "/sign-in", search: { out: "yes" }, ignoreBlocker: true })}
        >
          Sign out
        </Button>
        {onMade && (
          <Button variant="default" aria-expanded={isMaking} onClick={() => setMaking(!isMaking)}>
            New workspace
          </Button>
        )}
      </Group>
      {onMade && isMaking && <WorkspaceForm onMade={onMade} />}
    </Alone>
  );
}
