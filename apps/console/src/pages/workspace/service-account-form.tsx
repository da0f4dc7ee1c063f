/** Creates a service account: what programs act as. */
import type { Role } from "@headwater/contract/roles";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ApiFailure, api } from "../../api.ts";
import { ROLE_TEXTS, roleOptions } from "../../role-texts.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { Group, Stack, Text } from "../../ui/primitives/elements.tsx";
import { NativeSelect, TextInput } from "../../ui/primitives/fields.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { useInvalidateMembers } from "./member-names.ts";

export function ServiceAccountForm({ onCreated }: { readonly onCreated: () => void }) {
  const { organizationId, role: ownRole } = useWorkspace();
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("developer");
  const invalidateMembers = useInvalidateMembers();
  const created = useMutation({
    mutationFn: () => api.addMember({ body: { organizationId, name: name.trim(), role } }),
    onSuccess: async () => {
      await invalidateMembers();
      onCreated();
    },
  });
  const failure = created.error instanceof ApiFailure ? created.error : null;
  const isFilled = name.trim() !== "";
  const submit = useSubmit(() => created.mutateAsync(), isFilled);
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" c="dimmed">
          For scripts and servers. The account belongs to the workspace and stays when you leave. Create its
          tokens on the Tokens page.
        </Text>
        {created.error && <ErrorAlert error={created.error} />}
        <TextInput
          label="Name"
          placeholder="Deployment"
          data-autofocus
          value={name}
          error={failure?.issueAt("name")}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <NativeSelect
          label="Role"
          description={ROLE_TEXTS[role]}
          value={role}
          data={roleOptions(ownRole)}
          onChange={(event) => setRole(event.currentTarget.value as Role)}
        />
        <Group justify="flex-end">
          <AsyncButton type="submit" isPending={created.isPending} disabled={!isFilled}>
            Create service account
          </AsyncButton>
        </Group>
      </Stack>
    </form>
  );
}
