/** The invitations that nobody has accepted yet. */
import { isAbove } from "@headwater/contract/roles";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ApiAnswer, api } from "../../api.ts";
import { roleName } from "../../role-texts.ts";
import { ConfirmButton } from "../../ui/confirm-dialog.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { ColumnHeads, toColumnVariables } from "../../ui/paged-table.tsx";
import { Alert, Paper, Table, Text, Title } from "../../ui/primitives/elements.tsx";
import { ExpiryTime } from "../../ui/relative-time.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { SecretAlert } from "../../ui/secret-alert.tsx";
import { useWorkspace } from "../../workspace-context.tsx";

export type NewInvitation = ApiAnswer<"createInvitation">;
type OpenInvitation = ApiAnswer<"listInvitations">["invitations"][number];
const recipientOf = ({ email }: OpenInvitation) => email ?? "Invitation link";
const COLUMNS = ["Invitation", "Role", "Expires", ""];

/** The link of a new invitation, or where it was sent. */
export const InvitationCreated = ({ invitation: { url, email } }: { readonly invitation: NewInvitation }) =>
  url === null ? (
    <Alert color="green" title="Invitation sent" role="status">
      The link was sent to <bdi>{email}</bdi>.
    </Alert>
  ) : (
    <SecretAlert
      title="Copy the link now. Whoever opens it first gets the role."
      secret={url}
      copyLabel="Copy link"
    />
  );

export function OpenInvitations() {
  const { organizationId } = useWorkspace();
  const query = useQuery({
    queryKey: ["invitations", organizationId],
    queryFn: ({ signal }) => api.listInvitations({ query: { organizationId }, signal }),
  });
  const open = query.data?.invitations ?? [];
  if (query.error) return <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />;
  if (open.length === 0) return null;
  return (
    <Paper component="section" aria-label="Open invitations">
      <Title order={2} size="h5" p="md" pb="xs">
        Open invitations
      </Title>
      <ScrollRegion label="Invitations">
        <Table className="stacked invitations" style={toColumnVariables(COLUMNS)} horizontalSpacing="md">
          <ColumnHeads columns={COLUMNS} />
          <tbody>
            {open.map((one) => (
              <InvitationRow key={one.invitationId} invitation={one} />
            ))}
          </tbody>
        </Table>
      </ScrollRegion>
    </Paper>
  );
}

function InvitationRow({ invitation }: { readonly invitation: OpenInvitation }) {
  const { organizationId, role: ownRole } = useWorkspace();
  const client = useQueryClient();
  const { invitationId, email, role, expiresAt } = invitation;
  return (
    <tr>
      <td className="wrap">
        <bdi>{recipientOf(invitation)}</bdi>
      </td>
      <td>{roleName(role)}</td>
      <td>
        <ExpiryTime at={expiresAt} />
      </td>
      <td>
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
