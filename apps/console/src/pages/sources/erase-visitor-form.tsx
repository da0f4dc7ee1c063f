/** The form that erases a visitor's data. The receipt is kept in the URL, so that its status can be looked up later. */
import type { Erasure, Source, VisitorKind } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api.ts";
import { isRetryable } from "../../queries.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { QueryResult } from "../../ui/page-states.tsx";
import { Alert, Group, Text } from "../../ui/primitives/elements.tsx";
import { NativeSelect, TextInput } from "../../ui/primitives/fields.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { useIsMounted } from "../../ui/use-is-mounted.ts";
import { useSubmit } from "../../ui/use-submit.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { FormSection } from "./form-section.tsx";

const ID_TYPES = [
  { value: "anonymousId", label: "Visitor ID" },
  { value: "userId", label: "User ID" },
] as const satisfies readonly { value: VisitorKind; label: string }[];

const POLL_MS = 2_000;
const STATUS_TITLES: Record<Erasure["status"], string> = {
  ledger: "Erasing sessions, debug history, and events not yet in the warehouse…",
  shipping: "Waiting for events that are being sent to the warehouse…",
  warehouse: "Erasing events in the warehouse…",
  done: "Erased",
};

export function EraseVisitorForm({ source: { sourceId, name } }: { readonly source: Source }) {
  const { organizationId } = useWorkspace();
  const { receipt } = useSearch({ strict: false }) as { receipt?: string };
  const navigate = useNavigate();
  const isMounted = useIsMounted();
  const [kind, setKind] = useState<VisitorKind>("anonymousId");
  const [id, setId] = useState("");
  const [isDialogOpen, setDialogOpen] = useState(false);
  const erase = async () => {
    const body = { organizationId, sourceId, [kind]: id.trim() };
    const { receiptId } = await api.eraseVisitor({ body });
    if (!isMounted()) return;
    setId("");
    await navigate({ to: ".", search: { sourceId, receipt: receiptId }, hash: true, resetScroll: false });
  };
  return (
    <FormSection
      isDangerous
      title="Erase visitor"
      text="Deletes all events, sessions and debug history of one visitor from this source. This cannot be undone."
      onSubmit={useSubmit(() => setDialogOpen(true), id.trim() !== "")}
    >
      <Group align="flex-end" gap="sm">
        <NativeSelect
          label="ID type"
          data={[...ID_TYPES]}
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value as VisitorKind)}
        />
        <TextInput
          label="ID"
          required
          maxLength={200}
          spellCheck={false}
          flex="1 1 14rem"
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
        />
        <AsyncButton type="submit" color="red">
          Erase
        </AsyncButton>
      </Group>
      {receipt !== undefined && <ErasureReceipt key={receipt} receiptId={receipt} />}
      <ConfirmDialog
        title={kind === "userId" ? "Erase this user?" : "Erase this visitor?"}
        confirmLabel={kind === "userId" ? "Erase user" : "Erase visitor"}
        opened={isDialogOpen}
        onClose={() => setDialogOpen(false)}
        onConfirm={erase}
      >
        <Text className="wrap">
          All data with the {kind === "userId" ? "user ID" : "visitor ID"} “{id.trim()}” will be permanently
          deleted from “<bdi>{name}</bdi>”.
        </Text>
      </ConfirmDialog>
    </FormSection>
  );
}

function ErasureReceipt({ receiptId }: { readonly receiptId: string }) {
  const { organizationId } = useWorkspace();
  const query = useQuery({
    queryKey: ["erasure", organizationId, receiptId],
    queryFn: ({ signal }) => api.getErasure({ params: { receiptId }, query: { organizationId }, signal }),
    refetchInterval: ({ state: { data, error } }) => {
      if (error) return isRetryable(error) ? POLL_MS : false;
      return data?.status === "done" ? false : POLL_MS;
    },
  });
  return (
    <QueryResult query={query} rows={1}>
      {({ status, requestedAt, finishedAt }) => (
        <Alert color={status === "done" ? "green" : "gray"} title={STATUS_TITLES[status]} role="status">
          <Text size="sm" className="wrap">
            Requested <RelativeTime at={requestedAt} />
            {finishedAt !== null && (
              <>
                , finished <RelativeTime at={finishedAt} />
              </>
            )}
            . Receipt: <code>{receiptId}</code>. To check the status again, open this page’s URL within 90
            days.
          </Text>
        </Alert>
      )}
    </QueryResult>
  );
}
