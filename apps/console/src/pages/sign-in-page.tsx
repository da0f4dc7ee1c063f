/** With an access token, or by the one-time link that the first start prints, whose fragment holds a code. */
import { Alert, PasswordInput, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { callApi } from "../api.ts";
import { organizationsQuery, queryClient } from "../queries.ts";
import { session } from "../session.ts";
import { AsyncButton } from "../ui/async-button.tsx";
import { ErrorAlert } from "../ui/page-states.tsx";
import { StandalonePage } from "../ui/standalone-page.tsx";
import { TextWithCode } from "../ui/text-with-code.tsx";
import { useSubmit } from "../ui/use-submit.ts";

/** Taken out of the address at once: it is good for one sign-in, and nothing for a history. */
function takeFragment(): URLSearchParams {
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (location.hash !== "") history.replaceState(history.state, "", location.pathname + location.search);
  return fragment;
}

/** A token that opens nothing is not kept. */
async function signInWith(token: string): Promise<void> {
  const organizations = await callApi("listOrganizations", { token });
  session.signIn(token);
  queryClient.clear();
  queryClient.setQueryData(organizationsQuery.queryKey, organizations);
}

async function signInByCode(code: string): Promise<void> {
  const { token } = await callApi("signIn", { body: { code } });
  await signInWith(token);
}

/** Where somebody wanted to go before they had to sign in; the router knows no other host. */
function destinationOf(next: string | undefined) {
  const url = URL.parse(next ?? "", location.origin);
  const isMounted = url !== null && url.origin === location.origin && url.pathname.startsWith("/");
  if (!isMounted || url.pathname === "/sign-in") return { to: "/sources" } as const;
  return { to: url.pathname, search: Object.fromEntries(url.searchParams) };
}

export function SignInPage() {
  const { next, why } = useSearch({ from: "/sign-in" });
  const navigate = useNavigate();
  const [fragment] = useState(takeFragment);
  const code = fragment.get("code");
  const [token, setToken] = useState(fragment.get("token") ?? "");
  const signedIn = useMutation({
    mutationFn: (how: { token: string } | { code: string }) =>
      "code" in how ? signInByCode(how.code) : signInWith(how.token),
    onSuccess: () => navigate({ ...destinationOf(next), replace: true }),
  });
  const field = useRef<HTMLInputElement>(null);
  const { mutate, mutateAsync } = signedIn;
  useEffect(() => {
    field.current?.focus();
    if (code !== null) mutate({ code });
  }, [code, mutate]);

  const submit = useSubmit(() => mutateAsync({ token: token.trim() }));
  return (
    <StandalonePage title="Sign in">
      {why === "expired" && !signedIn.error && (
        <Alert color="yellow" title="You have been signed out">
          Your token has expired or was revoked.
        </Alert>
      )}
      {signedIn.error && <ErrorAlert error={signedIn.error} />}
      <form onSubmit={submit}>
        <Stack>
          <PasswordInput
            label="Access token"
            description={
              <TextWithCode text="Kept for this tab only. The first start of the service prints one, and `headwater token create` makes others." />
            }
            autoComplete="current-password"
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
            ref={field}
          />
          <AsyncButton type="submit" isPending={signedIn.isPending} disabled={token.trim() === ""}>
            Sign in
          </AsyncButton>
        </Stack>
      </form>
      <Text size="sm" c="dimmed">
        Or open the sign-in link that the first start prints: it is good once, for ten minutes.
      </Text>
    </StandalonePage>
  );
}
