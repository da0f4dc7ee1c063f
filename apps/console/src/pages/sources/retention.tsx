/** How long a source's events are kept. What is deleted does not come back, so fewer days are asked about. */
import type { Source } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { Group, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, call } from "../../api.ts";
import { useSourceChanged } from "../../queries.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { count, plural } from "../../ui/count.ts";
import { Failure } from "../../ui/states.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { WorkButton } from "../../ui/work-button.tsx";
import { FormSection } from "./section.tsx";

const daysOf = (text: string) => (text.trim() === "" ? null : Number(text));

export function RetentionSection({ source }: { readonly source: Source }) {
  const { sourceId, organizationId, retentionDays: kept } = source;
  const [typed, setTyped] = useState<string | null>(null);
  const [isAsked, setAsked] = useState(false);
  const changed = useSourceChanged();
  const text = typed ?? String(kept ?? "");
  const retentionDays = daysOf(text);
  const save = async () => {
    await call("updateSource", { params: { sourceId }, body: { organizationId, retentionDays } });
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
      {failure && <Failure error={failure} />}
      <Group align="flex-end" gap="sm">
        <TextInput
          type="number"
          label="Days"
          description={`Empty: for ever; at most ${count(LIMITS.retentionDaysMost)}`}
          min={1}
          max={LIMITS.retentionDaysMost}
          step={1}
          value={text}
          error={failure?.issueAt("retentionDays")}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <WorkButton type="submit" variant="default" isWorking={saved.isPending} disabled={!isUnsaved}>
          Save the days
        </WorkButton>
      </Group>
      <Confirm
        title="Delete older events?"
        confirmLabel={`Keep ${plural(retentionDays ?? 0, "day")}`}
        opened={isAsked}
        onClose={() => setAsked(false)}
        onConfirm={save}
      >
        <Text>
          Events that happened more than {plural(retentionDays ?? 0, "day")} ago are deleted from now on, and
          others as they grow older. They do not come back.
        </Text>
      </Confirm>
    </FormSection>
  );
}
