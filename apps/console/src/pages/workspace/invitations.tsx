/** The invitations that nobody has accepted yet. */
import { isAbove } from "@headwater/contract/roles";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ApiAnswer, api } from "../../api.ts";
import { roleName } from "../../role-texts.ts";
import { ConfirmButton } from "../../ui/confirm-dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Alert, Text } from "../../ui/primitives/elements.tsx";
import { ExpiryDay } from "../../ui/relative-time.tsx";
import { SecretAlert } from "../../ui/secret-alert.tsx";
import { useWorkspace } from "../../workspace-context.tsx";

export type NewInvitation = ApiAnswer<"createInvitation">;
type OpenInvitation = ApiAnswer<"listInvitations">["invitations"][number];

/** The link of a new invitation, or where it was sent. */
export const InvitationCreated = ({ invitation: { url, email } }: { readonly invitation: NewInvitation }) =>
  url === null ? (
    <Alert color="green" title="Invitation sent" role="status">
      The link was sent to <bdi>{email}</bdi>.
    </Alert>
  ) : (
    <SecretAlert
      title="Copy the link now. It will not be shown again. The first person to use it gets the role."
      secret={url}
      copyLabel="Copy link"
    />
  );

export function useOpenInvitations() {
  const { organizationId } = useWorkspace();
  return useQuery({
    queryKey: ["invitations", organizationId],
    queryFn: ({ signal }) => api.listInvitations({ query: { organizationId }, signal }),
  });
}

export interface InvitationRowProps {
  readonly invitation: OpenInvitation;
  readonly onRevoked: (invitationId: string) => void;
}

/** A row of the table of members. */
export function InvitationRow({ invitation, onRevoked }: InvitationRowProps) {
  const { organizationId, role: ownRole } = useWorkspace();
  const client = useQueryClient();
  const { invitationId, email, role, expiresAt } = invitation;
  return (
    <tr>
      <td className="wrap">
        <div className="member">
          <span className="initials">
            <Icon name="mail" />
          </span>
          <div>
            <Text fw={600} className="clamp">
              <bdi>{email ?? "Invitation link"}</bdi>
            </Text>
            <Text size="sm" c="dimmed">
              Expires <ExpiryDay at={expiresAt} />
            </Text>
          </div>
        </div>
      </td>
      <td>{roleName(role)}</td>
      <td>—</td>
      <td>
        {!isAbove(role, ownRole) && (
          <ConfirmButton
            label="Revoke"
            title="Revoke this invitation?"
            confirmLabel="Revoke invitation"
            onConfirm={async () => {
              await api.revokeInvitation({ params: { invitationId }, query: { organizationId } });
              onRevoked(invitationId);
              await client.invalidateQueries({ queryKey: ["invitations"] });
            }}
          >
            <Text className="wrap">
              The link{" "}
              {email !== null && (
                <>
                  that was sent to <bdi>{email}</bdi>{" "}
                </>
              )}
              will stop working.
            </Text>
          </ConfirmButton>
        )}
      </td>
    </tr>
  );
}
