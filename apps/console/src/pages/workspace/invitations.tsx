/** Inviting people to the workspace, and the invitations that nobody has accepted yet. */
import type { Role } from "@headwater/contract/roles";
import { isAbove } from "@headwater/contract/roles";
import { Alert, Group, NativeSelect, Paper, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiAnswer, ApiFailure, api } from "../../api.ts";
import { signInMethodsQuery } from "../../queries.ts";
import { ROLE_TEXTS, rolesUpTo } from "../../role-texts.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ConfirmButton } from "../../ui/confirm-dialog.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { ExpiryTime } from "../../ui/relative-time.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { SecretAlert } from "../../ui/secret-alert.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { useWorkspace } from "../../workspace-context.tsx";

type OpenInvitation = ApiAnswer<"listInvitations">["invitations"][number];
const recipientOf = ({ email, role }: OpenInvitation) => email ?? `Link for a ${role}`;

export function Invitations() {
  const { organizationId } = useWorkspace();
  const query = useQuery({
    queryKey: ["invitations", organizationId],
    queryFn: ({ signal }) => api.listInvitations({ query: { organizationId }, signal }),
  });
  const open = query.data?.invitations ?? [];
  return (
    <>
      <InviteForm />
      {query.error && <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />}
      {open.length > 0 && (
        <Paper withBorder component="section" aria-label="Open invitations">
          <Title order={2} size="h4" p="lg" pb="xs">
            Open invitations
          </Title>
          <ScrollRegion label="Invitations">
            <Table horizontalSpacing="lg">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Invitation</Table.Th>
                  <Table.Th>Role</Table.Th>
                  <Table.Th>Expires</Table.Th>
                  <Table.Th aria-label="Actions" />
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {open.map((one) => (
                  <InvitationRow key={one.invitationId} invitation={one} />
                ))}
              </Table.Tbody>
            </Table>
          </ScrollRegion>
        </Paper>
      )}
    </>
  );
}

function InvitationRow({ invitation }: { readonly invitation: OpenInvitation }) {
  const { organizationId, role: ownRole } = useWorkspace();
  const client = useQueryClient();
  const { invitationId, role, expiresAt } = invitation;
  return (
    <Table.Tr>
      <Table.Td className="wrap">
        <bdi>{recipientOf(invitation)}</bdi>
      </Table.Td>
      <Table.Td>{role}</Table.Td>
      <Table.Td>
        <ExpiryTime at={expiresAt} />
      </Table.Td>
      <Table.Td ta="right">
        {!isAbove(role, ownRole) && (
          <ConfirmButton
            label="Revoke"
            title="Revoke this invitation?"
            confirmLabel="Revoke invitation"
            onConfirm={async () => {
              await api.revokeInvitation({ params: { invitationId }, query: { organizationId } });
              await client.invalidateQueries({ queryKey: ["invitations"] });
            }}
          >
            <Text className="wrap">
              <bdi>{recipientOf(invitation)}</bdi>: the link will stop working.
            </Text>
          </ConfirmButton>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function InviteForm() {
  const { organizationId, role: ownRole } = useWorkspace();
  const client = useQueryClient();
  const { data: methods } = useQuery(signInMethodsQuery);
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const made = useMutation({
    mutationFn: () => api.createInvitation({ body: { organizationId, role, email: email.trim() || null } }),
    onSuccess: async () => {
      setEmail("");
      await client.invalidateQueries({ queryKey: ["invitations"] });
    },
  });
  const failure = made.error instanceof ApiFailure ? made.error : null;
  const submit = useSubmit(() => made.mutateAsync());
  const isMail = email.trim() !== "";
  return (
    <Paper withBorder p="lg" component="form" onSubmit={submit} aria-label="Invite">
      <Stack>
        <div>
          <Title order={2} size="h4">
            Invite people
          </Title>
          <Text size="sm" c="dimmed">
            An invitation works once, within 7 days.
            {methods?.mail === false && " This service sends no mail: create a link and pass it on."}
          </Text>
        </div>
        {made.error && <ErrorAlert error={made.error} />}
        <Group align="flex-start" grow className="fields">
          {methods?.mail && (
            <TextInput
              label="Send to"
              type="email"
              placeholder="Leave empty for a link"
              value={email}
              error={failure?.issueAt("email")}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
          )}
          <NativeSelect
            label="Role of the invited person"
            description={ROLE_TEXTS[role]}
            value={role}
            data={rolesUpTo(ownRole)}
            onChange={(event) => setRole(event.currentTarget.value as Role)}
          />
        </Group>
        <Group justify="flex-end">
          <AsyncButton type="submit" isPending={made.isPending}>
            {isMail ? "Send invitation" : "Create link"}
          </AsyncButton>
        </Group>
        {made.data?.url && (
          <SecretAlert
            title="Copy the link now. Whoever opens it first gets the role."
            secret={made.data.url}
            copyLabel="Copy link"
          />
        )}
        {made.data && made.data.url === null && (
          <Alert color="green" title="Invitation sent" role="status">
            <bdi>{made.data.email}</bdi> has got a mail with the link.
          </Alert>
        )}
      </Stack>
    </Paper>
  );
}
