/** What is held of one visitor goes; its receipt stands in the address, so that it can be come back to. */
import type { Erasure, Source, VisitorKind } from "@headwater/contract";
import { Alert, Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../../api.ts";
import { mayHelp } from "../../queries.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Answered } from "../../ui/states.tsx";
import { Ago } from "../../ui/time.tsx";
import { useIsHere } from "../../ui/use-is-here.ts";
import { useSubmit } from "../../ui/use-submit.ts";
import { WorkButton } from "../../ui/work-button.tsx";
import { useWorkspace } from "../../workspace.tsx";
import { FormSection } from "./section.tsx";

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

export function Erase({ source: { sourceId, name } }: { readonly source: Source }) {
  const { organizationId } = useWorkspace();
  const { receipt } = useSearch({ strict: false }) as { receipt?: string };
  const navigate = useNavigate();
  const isHere = useIsHere();
  const [kind, setKind] = useState<VisitorKind>("anonymousId");
  const [id, setId] = useState("");
  const [isAsked, setAsked] = useState(false);
  const erase = async () => {
    const body = { organizationId, sourceId, [kind]: id.trim() };
    const { receiptId } = await call("eraseVisitor", { body });
    if (!isHere()) return;
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
        <WorkButton type="submit" color="red" variant="light" disabled={!isGiven}>
          Erase …
        </WorkButton>
      </Group>
      {receipt !== undefined && <Receipt key={receipt} receiptId={receipt} />}
      <Confirm
        title="Erase this visitor?"
        confirmLabel="Erase"
        opened={isAsked}
        onClose={() => setAsked(false)}
        onConfirm={erase}
      >
        <Text className="wrap">
          What “<bdi>{name}</bdi>” has received with the {kind} “{id.trim()}” is gone for good.
        </Text>
      </Confirm>
    </FormSection>
  );
}

function Receipt({ receiptId }: { readonly receiptId: string }) {
  const { organizationId } = useWorkspace();
  const query = useQuery({
    queryKey: ["erasure", organizationId, receiptId],
    queryFn: ({ signal }) => call("getErasure", { params: { receiptId }, query: { organizationId }, signal }),
    refetchInterval: ({ state: { data, error } }) => {
      if (error) return mayHelp(error) ? POLL_MS : false;
      return data?.status === "done" ? false : POLL_MS;
    },
  });
  return (
    <Answered query={query} rows={1}>
      {({ status, requestedAt, finishedAt }) => (
        <Alert color={status === "done" ? "green" : "gray"} title={WORKS_AT[status]} role="status">
          <Text size="sm" className="wrap">
            Asked for <Ago at={requestedAt} />
            {finishedAt !== null && (
              <>
                , done <Ago at={finishedAt} />
              </>
            )}
            . Receipt <code>{receiptId}</code>: this address shows it again, for 90 days.
          </Text>
        </Alert>
      )}
    </Answered>
  );
}
