/** Who belongs to the workspace, and what each may do. */

import type { Member } from "@headwater/contract";
import { isAbove, ROLES, type Role } from "@headwater/contract/roles";
import {
  Badge,
  Button,
  Group,
  NativeSelect,
  Paper,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, callApi } from "../../api.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Page } from "../../ui/page.tsx";
import { ErrorAlert, RequirePermission } from "../../ui/page-states.tsx";
import { PagedTable, usePagedQuery } from "../../ui/paged-table.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { useWorkspace } from "../../workspace-context.tsx";

export const TeamPage = () => (
  <Page title="Team" lead="Members of this workspace. Nobody gives a role above their own.">
    <RequirePermission to="members:manage">
      <Members />
      <AddMember />
    </RequirePermission>
  </Page>
);

/** What somebody with that role may give. */
const rolesUpTo = (own: Role) => ROLES.filter((role) => !isAbove(role, own));

function useMembersChanged() {
  const client = useQueryClient();
  return () =>
    Promise.all([["members"], ["permissions"]].map((queryKey) => client.invalidateQueries({ queryKey })));
}

function Members() {
  const { organizationId } = useWorkspace();
  const pages = usePagedQuery(["members", organizationId], (place, signal) =>
    callApi("listMembers", { query: { organizationId, ...place }, signal }),
  );
  return (
    <PagedTable label="Members" columns={["Member", "Role", "Since", ""]} pages={pages}>
      {({ members }) => members.map((member) => <MemberRow key={member.userId} member={member} />)}
    </PagedTable>
  );
}

const nameOf = ({ name, email, userId }: Member) => name ?? email ?? userId;

function MemberRow({ member }: { readonly member: Member }) {
  const { organizationId, role: own, userId: ownId } = useWorkspace();
  const { userId, email, role, createdAt } = member;
  const [isAsked, setAsked] = useState(false);
  const changed = useMembersChanged();
  const update = useMutation({
    mutationFn: (next: Role) =>
      callApi("updateMember", { params: { userId }, body: { organizationId, role: next } }),
    onSuccess: changed,
  });
  const isInReach = !isAbove(role, own);
  return (
    <Table.Tr>
      <Table.Td className="wrap">
        <Text fw={600} className="wrap">
          <bdi>{nameOf(member)}</bdi>{" "}
          {userId === ownId && (
            <Badge variant="light" tt="none">
              you
            </Badge>
          )}
        </Text>
        <Text size="sm" c="dimmed" className="wrap">
          {nameOf(member) === userId ? null : (email ?? userId)}
        </Text>
        {update.error && <ErrorAlert error={update.error} />}
      </Table.Td>
      <Table.Td>
        {isInReach ? (
          <NativeSelect
            aria-label={`Role of ${nameOf(member)}`}
            value={role}
            data={rolesUpTo(own)}
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
      <Table.Td>
        {isInReach && (
          <Button size="xs" variant="default" onClick={() => setAsked(true)}>
            Remove …
          </Button>
        )}
        <ConfirmDialog
          title="Remove this member?"
          confirmLabel="Remove"
          opened={isAsked}
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await callApi("removeMember", { params: { userId }, query: { organizationId } });
            await changed();
          }}
        >
          <Text className="wrap">
            <bdi>{nameOf(member)}</bdi> may do nothing in this workspace any more, and their tokens of it
            stop.
          </Text>
        </ConfirmDialog>
      </Table.Td>
    </Table.Tr>
  );
}

function AddMember() {
  const { organizationId, role: own } = useWorkspace();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("developer");
  const changed = useMembersChanged();
  const added = useMutation({
    mutationFn: () =>
      callApi("addMember", {
        body: { organizationId, name: name.trim() || null, email: email.trim() || null, role },
      }),
    onSuccess: async () => {
      setName("");
      setEmail("");
      await changed();
    },
  });
  const failure = added.error instanceof ApiError ? added.error : null;
  const isGiven = name.trim() !== "" || email.trim() !== "";
  const submit = useSubmit(() => added.mutateAsync(), isGiven);
  return (
    <Paper withBorder p="lg" component="form" onSubmit={submit}>
      <Stack>
        <div>
          <Title order={2} size="h4">
            Add a member
          </Title>
          <Text size="sm" c="dimmed">
            No message is sent: make a token for them afterwards, and hand it over.
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
            label="E-mail"
            type="email"
            value={email}
            error={failure?.issueAt("email")}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <NativeSelect
            label="Role"
            value={role}
            data={rolesUpTo(own)}
            onChange={(event) => setRole(event.currentTarget.value as Role)}
          />
        </Group>
        <Group justify="flex-end">
          <AsyncButton type="submit" isPending={added.isPending} disabled={!isGiven}>
            Add
          </AsyncButton>
        </Group>
      </Stack>
    </Paper>
  );
}
