/** Adds a member without an invitation. */
import type { Role } from "@headwater/contract/roles";
import { Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ApiFailure, api } from "../../api.ts";
import { ROLE_TEXTS, roleOptions } from "../../role-texts.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { useInvalidateMembers } from "./member-names.ts";

export function AddMemberForm({ onAdded }: { readonly onAdded: () => void }) {
  const { organizationId, role: ownRole } = useWorkspace();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("developer");
  const invalidateMembers = useInvalidateMembers();
  const added = useMutation({
    mutationFn: () =>
      api.addMember({
        body: { organizationId, name: name.trim() || null, email: email.trim() || null, role },
      }),
    onSuccess: async () => {
      await invalidateMembers();
      onAdded();
    },
  });
  const failure = added.error instanceof ApiFailure ? added.error : null;
  const isFilled = name.trim() !== "" || email.trim() !== "";
  const submit = useSubmit(() => added.mutateAsync(), isFilled);
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" c="dimmed">
          For users of your identity provider and for scripts. No invitation is sent: create a token for them.
        </Text>
        {added.error && <ErrorAlert error={added.error} />}
        <TextInput
          label="Name"
          data-autofocus
          value={name}
          error={failure?.issueAt("name")}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label="Email"
          type="email"
          value={email}
          error={failure?.issueAt("email")}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <NativeSelect
          label="Role"
          description={ROLE_TEXTS[role]}
          value={role}
          data={roleOptions(ownRole)}
          onChange={(event) => setRole(event.currentTarget.value as Role)}
        />
        <Group justify="flex-end">
          <AsyncButton type="submit" isPending={added.isPending} disabled={!isFilled}>
            Add member
          </AsyncButton>
        </Group>
      </Stack>
    </form>
  );
}
