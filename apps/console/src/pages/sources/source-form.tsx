/** A change of a source, and the forms that make one. */
import type { Source, UpdateSourceBody } from "@headwater/contract";
import { Group, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, callApi } from "../../api.ts";
import { useInvalidateSource } from "../../queries.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { useSubmit } from "../../ui/use-submit.ts";

type Patch = Omit<UpdateSourceBody, "organizationId">;

export function useSourceUpdate({ sourceId, organizationId }: Source) {
  const changed = useInvalidateSource();
  return useMutation({
    mutationFn: (patch: Patch) =>
      callApi("updateSource", { params: { sourceId }, body: { organizationId, ...patch } }),
    onSuccess: () => changed(sourceId),
  });
}

type SourceUpdate = ReturnType<typeof useSourceUpdate>;

interface SourceFormOptions<Fields> {
  readonly source: Source;
  /** The fields as the source has them. */
  readonly kept: Fields;
  /** What was typed as it is to be sent, without empty lines: the service's issues are by its places. */
  readonly tidy: (typed: Partial<Fields>) => Partial<Fields>;
  readonly patchOf: (changes: Partial<Fields>) => Patch;
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** @returns the fields of `all` that pass */
const those = <Fields extends object>(
  all: Partial<Fields>,
  passes: (name: keyof Fields, value: unknown) => boolean,
) =>
  Object.fromEntries(
    Object.entries(all).filter(([name, value]) => passes(name as keyof Fields, value)),
  ) as Partial<Fields>;

/**
 * A form over some of a source's fields. One that nobody has touched shows what the source is by now, and is not
 * sent: so no form takes back what another one, or another tab, has saved, nor loses what is typed when they do.
 */
export function useSourceForm<Fields extends object>(options: SourceFormOptions<Fields>) {
  const { source, kept, tidy, patchOf } = options;
  const saved = useSourceUpdate(source);
  const [typed, setTyped] = useState<Partial<Fields>>({});
  const put = (changes: Partial<Fields>) => {
    // "Saved" is of what was there before
    if (saved.isSuccess) saved.reset();
    setTyped((before) => ({ ...before, ...changes }));
  };
  const changed = (fields: Partial<Fields>) =>
    those<Fields>(fields, (name, value) => !isSame(value, kept[name]));
  const isUnsaved = Object.keys(changed(tidy(typed))).length > 0;
  const submit = useSubmit(async () => {
    const sent = tidy(typed);
    setTyped(sent);
    await saved.mutateAsync(patchOf(changed(sent)));
    // what was typed since stays
    setTyped((now) => those<Fields>(now, (name, value) => value !== sent[name]));
  }, isUnsaved);
  const failure = saved.error instanceof ApiError ? saved.error : null;
  return { fields: { ...kept, ...typed }, put, submit, saved, failure };
}

interface SaveRowProps {
  readonly saved: SourceUpdate;
  readonly label: string;
  readonly variant?: "default";
  readonly disabled?: boolean;
}

/** The end of such a form. */
export const SaveRow = ({ saved, label, variant, disabled = false }: SaveRowProps) => (
  <Group justify="flex-end">
    {saved.isSuccess && (
      <Text size="sm" role="status">
        Saved
      </Text>
    )}
    <AsyncButton type="submit" {...(variant && { variant })} isPending={saved.isPending} disabled={disabled}>
      {label}
    </AsyncButton>
  </Group>
);
