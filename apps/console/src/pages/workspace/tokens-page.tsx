/** The access tokens of the workspace. A token is shown once, when it is created. */
import type { Token } from "@headwater/contract";
import { useState } from "react";
import { api } from "../../api.ts";
import { roleName } from "../../role-texts.ts";
import { session } from "../../session.ts";
import { DialogButton } from "../../ui/dialog.tsx";
import { Page } from "../../ui/page.tsx";
import { PagedTable, usePagedQuery } from "../../ui/paged-table.tsx";
import { Badge, Group, Text } from "../../ui/primitives/elements.tsx";
import { ExpiryTime, RelativeTime } from "../../ui/relative-time.tsx";
import { RequirePermission } from "../../ui/require-permission.tsx";
import { RevokeTokenButton } from "../../ui/revoke-token-button.tsx";
import { SecretAlert } from "../../ui/secret-alert.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { type CreatedToken, CreateTokenForm } from "./create-token-form.tsx";
import { useMemberNames } from "./member-names.ts";
import { useSourceNames } from "./source-names.ts";

export function TokensPage() {
  const { can } = useWorkspace();
  const [created, setCreated] = useState<CreatedToken | null>(null);
  const create = (
    <DialogButton label="Create token">
      {(close) => (
        <CreateTokenForm
          onCreated={(token) => {
            setCreated(token);
            close();
          }}
        />
      )}
    </DialogButton>
  );
  return (
    <Page
      title="Tokens"
      lead="A token acts as you, as a service account, or for one source. It never acts as another person."
      actions={can("tokens:manage") && create}
    >
      <RequirePermission permission="tokens:manage">
        {created && (
          <SecretAlert
            title={`Copy the token “${created.label}” now. It will not be shown again.`}
            secret={created.token}
            copyLabel="Copy token"
          />
        )}
        <Tokens />
      </RequirePermission>
    </Page>
  );
}

function Tokens() {
  const { organizationId, userId: ownId } = useWorkspace();
  const names = useMemberNames();
  const nameOf = (userId: string) => names.get(userId) ?? (userId === ownId ? "You" : undefined);
  const sourceNames = useSourceNames();
  const query = usePagedQuery(["tokens", organizationId], (cursor, signal) =>
    api.listTokens({ query: { organizationId, cursor }, signal }),
  );
  return (
    <PagedTable
      label="Tokens"
      columns={["Token", "Acts as", "Created", "Last used", "Expires", ""]}
      query={query}
    >
      {({ tokens }) =>
        tokens.map((token) => (
          <TokenRow
            key={token.tokenId}
            token={token}
            userName={token.sourceId === null ? nameOf(token.userId) : "The source"}
            sourceName={sourceNames?.get(token.sourceId ?? "")}
            isInUse={token.userId === ownId && session.beganWith(token.hint)}
          />
        ))
      }
    </PagedTable>
  );
}

/** @returns the restrictions of a token, each as its own part of the row's description */
function scopeOf(
  { organizationId, sourceId, scope, ceiling }: Token,
  sourceName: string | undefined,
): string[] {
  if (sourceId !== null)
    return [`${scope === "ingest" ? "Send events" : "Stats"} of ${sourceName ?? sourceId} only`];
  return [
    organizationId === null && "All workspaces",
    ceiling !== null && `Limited to the role ${roleName(ceiling)}`,
  ].filter((part) => part !== false);
}

interface TokenRowProps {
  readonly token: Token;
  readonly userName: string | undefined;
  /** The name of the source that the token is limited to. */
  readonly sourceName: string | undefined;
  /** Whether this browser is signed in with it. */
  readonly isInUse: boolean;
}

const TokenRow = ({ token, userName, sourceName, isInUse }: TokenRowProps) => (
  <tr>
    <td className="wrap">
      <Group gap="xs">
        <Text fw={600} className="clamp" title={token.label}>
          {token.label}
        </Text>{" "}
        {isInUse && <Badge>In use now</Badge>}
      </Group>
      <Text size="sm" c="dimmed" className="clamp">
        <code title="The last characters of the token">…{token.hint}</code>
        {scopeOf(token, sourceName).map((part) => ` · ${part}`)}
      </Text>
    </td>
    <td className="wrap" style={{ minWidth: 140 }} title={token.userId}>
      <bdi className="clamp">{userName ?? token.userId}</bdi>
    </td>
    <td>
      <RelativeTime at={token.createdAt} />
    </td>
    <td>
      <RelativeTime at={token.lastUsedAt} missing="Never" />
    </td>
    <td>
      <ExpiryTime at={token.expiresAt} />
    </td>
    <td>
      <RevokeTokenButton token={token} what="token" />
    </td>
  </tr>
);
