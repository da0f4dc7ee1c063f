/** The form for a source's retention. A shorter retention deletes events, so it asks for confirmation. */
import type { Source } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ApiFailure, api } from "../../api.ts";
import { useInvalidateSource } from "../../queries.ts";
import { SaveRow } from "../../save-row.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { formatCount, pluralize } from "../../ui/format-count.ts";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { FormSection } from "./form-section.tsx";
import { useServiceSettings } from "./service-settings.ts";

const toDays = (text: string) => (text.trim() === "" ? null : Number(text));

export function RetentionForm({ source }: { readonly source: Source }) {
  const { sourceId, organizationId, retentionDays: stored } = source;
  const [edited, setEdited] = useState<string | null>(null);
  const [isDialogOpen, setDialogOpen] = useState(false);
  const invalidateSource = useInvalidateSource();
  const serviceDays = useServiceSettings().RETENTION_DAYS;
  const text = edited ?? String(stored ?? "");
  const retentionDays = toDays(text);
  const save = async () => {
    await api.updateSource({ params: { sourceId }, body: { organizationId, retentionDays } });
    await invalidateSource(sourceId);
    // keeps what was typed during the request
    setEdited((current) => (current === edited ? null : current));
  };
  const saved = useMutation({ mutationFn: save });
  const deletesEvents = retentionDays !== null && (stored === null || retentionDays < stored);
  const isUnsaved = retentionDays !== stored;
  const submit = useSubmit(() => (deletesEvents ? setDialogOpen(true) : saved.mutateAsync()), isUnsaved);
  const failure = saved.error instanceof ApiFailure ? saved.error : null;
  return (
    <FormSection
      title="Data retention"
      text="Events older than this many days are deleted from the warehouse. Usage counts and the audit log are not affected."
      onSubmit={submit}
    >
      {failure && <ErrorAlert error={failure} />}
      <TextInput
        type="number"
        label="Days"
        description={
          <>
            Up to {formatCount(LIMITS.maxRetentionDays)}. Leave empty to keep events forever. Without a
            warehouse, the service’s <code>RETENTION_DAYS</code>
            {serviceDays && ` (${serviceDays})`} applies instead.
          </>
        }
        classNames={{ wrapper: "narrow-field" }}
        min={1}
        max={LIMITS.maxRetentionDays}
        step={1}
        value={text}
        error={failure?.issueAt("retentionDays")}
        onChange={(event) => {
          if (saved.isSuccess) saved.reset();
          setEdited(event.currentTarget.value);
        }}
      />
      <SaveRow saved={saved} what="data retention" isUnsaved={isUnsaved} />
      <ConfirmDialog
        title="Delete older events?"
        confirmLabel="Delete older events"
        opened={isDialogOpen}
        onClose={() => setDialogOpen(false)}
        onConfirm={save}
      >
        <Text>
          Events older than {pluralize(retentionDays ?? 0, "day")} will be permanently deleted, now and as
          they reach that age.
        </Text>
      </ConfirmDialog>
    </FormSection>
  );
}
