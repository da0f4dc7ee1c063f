/** The sign-in page. It takes an access token, or a one-time code from the fragment of a sign-in link. */
import { Alert, PasswordInput, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { apiWith } from "../api.ts";
import { organizationsQuery, queryClient } from "../queries.ts";
import { session } from "../session.ts";
import { AsyncButton } from "../ui/async-button.tsx";
import { ErrorAlert } from "../ui/page-states.tsx";
import { StandalonePage } from "../ui/standalone-page.tsx";
import { TextWithCode } from "../ui/text-with-code.tsx";
import { useSubmit } from "../ui/use-submit.ts";

/** Reads the fragment and removes it from the URL, so that the code does not stay in the browser's history. */
function takeFragment(): URLSearchParams {
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (location.hash !== "") history.replaceState(history.state, "", location.pathname + location.search);
  return fragment;
}

/** Stores the token after the API has accepted it. */
async function signInWith(token: string): Promise<void> {
  const organizations = await apiWith(token).listOrganizations();
  session.signIn(token);
  queryClient.clear();
  queryClient.setQueryData(organizationsQuery.queryKey, organizations);
}

async function signInByCode(code: string): Promise<void> {
  const { token } = await apiWith(null).signIn({ body: { code } });
  await signInWith(token);
}

/** The page that was requested before the sign-in. URLs of other hosts lead to the sources. */
function destinationOf(next: string | undefined) {
  const url = URL.parse(next ?? "", location.origin);
  const isSameOrigin = url !== null && url.origin === location.origin && url.pathname.startsWith("/");
  if (!isSameOrigin || url.pathname === "/sign-in") return { to: "/sources" } as const;
  return { to: url.pathname, search: Object.fromEntries(url.searchParams) };
}

export function SignInPage() {
  const { next, why } = useSearch({ from: "/sign-in" });
  const navigate = useNavigate();
  const [fragment] = useState(takeFragment);
  const code = fragment.get("code");
  const [token, setToken] = useState(fragment.get("token") ?? "");
  const signedIn = useMutation({
    mutationFn: (credential: { token: string } | { code: string }) =>
      "code" in credential ? signInByCode(credential.code) : signInWith(credential.token),
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
          Your access token expired or was revoked.
        </Alert>
      )}
      {signedIn.error && <ErrorAlert error={signedIn.error} />}
      <form onSubmit={submit}>
        <Stack>
          <PasswordInput
            label="Access token"
            description="Stored in this tab only."
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
        <TextWithCode text="Or run `headwater sign-in` on the server and open the link that it prints. It works once, within ten minutes." />
      </Text>
    </StandalonePage>
  );
}
