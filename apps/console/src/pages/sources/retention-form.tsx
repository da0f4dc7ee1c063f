/** How long a source's events are kept. What is deleted does not come back, so fewer days are asked about. */
import type { Source } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { Group, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, callApi } from "../../api.ts";
import { useInvalidateSource } from "../../queries.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { formatCount, pluralize } from "../../ui/format-count.ts";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { FormSection } from "./form-section.tsx";

const daysOf = (text: string) => (text.trim() === "" ? null : Number(text));

export function RetentionForm({ source }: { readonly source: Source }) {
  const { sourceId, organizationId, retentionDays: kept } = source;
  const [typed, setTyped] = useState<string | null>(null);
  const [isAsked, setAsked] = useState(false);
  const changed = useInvalidateSource();
  const text = typed ?? String(kept ?? "");
  const retentionDays = daysOf(text);
  const save = async () => {
    await callApi("updateSource", { params: { sourceId }, body: { organizationId, retentionDays } });
    await changed(sourceId);
    // what was typed since stays
    setTyped((now) => (now === typed ? null : now));
  };
  const saved = useMutation({ mutationFn: save });
  const deletes = retentionDays !== null && (kept === null || retentionDays < kept);
  const isUnsaved = retentionDays !== kept;
  const submit = useSubmit(() => (deletes ? setAsked(true) : saved.mutateAsync()), isUnsaved);
  const failure = saved.error instanceof ApiError ? saved.error : null;
  return (
    <FormSection
      title="How long events are kept"
      text="Older ones are deleted from the warehouse. Usage counts and the audit log stay."
      onSubmit={submit}
    >
      {failure && <ErrorAlert error={failure} />}
      <Group align="flex-end" gap="sm">
        <TextInput
          type="number"
          label="Days"
          description={`Empty: for ever; at most ${formatCount(LIMITS.maxRetentionDays)}`}
          min={1}
          max={LIMITS.maxRetentionDays}
          step={1}
          value={text}
          error={failure?.issueAt("retentionDays")}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <AsyncButton type="submit" variant="default" isPending={saved.isPending} disabled={!isUnsaved}>
          Save the days
        </AsyncButton>
      </Group>
      <ConfirmDialog
        title="Delete older events?"
        confirmLabel={`Keep ${pluralize(retentionDays ?? 0, "day")}`}
        opened={isAsked}
        onClose={() => setAsked(false)}
        onConfirm={save}
      >
        <Text>
          Events that happened more than {pluralize(retentionDays ?? 0, "day")} ago are deleted from now on,
          and others as they grow older. They do not come back.
        </Text>
      </ConfirmDialog>
    </FormSection>
  );
}
