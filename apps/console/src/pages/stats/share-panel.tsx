/** The panel that creates, lists and revokes share links. A share link shows the stats of one source without sign-in. */
import type { Token } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiFailure, api } from "../../api.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { ExpirySelect, toExpiresAt } from "../../ui/expiry-select.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { PagedTable, usePagedQuery } from "../../ui/paged-table.tsx";
import { Group, Stack, Text } from "../../ui/primitives/elements.tsx";
import { PasswordInput, TextInput } from "../../ui/primitives/fields.tsx";
import { ExpiryTime, RelativeTime } from "../../ui/relative-time.tsx";
import { RevokeTokenButton } from "../../ui/revoke-token-button.tsx";
import { SecretAlert } from "../../ui/secret-alert.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { useMemberNames } from "../workspace/member-names.ts";
import { toEmbedCode } from "./embed-code.ts";
import type { StatsView } from "./use-stats-view.ts";

/** Builds a link to the current view. The token is in the fragment, which browsers do not send to the server. */
function toShareLink({ params }: StatsView, token: string, page: "shared" | "embed" = "shared"): string {
  const url = new URL(page, document.baseURI);
  for (const [name, value] of Object.entries(params)) if (value) url.searchParams.set(name, value);
  url.hash = `token=${token}`;
  return url.href;
}

export const SharePanel = ({ view }: { readonly view: StatsView }) => (
  <Stack>
    <Text size="sm" c="dimmed">
      Anyone with the link can see all stats of this source, including the values of event properties, and
      nothing else. A link with a password also asks for the password. A link stops working when it is
      revoked, or when its creator leaves the workspace.
    </Text>
    <CreateLinkForm view={view} />
    <LinkTable sourceId={view.scope.sourceId} />
  </Stack>
);

function CreateLinkForm({ view }: { readonly view: StatsView }) {
  const { organizationId } = useWorkspace();
  const client = useQueryClient();
  const [label, setLabel] = useState("");
  const [days, setDays] = useState("90");
  const [password, setPassword] = useState("");
  const creation = useMutation({
    mutationFn: () =>
      api.createToken({
        body: {
          organizationId,
          label: label.trim(),
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
  return (
    <>
      <form onSubmit={submit} className="in-line">
        <TextInput
          label="Name"
          placeholder="Board meeting"
          required
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
        <AsyncButton type="submit" isPending={creation.isPending} disabled={label.trim() === ""}>
          Create link
        </AsyncButton>
      </form>
      {creation.error && <ErrorAlert error={creation.error} />}
      {creation.data && (
        <>
          <SecretAlert
            title={`Copy the link “${creation.data.label}” now. It will not be shown again.`}
            secret={toShareLink(view, creation.data.token)}
            copyLabel="Copy link"
          />
          <Group gap="sm">
            <CopyButton
              text={toEmbedCode(toShareLink(view, creation.data.token, "embed"))}
              label="Copy embed code"
            />
            <Text size="sm" c="dimmed">
              The code embeds the stats in a page. It works on the sites listed under Embedding in the source
              settings.
            </Text>
          </Group>
        </>
      )}
    </>
  );
}

function LinkTable({ sourceId }: { readonly sourceId: string }) {
  const { organizationId, userId } = useWorkspace();
  const names = new Map([[userId, "you"], ...useMemberNames()]);
  const query = usePagedQuery(["tokens", organizationId, sourceId], (cursor, signal) =>
    api.listTokens({ query: { organizationId, sourceId, scope: "stats", cursor }, signal }),
  );
  if (query.data?.pages[0]?.tokens.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No share links yet
      </Text>
    );
  return (
    <PagedTable label="Links" columns={["Name", "Last used", "Expires", ""]} query={query}>
      {({ tokens }) =>
        tokens.map((token) => <LinkRow key={token.tokenId} token={token} creator={names.get(token.userId)} />)
      }
    </PagedTable>
  );
}

interface LinkRowProps {
  readonly token: Token;
  /** The name of who created it. */
  readonly creator: string | undefined;
}

const LinkRow = ({ token, creator }: LinkRowProps) => (
  <tr>
    <td className="wrap">
      <Text fw={600} className="clamp" title={token.label}>
        {token.label}
      </Text>
      <Text size="sm" c="dimmed" className="clamp">
        <code title="The last characters of the link">…{token.hint}</code>
        {token.hasPassword && " · Password required"} · Created by <bdi>{creator ?? token.userId}</bdi>
      </Text>
    </td>
    <td>
      <RelativeTime at={token.lastUsedAt} missing="Never" />
    </td>
    <td>
      <ExpiryTime at={token.expiresAt} />
    </td>
    <td>
      <RevokeTokenButton token={token} what="link" />
    </td>
  </tr>
);
