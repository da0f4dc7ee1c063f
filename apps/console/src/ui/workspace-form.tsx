import { LIMITS } from "@headwater/contract/limits";
import { Group, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ApiError, call } from "../api.ts";
import { organizationsQuery } from "../queries.ts";
import { Failure } from "./states.tsx";
import { useSubmit } from "./use-submit.ts";
import { WorkButton } from "./work-button.tsx";

interface WorkspaceFormProps {
  /** Called when it is in the list. */
  readonly onMade: (organizationId: string) => unknown;
  /** Beside the button that makes it. */
  readonly children?: ReactNode;
}

/** Makes a workspace, of which whoever does it is the owner. */
export function WorkspaceForm({ onMade, children }: WorkspaceFormProps) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const created = useMutation({
    mutationFn: () => call("createOrganization", { body: { name: name.trim() } }),
    onSuccess: async ({ organizationId }) => {
      await client.invalidateQueries({ queryKey: organizationsQuery.queryKey });
      await onMade(organizationId);
    },
  });
  const failure = created.error instanceof ApiError ? created.error : null;
  const submit = useSubmit(() => created.mutateAsync(), name.trim() !== "");
  return (
    <form onSubmit={submit} aria-label="New workspace">
      <Stack>
        {created.error && <Failure error={created.error} />}
        <TextInput
          label="Name"
          required
          maxLength={LIMITS.nameLength}
          value={name}
          error={failure?.issueAt("name")}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          {children}
          <WorkButton type="submit" isWorking={created.isPending} disabled={name.trim() === ""}>
            Create
          </WorkButton>
        </Group>
      </Stack>
    </form>
  );
}
