/** What is held of one visitor goes; its receipt stands in the address, so that it can be come back to. */
import type { Erasure, Source, VisitorKind } from "@headwater/contract";
import { Alert, Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { callApi } from "../../api.ts";
import { isRetryable } from "../../queries.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { QueryResult } from "../../ui/page-states.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { useIsMounted } from "../../ui/use-is-mounted.ts";
import { useSubmit } from "../../ui/use-submit.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { FormSection } from "./form-section.tsx";

const KINDS = [
  { value: "anonymousId", label: "Visitor (anonymousId)" },
  { value: "userId", label: "User (userId)" },
] as const satisfies readonly { value: VisitorKind; label: string }[];

const POLL_MS = 2_000;
const WORKS_AT: Record<Erasure["status"], string> = {
  ledger: "Erasing what has not been shipped, with sessions and debug snapshots …",
  shipping: "Waiting for what was on its way to the warehouse …",
  warehouse: "Erasing in the warehouse …",
  done: "Erased",
};

export function EraseVisitorForm({ source: { sourceId, name } }: { readonly source: Source }) {
  const { organizationId } = useWorkspace();
  const { receipt } = useSearch({ strict: false }) as { receipt?: string };
  const navigate = useNavigate();
  const isMounted = useIsMounted();
  const [kind, setKind] = useState<VisitorKind>("anonymousId");
  const [id, setId] = useState("");
  const [isAsked, setAsked] = useState(false);
  const erase = async () => {
    const body = { organizationId, sourceId, [kind]: id.trim() };
    const { receiptId } = await callApi("eraseVisitor", { body });
    if (!isMounted()) return;
    setId("");
    await navigate({ to: "/sources/data", search: { sourceId, receipt: receiptId }, resetScroll: false });
  };
  const isGiven = id.trim() !== "";
  return (
    <FormSection
      title="Erase a visitor"
      text="Every event of this source that carries the id, with its sessions and debug snapshots. It cannot be taken back."
      onSubmit={useSubmit(() => setAsked(true), isGiven)}
    >
      <Group align="flex-end" gap="sm">
        <NativeSelect
          label="Known by"
          data={[...KINDS]}
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value as VisitorKind)}
        />
        <TextInput
          label="Id"
          required
          maxLength={200}
          spellCheck={false}
          flex="1 1 14rem"
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
        />
        <AsyncButton type="submit" color="red" variant="light" disabled={!isGiven}>
          Erase …
        </AsyncButton>
      </Group>
      {receipt !== undefined && <ErasureReceipt key={receipt} receiptId={receipt} />}
      <ConfirmDialog
        title="Erase this visitor?"
        confirmLabel="Erase"
        opened={isAsked}
        onClose={() => setAsked(false)}
        onConfirm={erase}
      >
        <Text className="wrap">
          What “<bdi>{name}</bdi>” has received with the {kind} “{id.trim()}” is gone for good.
        </Text>
      </ConfirmDialog>
    </FormSection>
  );
}

function ErasureReceipt({ receiptId }: { readonly receiptId: string }) {
  const { organizationId } = useWorkspace();
  const query = useQuery({
    queryKey: ["erasure", organizationId, receiptId],
    queryFn: ({ signal }) =>
      callApi("getErasure", { params: { receiptId }, query: { organizationId }, signal }),
    refetchInterval: ({ state: { data, error } }) => {
      if (error) return isRetryable(error) ? POLL_MS : false;
      return data?.status === "done" ? false : POLL_MS;
    },
  });
  return (
    <QueryResult query={query} rows={1}>
      {({ status, requestedAt, finishedAt }) => (
        <Alert color={status === "done" ? "green" : "gray"} title={WORKS_AT[status]} role="status">
          <Text size="sm" className="wrap">
            Asked for <RelativeTime at={requestedAt} />
            {finishedAt !== null && (
              <>
                , done <RelativeTime at={finishedAt} />
              </>
            )}
            . Receipt <code>{receiptId}</code>: this address shows it again, for 90 days.
          </Text>
        </Alert>
      )}
    </QueryResult>
  );
}
