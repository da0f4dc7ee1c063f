/** The offer of an invitation: the workspace, the role and the inviter. */
import type { Role } from "@headwater/contract";
import { ROLE_TEXTS, roleName } from "../../role-texts.ts";
import { Text } from "../../ui/primitives/elements.tsx";

interface InvitationOfferProps {
  readonly offer: {
    readonly organizationName: string;
    readonly role: Role;
    readonly invitedBy: string | null;
  };
}

export const InvitationOffer = ({ offer: { organizationName, role, invitedBy } }: InvitationOfferProps) => (
  <div>
    <Text className="wrap">
      <bdi>{invitedBy ?? "A member"}</bdi> invites you to the workspace{" "}
      <strong>
        <bdi>{organizationName}</bdi>
      </strong>
      .
    </Text>
    <Text size="sm" c="dimmed">
      Your role: {roleName(role)}. {ROLE_TEXTS[role]}
    </Text>
  </div>
);
