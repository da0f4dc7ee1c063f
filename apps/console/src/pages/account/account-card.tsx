/** The account that a link opens or that a person joins with: its name, address and workspaces. */

import type { Role } from "@headwater/contract";
import { roleName } from "../../role-texts.ts";
import { Icon } from "../../ui/icon.tsx";
import { Initials } from "../../ui/initials.tsx";
import { Text } from "../../ui/primitives/elements.tsx";

/** More workspaces than these are counted. */
const SHOWN_WORKSPACES = 3;

interface AccountCardProps {
  readonly name: string | null;
  readonly email: string | null;
  readonly organizations?: readonly { readonly name: string; readonly role: Role }[];
}

export function AccountCard({ name, email, organizations = [] }: AccountCardProps) {
  const title = name ?? email;
  const more = organizations.length - SHOWN_WORKSPACES;
  return (
    <div className="account-card">
      {title === null ? (
        <span className="initials">
          <Icon name="user" />
        </span>
      ) : (
        <Initials name={title} />
      )}
      <div>
        <Text fw={600} className="wrap">
          <bdi>{title ?? "Unnamed account"}</bdi>
        </Text>
        {name !== null && email !== null && (
          <Text size="sm" c="dimmed" className="wrap">
            <bdi>{email}</bdi>
          </Text>
        )}
        {organizations.slice(0, SHOWN_WORKSPACES).map((workspace) => (
          <Text size="sm" c="dimmed" className="wrap" key={`${workspace.name} ${workspace.role}`}>
            {roleName(workspace.role)} of <bdi>{workspace.name}</bdi>
          </Text>
        ))}
        {more > 0 && (
          <Text size="sm" c="dimmed">
            and {more} more {more === 1 ? "workspace" : "workspaces"}
          </Text>
        )}
      </div>
    </div>
  );
}
