/** The members of the workspace and their roles. */

import type { Member } from "@headwater/contract";
import { isAbove, ROLES, type Role } from "@headwater/contract/roles";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api } from "../../api.ts";
import { organizationsQuery, profileQuery } from "../../queries.ts";
import { ROLE_TEXTS, roleName, roleOptions } from "../../role-texts.ts";
import { ConfirmMenu } from "../../ui/confirm-dialog.tsx";
import { DialogButton } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Initials } from "../../ui/initials.tsx";
import { TextLink } from "../../ui/links.tsx";
import { Page } from "../../ui/page.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { PagedTable, usePagedQuery } from "../../ui/paged-table.tsx";
import { Badge, Stack, Text } from "../../ui/primitives/elements.tsx";
import { NativeSelect } from "../../ui/primitives/fields.tsx";
import { formatDay, RelativeTime } from "../../ui/relative-time.tsx";
import { RequirePermission } from "../../ui/require-permission.tsx";
import { Switcher } from "../../ui/switcher.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import {
  InvitationCreated,
  InvitationRow,
  type InvitationRowProps,
  type NewInvitation,
  useOpenInvitations,
} from "./invitations.tsx";
import { InviteForm } from "./invite-form.tsx";
import { useInvalidateMembers } from "./member-names.ts";
import { ServiceAccountForm } from "./service-account-form.tsx";
import "./team.css";

export function TeamPage() {
  const { can } = useWorkspace();
  const [invited, setInvited] = useState<NewInvitation | null>(null);
  const invite = (
    <DialogButton label="Add member">
      {(close) => (
        <NewMemberForms
          onInvited={(invitation) => {
            setInvited(invitation);
            close();
          }}
          onCreated={close}
        />
      )}
    </DialogButton>
  );
  return (
    <Page
      title="Team"
      lead="Members of this workspace. You can assign roles up to your own."
      actions={can("members:manage") && invite}
    >
      <RequirePermission permission="members:manage">
        {invited && <InvitationCreated invitation={invited} />}
        <Members
          onRevoked={(invitationId) => {
            if (invitationId === invited?.invitationId) setInvited(null);
          }}
        />
        <Roles />
      </RequirePermission>
    </Page>
  );
}

const WAYS = [
  { value: "invite", label: "Person" },
  { value: "service", label: "Service account" },
] as const;

interface NewMemberFormsProps {
  readonly onInvited: (invitation: NewInvitation) => void;
  readonly onCreated: () => void;
}

/** The two ways to a new member. */
function NewMemberForms({ onInvited, onCreated }: NewMemberFormsProps) {
  const [way, setWay] = useState<(typeof WAYS)[number]["value"]>("invite");
  return (
    <Stack>
      <div>
        <Switcher label="Kind of member" options={WAYS} value={way} onChange={setWay} />
      </div>
      {way === "invite" ? <InviteForm onCreated={onInvited} /> : <ServiceAccountForm onCreated={onCreated} />}
    </Stack>
  );
}

/** Explains the permissions of each role. */
const Roles = () => (
  <details>
    <summary>What each role may do</summary>
    <dl className="roles">
      {ROLES.map((role) => (
        <div key={role}>
          <dt>{roleName(role)}</dt>
          <dd>{ROLE_TEXTS[role]}</dd>
        </div>
      ))}
    </dl>
  </details>
);

function Members({ onRevoked }: Pick<InvitationRowProps, "onRevoked">) {
  const { organizationId, userId: ownId } = useWorkspace();
  const query = usePagedQuery(["members", organizationId], (cursor, signal) =>
    api.listMembers({ query: { organizationId, cursor }, signal }),
  );
  const invitations = useOpenInvitations();
  const owners = query.data?.pages.flatMap(({ members }) => members.filter(isOwner));
  const hasOneOwner = !query.hasNextPage && owners?.length === 1;
  return (
    <>
      <PagedTable
        label="Members"
        columns={["Member", "Role", "Added", ""]}
        query={query}
        className="members"
        lastRows={invitations.data?.invitations.map((one) => (
          <InvitationRow key={one.invitationId} invitation={one} onRevoked={onRevoked} />
        ))}
      >
        {({ members }) =>
          members
            .toSorted((a, b) => Number(b.userId === ownId) - Number(a.userId === ownId))
            .map((member) => (
              <MemberRow key={member.userId} member={member} isLastOwner={hasOneOwner && isOwner(member)} />
            ))
        }
      </PagedTable>
      {invitations.error && (
        <ErrorAlert error={invitations.error} onRetry={() => void invitations.refetch()} />
      )}
    </>
  );
}

/** A service account that is an owner does not keep a workspace: nobody signs in as it. */
const isOwner = ({ kind, role }: Member) => kind === "person" && role === "owner";
const nameOf = ({ name, email, userId }: Member) => name ?? email ?? userId;

/** The line under the name; null: none. */
function describeMember({ kind, name, email }: Member, isOwn: boolean): ReactNode {
  if (kind === "service_account") return "Service account";
  if (name === null && isOwn)
    return (
      <TextLink to="/profile" size="sm">
        Add your name
      </TextLink>
    );
  if (email === null) return name === null ? "No name or email yet" : "No email";
  return name === null ? null : email;
}

/** The name of a member, or what else is known of them. */
function MemberName({ member }: { readonly member: Member }) {
  const { userId: ownId } = useWorkspace();
  const { userId, kind, name, email, role, createdAt } = member;
  const isOwn = userId === ownId;
  const isUnnamed = name === null && email === null;
  const shownName = name ?? email ?? (isOwn ? "You" : `${roleName(role)}, joined ${formatDay(createdAt)}`);
  const line = describeMember(member, isOwn);
  return (
    <div className="member">
      {kind === "service_account" || isUnnamed ? (
        <span className="initials">
          <Icon name={kind === "person" ? "user" : "robot"} />
        </span>
      ) : (
        <Initials name={shownName} />
      )}
      <div>
        <div className="member-name">
          <Text fw={600} className="clamp" title={isUnnamed ? userId : shownName}>
            <bdi>{shownName}</bdi>
          </Text>{" "}
          {isOwn && !isUnnamed && <Badge>You</Badge>}
        </div>
        {line !== null && (
          <Text size="sm" c="dimmed" className="clamp" title={email ?? userId}>
            {line}
          </Text>
        )}
      </div>
    </div>
  );
}

interface MemberRowProps {
  readonly member: Member;
  /** A workspace keeps its last owner. */
  readonly isLastOwner: boolean;
}

function MemberRow({ member, isLastOwner }: MemberRowProps) {
  const { organizationId, role: ownRole, userId: ownId } = useWorkspace();
  const { data: profile } = useQuery(profileQuery);
  const { userId, role, createdAt } = member;
  const invalidateMembers = useInvalidateMembers();
  const update = useMutation({
    mutationFn: (next: Role) =>
      api.updateMember({ params: { userId }, body: { organizationId, role: next } }),
    onSuccess: invalidateMembers,
  });
  const canEdit = !isAbove(role, ownRole);
  const isOwn = userId === ownId;
  return (
    <tr>
      <td className="wrap">
        <MemberName member={member} />
        {update.error && <ErrorAlert error={update.error} />}
      </td>
      <td>
        {canEdit ? (
          <NativeSelect
            className="quiet-select"
            aria-label={`Role of ${nameOf(member)}`}
            value={role}
            data={roleOptions(ownRole)}
            aria-busy={update.isPending}
            onChange={(event) => update.isPending || update.mutate(event.currentTarget.value as Role)}
          />
        ) : (
          roleName(role)
        )}
      </td>
      <td>
        <RelativeTime at={createdAt} />
      </td>
      <td>
        {canEdit &&
          !isLastOwner &&
          (isOwn ? profile && <LeaveMenu name={nameOf(member)} /> : <RemoveMemberMenu member={member} />)}
      </td>
    </tr>
  );
}

const menuNameOf = (memberName: string) => `Actions for ${memberName}`;

function RemoveMemberMenu({ member }: { readonly member: Member }) {
  const { organizationId } = useWorkspace();
  const { userId } = member;
  const invalidateMembers = useInvalidateMembers();
  return (
    <ConfirmMenu
      label="Remove"
      name={menuNameOf(nameOf(member))}
      title="Remove this member?"
      confirmLabel="Remove member"
      onConfirm={async () => {
        await api.removeMember({ params: { userId }, query: { organizationId } });
        await invalidateMembers();
      }}
    >
      <Text className="wrap">
        <bdi>{nameOf(member)}</bdi> will lose access to this workspace, and the member’s tokens for it will
        stop working.
      </Text>
    </ConfirmMenu>
  );
}

/** Removes the user from the workspace. The console then shows another workspace of the user. */
function LeaveMenu({ name: ownName }: { readonly name: string }) {
  const { organizationId, userId, name } = useWorkspace();
  const client = useQueryClient();
  return (
    <ConfirmMenu
      label="Leave"
      name={menuNameOf(ownName)}
      title="Leave this workspace?"
      confirmLabel="Leave workspace"
      onConfirm={async () => {
        await api.removeMember({ params: { userId }, query: { organizationId } });
        await client.invalidateQueries({ queryKey: organizationsQuery.queryKey });
      }}
    >
      <Text className="wrap">
        You will lose access to “<bdi>{name}</bdi>”, and your tokens for it will stop working.
      </Text>
    </ConfirmMenu>
  );
}
