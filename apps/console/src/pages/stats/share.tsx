/** Links that show the numbers of this source to somebody who is no member: made here, shown once, revoked here. */
import type { Token } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { Paper, Stack, Table, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, call } from "../../api.ts";
import { Expiry, expiresAt } from "../../ui/expiry.tsx";
import { Head } from "../../ui/head.tsx";
import { PagedTable, usePages } from "../../ui/paged.tsx";
import { Revoke } from "../../ui/revoke.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { Failure } from "../../ui/states.tsx";
import { Ago, Until } from "../../ui/time.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { WorkButton } from "../../ui/work-button.tsx";
import { useWorkspace } from "../../workspace.tsx";
import type { View } from "./view.ts";

/** What is shown now, to whoever has the token: it stands in the fragment, which browsers send nowhere. */
function linkTo({ search }: View, token: string): string {
  const url = new URL("shared", document.baseURI);
  for (const [name, value] of Object.entries(search)) if (value) url.searchParams.set(name, value);
  url.hash = `token=${token}`;
  return url.href;
}

export const Share = ({ view }: { readonly view: View }) => (
  <Paper withBorder p="md" component="section" aria-label="Share">
    <Stack>
      <Head title="Share">
        Whoever has such a link sees the numbers of this source, in this view and others, and nothing else. It
        stops when it is revoked, and when whoever made it leaves the workspace.
      </Head>
      <MakeLink view={view} />
      <Links sourceId={view.asked.sourceId} />
    </Stack>
  </Paper>
);

function MakeLink({ view }: { readonly view: View }) {
  const { organizationId } = useWorkspace();
  const client = useQueryClient();
  const [label, setLabel] = useState("");
  const [days, setDays] = useState("90");
  const made = useMutation({
    mutationFn: () =>
      call("createToken", {
        body: {
          organizationId,
          label: label.trim(),
          sourceId: view.asked.sourceId,
          expiresAt: expiresAt(days),
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
          maxLength={LIMITS.nameLength}
          value={label}
          error={failure?.issueAt("label")}
          onChange={(event) => setLabel(event.currentTarget.value)}
        />
        <Expiry days={days} onChange={setDays} />
        <WorkButton type="submit" isWorking={made.isPending} disabled={label.trim() === ""}>
          Make a link
        </WorkButton>
      </form>
      {made.error && <Failure error={made.error} />}
      {made.data && (
        <ShownOnce
          title={`The link for “${made.data.label}” is shown this once`}
          secret={linkTo(view, made.data.token)}
          copyLabel="Copy the link"
        />
      )}
    </>
  );
}

function Links({ sourceId }: { readonly sourceId: string }) {
  const { organizationId } = useWorkspace();
  const pages = usePages(["tokens", organizationId, sourceId], (place, signal) =>
    call("listTokens", { query: { organizationId, sourceId, ...place }, signal }),
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
      <Ago at={token.lastUsedAt} />
    </Table.Td>
    <Table.Td>
      <Until at={token.expiresAt} />
    </Table.Td>
    <Table.Td>
      <Revoke token={token} what="link" />
    </Table.Td>
  </Table.Tr>
);
