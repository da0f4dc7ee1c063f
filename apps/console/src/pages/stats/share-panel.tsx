/** Links that show the numbers of this source to somebody who is no member: made here, shown once, revoked here. */
import type { Token } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { Paper, Stack, Table, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, callApi } from "../../api.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ExpirySelect, toExpiresAt } from "../../ui/expiry-select.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { PagedTable, usePagedQuery } from "../../ui/paged-table.tsx";
import { ExactTime, RelativeTime } from "../../ui/relative-time.tsx";
import { RevokeTokenButton } from "../../ui/revoke-token-button.tsx";
import { SecretAlert } from "../../ui/secret-alert.tsx";
import { SectionHeader } from "../../ui/section-header.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import type { StatsView } from "./use-stats-view.ts";

/** What is shown now, to whoever has the token: it stands in the fragment, which browsers send nowhere. */
function linkTo({ search }: StatsView, token: string): string {
  const url = new URL("shared", document.baseURI);
  for (const [name, value] of Object.entries(search)) if (value) url.searchParams.set(name, value);
  url.hash = `token=${token}`;
  return url.href;
}

export const SharePanel = ({ view }: { readonly view: StatsView }) => (
  <Paper withBorder p="md" component="section" aria-label="Share">
    <Stack>
      <SectionHeader title="Share">
        Whoever has such a link sees the numbers of this source, in this view and others, and nothing else. It
        stops when it is revoked, and when whoever made it leaves the workspace.
      </SectionHeader>
      <CreateLinkForm view={view} />
      <LinkTable sourceId={view.asked.sourceId} />
    </Stack>
  </Paper>
);

function CreateLinkForm({ view }: { readonly view: StatsView }) {
  const { organizationId } = useWorkspace();
  const client = useQueryClient();
  const [label, setLabel] = useState("");
  const [days, setDays] = useState("90");
  const made = useMutation({
    mutationFn: () =>
      callApi("createToken", {
        body: {
          organizationId,
          label: label.trim(),
          sourceId: view.asked.sourceId,
          expiresAt: toExpiresAt(days),
        },
      }),
    onSuccess: async () => {
      setLabel("");
      await client.invalidateQueries({ queryKey: ["tokens"] });
    },
  });
  const failure = made.error instanceof ApiError ? made.error : null;
  const submit = useSubmit(() => made.mutateAsync(), label.trim() !== "");
  return (
    <>
      <form onSubmit={submit} className="in-line">
        <TextInput
          label="For whom"
          placeholder="Board meeting"
          required
          maxLength={LIMITS.maxNameLength}
          value={label}
          error={failure?.issueAt("label")}
          onChange={(event) => setLabel(event.currentTarget.value)}
        />
        <ExpirySelect days={days} onChange={setDays} />
        <AsyncButton type="submit" isPending={made.isPending} disabled={label.trim() === ""}>
          Make a link
        </AsyncButton>
      </form>
      {made.error && <ErrorAlert error={made.error} />}
      {made.data && (
        <SecretAlert
          title={`The link for “${made.data.label}” is shown this once`}
          secret={linkTo(view, made.data.token)}
          copyLabel="Copy the link"
        />
      )}
    </>
  );
}

function LinkTable({ sourceId }: { readonly sourceId: string }) {
  const { organizationId } = useWorkspace();
  const pages = usePagedQuery(["tokens", organizationId, sourceId], (place, signal) =>
    callApi("listTokens", { query: { organizationId, sourceId, ...place }, signal }),
  );
  if (pages.data?.pages[0]?.tokens.length === 0)
    return (
      <Text size="sm" c="dimmed">
        There is no link to these numbers yet.
      </Text>
    );
  return (
    <PagedTable label="Links" columns={["For whom", "Last used", "Expires", ""]} pages={pages}>
      {({ tokens }) => tokens.map((token) => <LinkRow key={token.tokenId} token={token} />)}
    </PagedTable>
  );
}

const LinkRow = ({ token }: { readonly token: Token }) => (
  <Table.Tr>
    <Table.Td className="wrap">
      <Text fw={600} className="wrap">
        {token.label}
      </Text>
      <Text size="sm" c="dimmed" className="wrap">
        ends in {token.hint}, by {token.userId}
      </Text>
    </Table.Td>
    <Table.Td>
      <RelativeTime at={token.lastUsedAt} />
    </Table.Td>
    <Table.Td>
      <ExactTime at={token.expiresAt} />
    </Table.Td>
    <Table.Td>
      <RevokeTokenButton token={token} what="link" />
    </Table.Td>
  </Table.Tr>
);
