/** The access tokens of the workspace: made here, shown once, revoked here. */
import type { Token } from "@headwater/contract";
import { Table, Text } from "@mantine/core";
import { callApi } from "../../api.ts";
import { Page } from "../../ui/page.tsx";
import { RequirePermission } from "../../ui/page-states.tsx";
import { PagedTable, usePagedQuery } from "../../ui/paged-table.tsx";
import { ExactTime, RelativeTime } from "../../ui/relative-time.tsx";
import { RevokeTokenButton } from "../../ui/revoke-token-button.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { CreateToken } from "./create-token-form.tsx";

export const TokensPage = () => (
  <Page
    title="Tokens"
    lead="For the API, the command line and this console. Each acts as its user, in this workspace."
  >
    <RequirePermission to="tokens:manage">
      <CreateToken />
      <Tokens />
    </RequirePermission>
  </Page>
);

function Tokens() {
  const { organizationId } = useWorkspace();
  const pages = usePagedQuery(["tokens", organizationId], (place, signal) =>
    callApi("listTokens", { query: { organizationId, ...place }, signal }),
  );
  return (
    <PagedTable label="Tokens" columns={["Token", "User", "Last used", "Expires", ""]} pages={pages}>
      {({ tokens }) => tokens.map((token) => <TokenRow key={token.tokenId} token={token} />)}
    </PagedTable>
  );
}

function reachOf({ organizationId, sourceId, ceiling }: Token): string {
  if (sourceId !== null) return `, for the numbers of ${sourceId} alone`;
  return [organizationId === null && ", for all workspaces", ceiling !== null && `, at most ${ceiling}`]
    .filter((word) => word !== false)
    .join("");
}

const TokenRow = ({ token }: { readonly token: Token }) => (
  <Table.Tr>
    <Table.Td className="wrap">
      <Text fw={600} className="wrap">
        {token.label}
      </Text>
      <Text size="sm" c="dimmed">
        ends in {token.hint}
        {reachOf(token)}
      </Text>
    </Table.Td>
    <Table.Td className="wrap">{token.userId}</Table.Td>
    <Table.Td>
      <RelativeTime at={token.lastUsedAt} />
    </Table.Td>
    <Table.Td>
      <ExactTime at={token.expiresAt} />
    </Table.Td>
    <Table.Td>
      <RevokeTokenButton token={token} what="token" />
    </Table.Td>
  </Table.Tr>
);
