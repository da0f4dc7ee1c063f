/** The members of the workspace and their roles. */

import type { Member } from "@headwater/contract";
import { isAbove, ROLES, type Role } from "@headwater/contract/roles";
import { Badge, Group, NativeSelect, Paper, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiFailure, api } from "../../api.ts";
import { ROLE_TEXTS, rolesUpTo } from "../../role-texts.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ConfirmButton } from "../../ui/confirm-dialog.tsx";
import { Page } from "../../ui/page.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { PagedTable, usePagedQuery } from "../../ui/paged-table.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { RequirePermission } from "../../ui/require-permission.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { Invitations } from "./invitations.tsx";

export const TeamPage = () => (
  <Page title="Team" lead="Members of this workspace. You can assign roles up to your own.">
    <RequirePermission permission="members:manage">
      <Members />
      <Invitations />
      <Roles />
      <AddMember />
    </RequirePermission>
  </Page>
);

/** What each role may do. */
const Roles = () => (
  <Paper withBorder p="lg" component="section" aria-label="Roles">
    <Title order={2} size="h4" mb="sm">
      Roles
    </Title>
    <dl className="roles">
      {ROLES.map((role) => (
        <div key={role}>
          <dt>{role}</dt>
          <dd>{ROLE_TEXTS[role]}</dd>
        </div>
      ))}
    </dl>
  </Paper>
);

/** @returns a function that refetches the members and the user's own permissions */
function useInvalidateMembers() {
  const client = useQueryClient();
  return () =>
    Promise.all([["members"], ["permissions"]].map((queryKey) => client.invalidateQueries({ queryKey })));
}

function Members() {
  const { organizationId } = useWorkspace();
  const query = usePagedQuery(["members", organizationId], (cursor, signal) =>
    api.listMembers({ query: { organizationId, cursor }, signal }),
  );
  return (
    <PagedTable label="Members" columns={["Member", "Role", "Added", ""]} query={query}>
      {({ members }) => members.map((member) => <MemberRow key={member.userId} member={member} />)}
    </PagedTable>
  );
}

const nameOf = ({ name, email, userId }: Member) => name ?? email ?? userId;

function MemberRow({ member }: { readonly member: Member }) {
  const { organizationId, role: ownRole, userId: ownId } = useWorkspace();
  const { userId, email, role, createdAt } = member;
  const invalidateMembers = useInvalidateMembers();
  const update = useMutation({
    mutationFn: (next: Role) =>
      api.updateMember({ params: { userId }, body: { organizationId, role: next } }),
    onSuccess: invalidateMembers,
  });
  const canEdit = !isAbove(role, ownRole);
  return (
    <Table.Tr>
      <Table.Td className="wrap">
        <Text fw={600} className="wrap">
          <bdi>{nameOf(member)}</bdi>{" "}
          {userId === ownId && (
            <Badge variant="light" tt="none">
              You
            </Badge>
          )}
        </Text>
        <Text size="sm" c="dimmed" className="wrap">
          {nameOf(member) === userId ? null : (email ?? userId)}
        </Text>
        {update.error && <ErrorAlert error={update.error} />}
      </Table.Td>
      <Table.Td>
        {canEdit ? (
          <NativeSelect
            aria-label={`Role of ${nameOf(member)}`}
            value={role}
            data={rolesUpTo(ownRole)}
            aria-busy={update.isPending}
            onChange={(event) => update.isPending || update.mutate(event.currentTarget.value as Role)}
          />
        ) : (
          role
        )}
      </Table.Td>
      <Table.Td>
        <RelativeTime at={createdAt} />
      </Table.Td>
      <Table.Td>{canEdit && <RemoveMemberButton member={member} />}</Table.Td>
    </Table.Tr>
  );
}

function RemoveMemberButton({ member }: { readonly member: Member }) {
  const { organizationId } = useWorkspace();
  const { userId } = member;
  const invalidateMembers = useInvalidateMembers();
  return (
    <ConfirmButton
      label="Remove"
      title="Remove this member?"
      confirmLabel="Remove member"
      onConfirm={async () => {
        await api.removeMember({ params: { userId }, query: { organizationId } });
        await invalidateMembers();
      }}
    >
      <Text className="wrap">
        <bdi>{nameOf(member)}</bdi> will lose access to this workspace, and their tokens for it will stop
        working.
      </Text>
    </ConfirmButton>
  );
}

function AddMember() {
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
      setName("");
      setEmail("");
      await invalidateMembers();
    },
  });
  const failure = added.error instanceof ApiFailure ? added.error : null;
  const isFilled = name.trim() !== "" || email.trim() !== "";
  const submit = useSubmit(() => added.mutateAsync(), isFilled);
  return (
    <Paper withBorder p="lg" component="form" onSubmit={submit}>
      <Stack>
        <div>
          <Title order={2} size="h4">
            Add member
          </Title>
          <Text size="sm" c="dimmed">
            For users of your identity provider and for scripts. No invitation is sent: create a token for
            them.
          </Text>
        </div>
        {added.error && <ErrorAlert error={added.error} />}
        <Group align="flex-start" grow className="fields">
          <TextInput
            label="Name"
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
            value={role}
            data={rolesUpTo(ownRole)}
            onChange={(event) => setRole(event.currentTarget.value as Role)}
          />
        </Group>
        <Group justify="flex-end">
          <AsyncButton type="submit" isPending={added.isPending} disabled={!isFilled}>
            Add member
          </AsyncButton>
        </Group>
      </Stack>
    </Paper>
  );
}
