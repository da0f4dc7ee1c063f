/** Asks for the password of a shared link. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ApiFailure, apiWith } from "../../api.ts";
import { session } from "../../session.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { Paper, Stack, Text, Title } from "../../ui/primitives/elements.tsx";
import { PasswordInput } from "../../ui/primitives/fields.tsx";
import { useSubmit } from "../../ui/use-submit.ts";

export function LinkPasswordForm({ onUnlocked }: { readonly onUnlocked: () => void }) {
  const [password, setPassword] = useState("");
  const unlocking = useMutation({
    mutationFn: async () => {
      const token = session.linkToken() ?? "";
      const unlocked = await apiWith(null).unlockStats({ body: { token, password } });
      session.unlock(token, unlocked.token);
    },
    onSuccess: onUnlocked,
  });
  const submit = useSubmit(() => unlocking.mutateAsync());
  const isWrong = unlocking.error instanceof ApiFailure && unlocking.error.code === "password_required";
  return (
    <Paper p="xl" mt="xl" className="standalone">
      <form onSubmit={submit}>
        <Stack>
          <Title order={1} size="h3">
            Password required
          </Title>
          <Text size="sm" c="dimmed">
            The person who shared this link protected it with a password.
          </Text>
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            autoFocus
            value={password}
            error={isWrong && "The password is wrong. Check it, or ask the person who shared the link."}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          {unlocking.error && !isWrong && <ErrorAlert error={unlocking.error} />}
          <AsyncButton type="submit" isPending={unlocking.isPending} disabled={password === ""}>
            Show stats
          </AsyncButton>
        </Stack>
      </form>
    </Paper>
  );
}
