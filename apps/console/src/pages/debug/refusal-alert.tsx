/** What was refused, why, what to do; and the button that does it, where one can and this user may. */
import type { Attempt, Source } from "@headwater/contract";
import { Alert, Group, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useInvalidateSource } from "../../queries.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { TextWithCode } from "../../ui/text-with-code.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { quickFixFor } from "./quick-fix.ts";

interface RefusalAlertProps {
  readonly source: Source;
  readonly attempt: Attempt;
}

export function RefusalAlert({ source, attempt }: RefusalAlertProps) {
  const { can } = useWorkspace();
  const changed = useInvalidateSource();
  const mend = quickFixFor(source, attempt);
  const mended = useMutation({
    mutationFn: () => mend!.run(),
    onSuccess: () => changed(source.sourceId),
  });
  const { code, message, hint, outcome } = attempt;
  if (code === null) return null;
  return (
    <Alert
      color={outcome === "failed" ? "red" : "yellow"}
      title={<TextWithCode text={message ?? code} />}
      className="wrap"
    >
      {hint !== null && hint !== message && (
        <Text size="sm">
          <TextWithCode text={hint} />
        </Text>
      )}
      <Group mt="xs" gap="sm">
        {mend?.permissions.every(can) && (
          <AsyncButton
            size="xs"
            isPending={mended.isPending}
            onPress={() => mended.mutateAsync()}
            className="wrap-button"
          >
            {mend.label}
          </AsyncButton>
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
      {mended.error && <ErrorAlert error={mended.error} />}
    </Alert>
  );
}
