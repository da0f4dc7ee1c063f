/** The access tokens of the workspace: made here, shown once, revoked here. */
import type { Token } from "@headwater/contract";
import { Table, Text } from "@mantine/core";
import { call } from "../../api.ts";
import { Page } from "../../ui/page.tsx";
import { PagedTable, usePages } from "../../ui/paged.tsx";
import { Revoke } from "../../ui/revoke.tsx";
import { Permitted } from "../../ui/states.tsx";
import { Ago, Until } from "../../ui/time.tsx";
import { useWorkspace } from "../../workspace.tsx";
import { CreateToken } from "./create-token.tsx";

export const TokensPage = () => (
  <Page
    title="Tokens"
    lead="For the API, the command line and this console. Each acts as its user, in this workspace."
  >
    <Permitted to="tokens:manage">
      <CreateToken />
      <Tokens />
    </Permitted>
  </Page>
);

function Tokens() {
  const { organizationId } = useWorkspace();
  const pages = usePages(["tokens", organizationId], (place, signal) =>
    call("listTokens", { query: { organizationId, ...place }, signal }),
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
      <Ago at={token.lastUsedAt} />
    </Table.Td>
    <Table.Td>
      <Until at={token.expiresAt} />
    </Table.Td>
    <Table.Td>
      <Revoke token={token} what="token" />
    </Table.Td>
  </Table.Tr>
);
