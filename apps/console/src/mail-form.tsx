/** A form that sends a mail with a link to the address that is entered. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ApiFailure } from "./api.ts";
import { AsyncButton } from "./ui/async-button.tsx";
import { ErrorAlert } from "./ui/page-states.tsx";
import { Alert, Group, Stack } from "./ui/primitives/elements.tsx";
import { TextInput } from "./ui/primitives/fields.tsx";
import { useSubmit } from "./ui/use-submit.ts";

interface MailFormProps {
  readonly label: string;
  readonly submitLabel: string;
  /** The next step, shown once the mail is sent. */
  readonly nextStep: string;
  /** Makes its button the main button of the page. */
  readonly isMain?: boolean;
  readonly onSend: (email: string) => Promise<unknown>;
}

export function MailForm({ label, submitLabel, nextStep, isMain = false, onSend }: MailFormProps) {
  const [email, setEmail] = useState("");
  const sent = useMutation({ mutationFn: () => onSend(email.trim()) });
  const failure = sent.error instanceof ApiFailure ? sent.error : null;
  const submit = useSubmit(() => sent.mutateAsync(), email.trim() !== "" && !sent.isSuccess);
  return (
    <form onSubmit={submit}>
      <Stack>
        {sent.error && <ErrorAlert error={sent.error} />}
        {sent.isSuccess && (
          <Alert color="green" title="Check your email" role="status">
            {nextStep}
          </Alert>
        )}
        <Group align="flex-end" className="fields">
          <TextInput
            label={label}
            type="email"
            autoComplete="email"
            flex={1}
            maw={360}
            value={email}
            error={failure?.issueAt("email")}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <AsyncButton
            type="submit"
            variant={isMain ? "filled" : "default"}
            isPending={sent.isPending}
            disabled={email.trim() === ""}
          >
            {submitLabel}
          </AsyncButton>
        </Group>
      </Stack>
    </form>
  );
}
