/** The sign-in page. It takes an access token, or a one-time code from the fragment of a sign-in link. */
import "@mantine/core/styles/PasswordInput.css";
import { Alert, Button, PasswordInput, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { API_BASE, apiWith } from "../api.ts";
import { MailForm } from "../mail-form.tsx";
import { signInMethodsQuery } from "../queries.ts";
import { signInByCode, signInWith, takeFragment } from "../sign-in.ts";
import { AsyncButton } from "../ui/async-button.tsx";
import { ErrorAlert } from "../ui/page-states.tsx";
import { StandalonePage } from "../ui/standalone-page.tsx";
import { TextWithCode } from "../ui/text-with-code.tsx";
import { useSubmit } from "../ui/use-submit.ts";

const REASONS: Readonly<Record<string, { title: string; text: string }>> = {
  expired: {
    title: "You have been signed out",
    text: "Your session or access token expired or was revoked.",
  },
  no_account: {
    title: "No account",
    text: "No account has your email address. Ask an admin of the workspace for an invitation.",
  },
  invitation_ended: {
    title: "Invitation ended",
    text: "It was accepted, revoked or has expired. Ask for a new one.",
  },
  oidc_failed: {
    title: "Sign-in failed",
    text: "The identity provider did not confirm the sign-in. Try again.",
  },
};

/** The page to open after a sign-in that leaves the console: at the identity provider. */
const NEXT = "headwater.next";
function takeNext(): string | undefined {
  const next = sessionStorage.getItem(NEXT) ?? undefined;
  sessionStorage.removeItem(NEXT);
  return next;
}

/** The page that was requested before the sign-in. URLs of other hosts lead to the sources. */
function destinationOf(next: string | undefined) {
  const url = URL.parse(next ?? "", location.origin);
  const isSameOrigin = url !== null && url.origin === location.origin && url.pathname.startsWith("/");
  if (!isSameOrigin || url.pathname === "/sign-in") return { to: "/sources" } as const;
  return { to: url.pathname, search: Object.fromEntries(url.searchParams) };
}

export function SignInPage() {
  const { next: asked, why } = useSearch({ from: "/sign-in" });
  const [next] = useState(() => asked ?? takeNext());
  const navigate = useNavigate();
  const [fragment] = useState(takeFragment);
  const code = fragment.get("code");
  const [token, setToken] = useState(fragment.get("token") ?? "");
  const signedIn = useMutation({
    mutationFn: async (credential: { token: string } | { code: string }) => {
      if ("code" in credential) await signInByCode(credential.code);
      else await signInWith(credential.token);
    },
    onSuccess: () => navigate({ ...destinationOf(next), replace: true }),
  });
  const field = useRef<HTMLInputElement>(null);
  const { mutate, mutateAsync } = signedIn;
  useEffect(() => {
    field.current?.focus();
    if (code !== null) mutate({ code });
  }, [code, mutate]);

  const reason = REASONS[why ?? ""];
  const submit = useSubmit(() => mutateAsync({ token: token.trim() }));
  return (
    <StandalonePage title="Sign in">
      {reason && !signedIn.error && (
        <Alert color="yellow" title={reason.title}>
          {reason.text}
        </Alert>
      )}
      {signedIn.error && <ErrorAlert error={signedIn.error} />}
      <OtherWays next={next} />
      <form onSubmit={submit}>
        <Stack>
          <PasswordInput
            label="Access token"
            description="Stored in this tab only."
            inputWrapperOrder={["label", "input", "description", "error"]}
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
            ref={field}
          />
          <AsyncButton type="submit" isPending={signedIn.isPending}>
            Sign in
          </AsyncButton>
        </Stack>
      </form>
      <Text size="sm" c="dimmed">
        <TextWithCode text="No token? Ask a colleague for an invitation. Or run `headwater sign-in` on the server and open the link that it prints: it works once, within 10 minutes." />
      </Text>
    </StandalonePage>
  );
}

/** The identity provider and links by email, as far as the service has them. */
function OtherWays({ next }: { readonly next: string | undefined }) {
  const { data } = useQuery(signInMethodsQuery);
  if (!data) return null;
  const keepNext = () => next !== undefined && sessionStorage.setItem(NEXT, next);
  return (
    <>
      {data.oidc !== null && (
        <Button component="a" href={new URL("api/sign-in/oidc", API_BASE).href} onClick={keepNext}>
          Continue with {data.oidc}
        </Button>
      )}
      {data.mail && (
        <MailForm
          label="Email"
          submitLabel="Email me a link"
          nextStep="If an account has this address, a link is on its way. It works once, within 10 minutes."
          onSend={(email) => apiWith(null).requestSignInLink({ body: { email } })}
        />
      )}
      {(data.oidc !== null || data.mail) && (
        <Text size="sm" c="dimmed" ta="center">
          or
        </Text>
      )}
    </>
  );
}
