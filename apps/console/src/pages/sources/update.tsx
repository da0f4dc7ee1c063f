/** A change of a source, and the end of its form. */
import type { Source, UpdateSourceBody } from "@headwater/contract";
import { Button, Group, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { call } from "../../api.ts";
import { useSourceChanged } from "../../queries.ts";

/** For whoever stays when the form begins anew with what the source is now, so that it still says what became of it. */
export function useSourceUpdate({ sourceId, organizationId }: Source) {
  const changed = useSourceChanged();
  return useMutation({
    mutationFn: (patch: Omit<UpdateSourceBody, "organizationId">) =>
      call("updateSource", { params: { sourceId }, body: { organizationId, ...patch } }),
    onSuccess: () => changed(sourceId),
  });
}

export type SourceUpdate = ReturnType<typeof useSourceUpdate>;

/** "Saved" is taken back with the next key that is pressed. */
export const takeBack = (saved: SourceUpdate) => () => {
  if (!saved.isPending) saved.reset();
};

interface SaveProps {
  readonly saved: SourceUpdate;
  readonly label: string;
  readonly variant?: "default";
  readonly disabled?: boolean;
}

export const Save = ({ saved, label, variant, disabled }: SaveProps) => (
  <Group justify="flex-end">
    {saved.isSuccess && (
      <Text size="sm" role="status">
        Saved
      </Text>
    )}
    <Button
      type="submit"
      {...(variant && { variant })}
      loading={saved.isPending}
      disabled={disabled === true}
    >
      {label}
    </Button>
  </Group>
);
