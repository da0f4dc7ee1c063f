/** The form that asks for the name of a segment, a funnel or an annotation, and who can see it. */
import { LIMITS } from "@headwater/contract/limits";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { AsyncButton } from "../../../ui/async-button.tsx";
import { ErrorAlert } from "../../../ui/page-states.tsx";
import { Group, Stack } from "../../../ui/primitives/elements.tsx";
import { Switch, TextInput } from "../../../ui/primitives/fields.tsx";
import { useSubmit } from "../../../ui/use-submit.ts";

export interface SaveItemFormProps {
  /** The label of the name. */
  readonly label: string;
  readonly canShare: boolean;
  /** Runs when it was saved. */
  readonly onClose: () => void;
  /** The form shows the error when it rejects. */
  readonly onSave: (name: string, isShared: boolean) => Promise<unknown>;
  readonly children?: ReactNode;
}

export function SaveItemForm({ label, canShare, onSave, onClose, children }: SaveItemFormProps) {
  const [name, setName] = useState("");
  const [isShared, setShared] = useState(canShare);
  const saving = useMutation({ mutationFn: () => onSave(name.trim(), isShared), onSuccess: onClose });
  const submit = useSubmit(() => saving.mutateAsync());
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={label}
          data-autofocus
          required
          pattern=".*\S.*"
          maxLength={LIMITS.maxNameLength}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {children}
        {canShare && (
          <Switch
            label="Share with the workspace"
            description="If off, only you can see it."
            checked={isShared}
            onChange={(event) => setShared(event.currentTarget.checked)}
          />
        )}
        {saving.error && <ErrorAlert error={saving.error} withIssues />}
        <Group justify="flex-end">
          <AsyncButton type="submit" isPending={saving.isPending}>
            Save
          </AsyncButton>
        </Group>
      </Stack>
    </form>
  );
}
