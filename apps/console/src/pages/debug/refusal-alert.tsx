/** Why an attempt was refused and how to fix it, with a button for a fix that the user is permitted to make. */
import type { DebugAttempt, Source } from "@headwater/contract";
import { useMutation } from "@tanstack/react-query";
import { useInvalidateSource } from "../../queries.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { formatCount, pluralize } from "../../ui/format-count.ts";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { Alert, Group, Text } from "../../ui/primitives/elements.tsx";
import { TextWithCode } from "../../ui/text-with-code.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { shortName } from "./attempt-summary.ts";
import { makeFix, remedyFor } from "./quick-fix.ts";

interface RefusalAlertProps {
  readonly source: Source;
  readonly attempt: DebugAttempt;
}

/** Lists the faults of the request's fields or of its events, each once. */
function faultsOf({ results, issues }: DebugAttempt, isOfEvent: boolean): string[] {
  const faults = isOfEvent
    ? results.flatMap(({ name, message }) => (message ? `\`${shortName(name)}\`: ${message}` : []))
    : issues.map(({ message }) => `${message.replace(/\.$/, "")}.`);
  return [...new Set(faults)];
}

export function RefusalAlert({ source, attempt }: RefusalAlertProps) {
  const { can } = useWorkspace();
  const changed = useInvalidateSource();
  const { fix, done } = remedyFor(source, attempt);
  const fixed = useMutation({
    mutationFn: async () => fix && makeFix(source, fix),
    onSuccess: () => changed(source.sourceId),
  });
  const { code, message, hint, outcome, results, rejected } = attempt;
  if (code === null) return null;
  if (outcome === "test")
    return (
      <Alert color="gray" title="Install test">
        “Test my site” or the <code>doctor</code> command sent this request. Headwater refuses it on purpose
        and does not count it.
      </Alert>
    );
  const isOfEvent = results.some((result) => result.message === message);
  const title = isOfEvent
    ? `${rejected} of ${pluralize(results.length, "event")} rejected`
    : (message ?? code);
  const [fault = hint, ...others] = faultsOf(attempt, isOfEvent);
  return (
    <Alert
      color={done !== null ? "green" : outcome === "failed" ? "red" : "yellow"}
      title={<TextWithCode text={title} />}
      className="wrap"
    >
      {fault !== null && fault !== message && (
        <Text size="sm">
          <TextWithCode text={fault} />
          {others.length > 0 &&
            ` This request has ${formatCount(others.length)} more ${others.length === 1 ? "problem" : "problems"}.`}
        </Text>
      )}
      <Group mt="xs" gap="sm">
        {fix?.permissions.every(can) && (
          <AsyncButton
            size="xs"
            isPending={fixed.isPending}
            onPress={() => fixed.mutateAsync()}
            className="wrap-button"
          >
            {fix.label}
          </AsyncButton>
        )}
        <Text size="sm" className="mono">
          {code}
        </Text>
        <Text size="sm" role="status">
          {done !== null && `${done}. The next request like this will be accepted.`}
        </Text>
      </Group>
      {fixed.error && <ErrorAlert error={fixed.error} />}
    </Alert>
  );
}
