/** The access tokens of the workspace: made here, shown once, revoked here. */

import type { Token } from "@headwater/contract";
import { Badge, Button, Paper, Table, Text } from "@mantine/core";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Page } from "../../ui/page.tsx";
import { Scroll } from "../../ui/scroll.tsx";
import { ShowMore } from "../../ui/show-more.tsx";
import { Failure, Loading, Permitted } from "../../ui/states.tsx";
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
  const query = useInfiniteQuery({
    queryKey: ["tokens", organizationId],
    queryFn: ({ pageParam, signal }) =>
      call("listTokens", { query: { organizationId, ...(pageParam ? { cursor: pageParam } : {}) }, signal }),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
  });
  if (query.isPending) return <Loading />;
  if (query.error) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <Paper withBorder>
      <Scroll label="Tokens">
        <Table verticalSpacing="sm" horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Token</Table.Th>
              <Table.Th>User</Table.Th>
              <Table.Th>Last used</Table.Th>
              <Table.Th>Expires</Table.Th>
              <Table.Th />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {query.data.pages
              .flatMap((page) => page.tokens)
              .map((token) => (
                <TokenRow key={token.tokenId} token={token} />
              ))}
          </Table.Tbody>
        </Table>
      </Scroll>
      <ShowMore query={query} m="md" />
    </Paper>
  );
}

function TokenRow({ token }: { readonly token: Token }) {
  const { organizationId } = useWorkspace();
  const client = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const { tokenId, label, hint, userId, ceiling, lastUsedAt, expiresAt, revokedAt } = token;
  return (
    <Table.Tr>
      <Table.Td className="wrap">
        <Text fw={600} className="wrap">
          {label}
        </Text>
        <Text size="sm" c="dimmed">
          ends in {hint}
          {token.organizationId === null && ", for all workspaces"}
          {ceiling !== null && `, at most ${ceiling}`}
        </Text>
      </Table.Td>
      <Table.Td className="wrap">{userId}</Table.Td>
      <Table.Td>
        <Ago at={lastUsedAt} />
      </Table.Td>
      <Table.Td>
        <Until at={expiresAt} />
      </Table.Td>
      <Table.Td>
        {revokedAt === null ? (
          <Button size="xs" variant="default" onClick={() => setAsked(true)} aria-label={`Revoke ${label}`}>
            Revoke …
          </Button>
        ) : (
          <Badge variant="light" color="gray" tt="none">
            Revoked
          </Badge>
        )}
        <Confirm
          title="Revoke this token?"
          confirmLabel="Revoke"
          opened={isAsked}
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await call("revokeToken", { params: { tokenId }, query: { organizationId } });
            await client.invalidateQueries({ queryKey: ["tokens"] });
          }}
        >
          <Text className="wrap">Whatever uses “{label}” is refused from its next request on.</Text>
        </Confirm>
      </Table.Td>
    </Table.Tr>
  );
}
