/** What was refused, why, what to do; and the button that does it, where one can and this user may. */
import type { Attempt, Source } from "@headwater/contract";
import { Alert, Group, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useSourceChanged } from "../../queries.ts";
import { Prose } from "../../ui/prose.tsx";
import { Failure } from "../../ui/states.tsx";
import { WorkButton } from "../../ui/work-button.tsx";
import { useWorkspace } from "../../workspace.tsx";
import { mendOf } from "./mend.ts";

interface HintProps {
  readonly source: Source;
  readonly attempt: Attempt;
}

export function Hint({ source, attempt }: HintProps) {
  const { can } = useWorkspace();
  const changed = useSourceChanged();
  const mend = mendOf(source, attempt);
  const mended = useMutation({
    mutationFn: () => mend!.run(),
    onSuccess: () => changed(source.sourceId),
  });
  const { code, message, hint, outcome } = attempt;
  if (code === null) return null;
  return (
    <Alert
      color={outcome === "failed" ? "red" : "yellow"}
      title={<Prose text={message ?? code} />}
      className="wrap"
    >
      {hint !== null && hint !== message && (
        <Text size="sm">
          <Prose text={hint} />
        </Text>
      )}
      <Group mt="xs" gap="sm">
        {mend?.permissions.every(can) && (
          <WorkButton
            size="xs"
            isWorking={mended.isPending}
            onPress={() => mended.mutateAsync()}
            className="wrap-button"
          >
            {mend.label}
          </WorkButton>
        )}
        {mended.isSuccess && (
          <Text size="sm" role="status">
            Done: the next request that is like this one is let in.
          </Text>
        )}
        <Text size="xs" ff="monospace">
          {code}
        </Text>
      </Group>
      {mended.error && <Failure error={mended.error} />}
    </Alert>
  );
}
