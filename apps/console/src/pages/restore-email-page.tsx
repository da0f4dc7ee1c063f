/** The page of the link that takes a change of the e-mail address back. It asks first: mail scanners follow links. */

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
    <StandalonePage title="Take the change back">
      {code === "" && !restored.isSuccess ? (
        <Alert color="red" title="The link is not complete" role="alert">
          Open the whole link of the mail again.
        </Alert>
      ) : restored.data ? (
        <Restored email={restored.data.email} />
      ) : (
        <Stack>
          <Text>
            The email address of your account was changed. If it was not you, take the change back: your
            account gets its previous address again, every session ends, and access tokens that were created
            since the change stop working.
          </Text>
          {restored.error && <ErrorAlert error={restored.error} />}
          <AsyncButton isPending={restored.isPending} onPress={() => restored.mutateAsync()}>
            Take the change back
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
    <Alert color="green" title="The change was taken back" role="status">
      {email === null ? (
        "Another account has your previous address now. Ask an admin of your workspace for help."
      ) : (
        <>
          Your address is <bdi>{email}</bdi> again. Everybody is signed out.
        </>
      )}
    </Alert>
    <ButtonLink to="/sign-in">Sign in</ButtonLink>
  </Stack>
);
