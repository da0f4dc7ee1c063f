import { LIMITS } from "@headwater/contract/limits";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ApiFailure, api } from "../api.ts";
import { organizationsQuery } from "../queries.ts";
import { AsyncButton } from "./async-button.tsx";
import { ErrorAlert } from "./page-states.tsx";
import { Group, Stack } from "./primitives/elements.tsx";
import { TextInput } from "./primitives/fields.tsx";
import { useSubmit } from "./use-submit.ts";

interface CreateWorkspaceFormProps {
  /** Called after the list of workspaces has been refetched. */
  readonly onCreated: (organizationId: string) => unknown;
  /** Shown beside the submit button. */
  readonly children?: ReactNode;
}

/** Creates a workspace. Its creator becomes its owner. */
export function CreateWorkspaceForm({ onCreated, children }: CreateWorkspaceFormProps) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const created = useMutation({
    mutationFn: () => api.createOrganization({ body: { name: name.trim() } }),
    onSuccess: async ({ organizationId }) => {
      await client.invalidateQueries({ queryKey: organizationsQuery.queryKey });
      await onCreated(organizationId);
    },
  });
  const failure = created.error instanceof ApiFailure ? created.error : null;
  const [isRefused, setRefused] = useState(false);
  const isEmpty = name.trim() === "";
  const submit = useSubmit(() => (isEmpty ? setRefused(true) : created.mutateAsync()), !isEmpty);
  return (
    <form onSubmit={submit} aria-label="Create workspace" noValidate>
      <Stack>
        {created.error && <ErrorAlert error={created.error} />}
        <TextInput
          label="Name"
          required
          maxLength={LIMITS.maxNameLength}
          value={name}
          error={isRefused && isEmpty ? "Enter a name." : failure?.issueAt("name")}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          {children}
          <AsyncButton type="submit" isPending={created.isPending}>
            Create workspace
          </AsyncButton>
        </Group>
      </Stack>
    </form>
  );
}
