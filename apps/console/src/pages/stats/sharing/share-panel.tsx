/** The panel that creates, lists and revokes share links. A share link shows the stats of one source without sign-in. */
import type { Token } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiFailure, api } from "../../../api.ts";
import { AsyncButton } from "../../../ui/async-button.tsx";
import { ExpirySelect, toExpiresAt } from "../../../ui/expiry-select.tsx";
import { ErrorAlert } from "../../../ui/page-states.tsx";
import { PagedTable, usePagedQuery } from "../../../ui/paged-table.tsx";
import { Button, Group, Stack, Text } from "../../../ui/primitives/elements.tsx";
import { PasswordInput, TextInput } from "../../../ui/primitives/fields.tsx";
import { ExpiryTime, RelativeTime } from "../../../ui/relative-time.tsx";
import { isRevoked, RevokeTokenButton } from "../../../ui/revoke-token-button.tsx";
import { useSubmit } from "../../../ui/use-submit.ts";
import { useWorkspace } from "../../../workspace-context.tsx";
import { useMemberNames } from "../../workspace/member-names.ts";
import type { StatsView } from "../use-stats-view.ts";
import { CreatedLink } from "./created-link.tsx";
import { ReplaceLinkButton } from "./replace-link.tsx";

export const SharePanel = ({ view }: { readonly view: StatsView }) => (
  <Stack>
    <Text size="sm" c="dimmed">
      Anyone with a link can see all of this source’s stats, including event properties. A link is shown only
      once, when you create it.
    </Text>
    <CreateLinkForm view={view} />
    <LinkTable view={view} />
  </Stack>
);

function CreateLinkForm({ view }: { readonly view: StatsView }) {
  const { organizationId } = useWorkspace();
  const client = useQueryClient();
  const [label, setLabel] = useState("");
  const links = useLinks(view).data?.pages.flatMap(({ tokens }) => tokens) ?? [];
  const defaultName = defaultNameAmong(links);
  const [days, setDays] = useState("90");
  const [password, setPassword] = useState("");
  const creation = useMutation({
    mutationFn: () =>
      api.createToken({
        body: {
          organizationId,
          label: label.trim() || defaultName,
          sourceId: view.scope.sourceId,
          expiresAt: toExpiresAt(days),
          ...(password === "" ? {} : { password }),
        },
      }),
    onSuccess: async () => {
      setLabel("");
      setPassword("");
      await client.invalidateQueries({ queryKey: ["tokens"] });
    },
  });
  const failure = creation.error instanceof ApiFailure ? creation.error : null;
  const submit = useSubmit(() => creation.mutateAsync(), label.trim() !== "");
  if (creation.data && !isRevoked(creation.data, links))
    return (
      <>
        <CreatedLink view={view} created={creation.data} />
        <div>
          <Button variant="default" onClick={() => creation.reset()}>
            Create another link
          </Button>
        </div>
      </>
    );
  return (
    <>
      <form onSubmit={submit} className="in-line">
        <TextInput
          label="Name"
          placeholder={defaultName}
          maxLength={LIMITS.maxNameLength}
          value={label}
          error={failure?.issueAt("label")}
          onChange={(event) => setLabel(event.currentTarget.value)}
        />
        <ExpirySelect days={days} onChange={setDays} />
        <PasswordInput
          label="Password (optional)"
          autoComplete="new-password"
          maxLength={LIMITS.maxPasswordLength}
          value={password}
          error={failure?.issueAt("password")}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <AsyncButton type="submit" isPending={creation.isPending}>
          Create link
        </AsyncButton>
      </form>
      {creation.error && <ErrorAlert error={creation.error} />}
    </>
  );
}

function useLinks({ scope: { sourceId } }: StatsView) {
  const { organizationId } = useWorkspace();
  return usePagedQuery(["tokens", organizationId, sourceId], (cursor, signal) =>
    api.listTokens({ query: { organizationId, sourceId, scope: "stats", cursor }, signal }),
  );
}

/** @returns the first name, such as `Link 3`, that no link has */
function defaultNameAmong(links: readonly Token[]): string {
  const names = new Set(links.map(({ label }) => label));
  let number = links.length + 1;
  while (names.has(`Link ${number}`)) number += 1;
  return `Link ${number}`;
}

function LinkTable({ view }: { readonly view: StatsView }) {
  const { userId } = useWorkspace();
  const names = new Map([[userId, "you"], ...useMemberNames()]);
  const query = useLinks(view);
  if (query.data?.pages[0]?.tokens.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No share links yet. Create one above.
      </Text>
    );
  return (
    <PagedTable label="Links" columns={["Name", "Last used", "Expires", ""]} query={query}>
      {({ tokens }) =>
        tokens.map((token) => (
          <LinkRow key={token.tokenId} view={view} token={token} creator={names.get(token.userId)} />
        ))
      }
    </PagedTable>
  );
}

interface LinkRowProps {
  readonly view: StatsView;
  readonly token: Token;
  /** The name of who created it. */
  readonly creator: string | undefined;
}

const LinkRow = ({ view, token, creator }: LinkRowProps) => (
  <tr>
    <td className="wrap">
      <Text fw={600} className="clamp" title={token.label}>
        {token.label}
      </Text>
      <Text size="sm" c="dimmed" className="clamp">
        <code title="The last characters of the link">…{token.hint}</code>
        {" · by "}
        <bdi>{creator ?? token.userId}</bdi>
      </Text>
      <Text size="sm" c="dimmed">
        {token.hasPassword ? "Password required" : "No password"}
      </Text>
    </td>
    <td>
      <RelativeTime at={token.lastUsedAt} missing="Never" />
    </td>
    <td>
      <ExpiryTime at={token.expiresAt} />
    </td>
    <td>
      <Group gap="xs" justify="flex-end" wrap="nowrap">
        {token.revokedAt === null && <ReplaceLinkButton view={view} token={token} />}
        <RevokeTokenButton token={token} what="link" />
      </Group>
    </td>
  </tr>
);
