/** The forms that update a source share this: the request and the state of the fields. */
import type { Source, UpdateSourceBody } from "@headwater/contract";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ApiFailure, api } from "../../api.ts";
import { useInvalidateSource } from "../../queries.ts";
import { useSubmit } from "../../ui/use-submit.ts";

type SourcePatch = Omit<UpdateSourceBody, "organizationId">;

export function useSourceUpdate({ sourceId, organizationId }: Source) {
  const invalidateSource = useInvalidateSource();
  return useMutation({
    mutationFn: (patch: SourcePatch) =>
      api.updateSource({ params: { sourceId }, body: { organizationId, ...patch } }),
    onSuccess: () => invalidateSource(sourceId),
  });
}

interface SourceFormOptions<Fields> {
  readonly source: Source;
  /** The current values of the source. */
  readonly stored: Fields;
  /** Trims input and removes empty lines before it is sent. The API's issues refer to the indexes of the result. */
  readonly normalize: (edited: Partial<Fields>) => Partial<Fields>;
  readonly toPatch: (changes: Partial<Fields>) => SourcePatch;
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const pickFields = <Fields extends object>(
  all: Partial<Fields>,
  passes: (name: keyof Fields, value: unknown) => boolean,
) =>
  Object.fromEntries(
    Object.entries(all).filter(([name, value]) => passes(name as keyof Fields, value)),
  ) as Partial<Fields>;

/**
 * The state of a form for some of a source's fields. Only edited fields are kept and sent. Unedited fields always show
 * the source's current values, so a form neither reverts what another form or tab has saved nor loses its own input.
 */
export function useSourceForm<Fields extends object>(options: SourceFormOptions<Fields>) {
  const { source, stored, normalize, toPatch } = options;
  const saved = useSourceUpdate(source);
  const [edited, setEdited] = useState<Partial<Fields>>({});
  const setFields = (changes: Partial<Fields>) => {
    // removes the "Saved" message, which was about the previous input
    if (saved.isSuccess) saved.reset();
    setEdited((current) => ({ ...current, ...changes }));
  };
  const changesOf = (fields: Partial<Fields>) =>
    pickFields<Fields>(fields, (name, value) => !isSame(value, stored[name]));
  const isUnsaved = Object.keys(changesOf(normalize(edited))).length > 0;
  const submit = useSubmit(async () => {
    const sent = normalize(edited);
    setEdited(sent);
    await saved.mutateAsync(toPatch(changesOf(sent)));
    // keeps what was typed during the request
    setEdited((current) => pickFields<Fields>(current, (name, value) => value !== sent[name]));
  }, isUnsaved);
  const failure = saved.error instanceof ApiFailure ? saved.error : null;
  return { fields: { ...stored, ...edited }, setFields, submit, saved, failure, isUnsaved };
}

export type SourceForm<Fields extends object> = ReturnType<typeof useSourceForm<Fields>>;
