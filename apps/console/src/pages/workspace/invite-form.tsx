/** Invites a person to the workspace, by mail or with a link. */
import type { Role } from "@headwater/contract/roles";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiFailure, api } from "../../api.ts";
import { profileQuery, signInMethodsQuery } from "../../queries.ts";
import { ROLE_TEXTS, roleOptions } from "../../role-texts.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { Group, Stack, Text } from "../../ui/primitives/elements.tsx";
import { NativeSelect, TextInput } from "../../ui/primitives/fields.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import type { NewInvitation } from "./invitations.tsx";

interface InviteFormProps {
  readonly onCreated: (invitation: NewInvitation) => void;
}

export function InviteForm({ onCreated }: InviteFormProps) {
  const { organizationId, role: ownRole } = useWorkspace();
  const client = useQueryClient();
  const { data: methods } = useQuery(signInMethodsQuery);
  const { data: profile } = useQuery(profileQuery);
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const creation = useMutation({
    mutationFn: () => api.createInvitation({ body: { organizationId, role, email: email.trim() || null } }),
    onSuccess: async (invitation) => {
      await client.invalidateQueries({ queryKey: ["invitations"] });
      onCreated(invitation);
    },
  });
  const failure = creation.error instanceof ApiFailure ? creation.error : null;
  const submit = useSubmit(() => creation.mutateAsync(), email.trim() !== "");
  const isMail = email.trim() !== "";
  if (profile === null)
    return (
      <Text size="sm" c="dimmed">
        You are signed in with an access token, which cannot invite people. Sign in as yourself.
      </Text>
    );
  return (
    <form onSubmit={submit} aria-label="Invite">
      <Stack>
        <Text size="sm" c="dimmed">
          An invitation works once and expires after 7 days.
          {methods?.sendsMail === false &&
            " This service has no mail server, so create a link and send it yourself."}
        </Text>
        {creation.error && <ErrorAlert error={creation.error} />}
        {methods?.sendsMail && (
          <TextInput
            label="Email address"
            type="email"
            data-autofocus
            placeholder="Leave empty to get a link"
            value={email}
            error={failure?.issueAt("email")}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
        )}
        <NativeSelect
          label="Role of the invited person"
          description={ROLE_TEXTS[role]}
          value={role}
          data={roleOptions(ownRole)}
          onChange={(event) => setRole(event.currentTarget.value as Role)}
        />
        <Group justify="flex-end">
          <AsyncButton type="submit" isPending={creation.isPending}>
            {isMail ? "Send invitation" : "Create link"}
          </AsyncButton>
        </Group>
      </Stack>
    </form>
  );
}
