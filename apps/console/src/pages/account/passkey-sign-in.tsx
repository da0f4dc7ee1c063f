/** The button that signs in with a passkey. The browser asks which one. */
import { useMutation } from "@tanstack/react-query";
import { signInByPasskey } from "../../passkeys.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";

interface PasskeySignInProps {
  /** Whether it is the first way on the page. */
  readonly isFirst: boolean;
  readonly onSignedIn: () => Promise<void>;
}

export function PasskeySignIn({ isFirst, onSignedIn }: PasskeySignInProps) {
  const signedIn = useMutation({ mutationFn: signInByPasskey, onSuccess: onSignedIn });
  return (
    <>
      {signedIn.error && <ErrorAlert error={signedIn.error} />}
      <AsyncButton
        variant={isFirst ? "filled" : "default"}
        isPending={signedIn.isPending}
        onPress={() => signedIn.mutateAsync()}
      >
        Sign in with a passkey
      </AsyncButton>
    </>
  );
}
