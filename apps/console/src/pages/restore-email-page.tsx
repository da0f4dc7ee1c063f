/** The page of the link that takes a change of the email address back. It asks first: mail scanners follow links. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { apiWith } from "../api.ts";
import { session } from "../session.ts";
import { takeFragment } from "../sign-in.ts";
import { AsyncButton } from "../ui/async-button.tsx";
import { ButtonLink } from "../ui/links.tsx";
import { ErrorAlert } from "../ui/page-states.tsx";
import { Alert, Stack, Text } from "../ui/primitives/elements.tsx";
import { StandalonePage } from "../ui/standalone-page.tsx";

export function RestoreEmailPage() {
  const [code] = useState(() => takeFragment().get("code") ?? "");
  const restored = useMutation({
    mutationFn: () => apiWith(null).restoreEmail({ body: { code } }),
    onSuccess: () => session.signOut(),
  });
  return (
    <StandalonePage title="Undo the email change">
      {code === "" && !restored.isSuccess ? (
        <Alert color="red" title="Incomplete link" role="alert">
          Copy the whole link from the email.
        </Alert>
      ) : restored.data ? (
        <Restored email={restored.data.email} />
      ) : (
        <Stack>
          <Text>
            The email address of your account was changed. If you did not change it, undo the change. Your
            account then gets its previous address back, all sessions end, and access tokens created since the
            change stop working.
          </Text>
          {restored.error && <ErrorAlert error={restored.error} />}
          <AsyncButton isPending={restored.isPending} onPress={() => restored.mutateAsync()}>
            Undo the change{" "}
          </AsyncButton>
          <Text size="sm" c="dimmed">
            If you changed the address yourself, close this page.
          </Text>
        </Stack>
      )}
    </StandalonePage>
  );
}

const Restored = ({ email }: { readonly email: string | null }) => (
  <Stack>
    <Alert
      color="green"
      title={email === null ? "The new address was removed" : "The change was undone"}
      role="status"
    >
      {email === null ? (
        "Another account has your previous address now. Ask an admin of your workspace for help."
      ) : (
        <>
          Your address is <bdi>{email}</bdi> again. All browsers are signed out.
        </>
      )}
    </Alert>
    <ButtonLink to="/sign-in">Sign in</ButtonLink>
  </Stack>
);
