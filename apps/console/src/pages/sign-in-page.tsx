/**
 * The sign-in page. A one-time code or a token in the fragment of a link signs in after the person has seen whose account it
 * opens: a link can be a stranger's.
 */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useState } from "react";
import { API_BASE, type ApiAnswer, ApiFailure, apiWith } from "../api.ts";
import { HEADWATER } from "../command-name.ts";
import { MailForm } from "../mail-form.tsx";
import { takesPasskeys } from "../passkeys.ts";
import { signInMethodsQuery } from "../queries.ts";
import { session } from "../session.ts";
import { type Credential, readCredential, signInBy, signInWith, takeFragment } from "../sign-in.ts";
import { AsyncButton } from "../ui/async-button.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { ErrorAlert, Loading } from "../ui/page-states.tsx";
import { Alert, Button, ButtonAnchor, Stack, Text } from "../ui/primitives/elements.tsx";
import { PasswordInput } from "../ui/primitives/fields.tsx";
import { StandalonePage } from "../ui/standalone-page.tsx";
import { PHONE, useMediaQuery } from "../ui/use-media-query.ts";
import { useSubmit } from "../ui/use-submit.ts";
import { AccountCard } from "./account/account-card.tsx";
import { InvitationOffer } from "./account/invitation-offer.tsx";
import { PasskeySignIn } from "./account/passkey-sign-in.tsx";

const REASONS: Readonly<Record<string, { title: string; text: string }>> = {
  expired: {
    title: "You have been signed out",
    text: "Your session or access token expired or was revoked.",
  },
  elsewhere: {
    title: "You have been signed out",
    text: "You signed out in another tab.",
  },
  no_account: {
    title: "No account",
    text: "No account has your email address. Ask an admin of the workspace for an invitation.",
  },
  invitation_ended: {
    title: "Invitation ended",
    text: "The invitation was already accepted, was revoked or has expired. Ask the person who invited you for a new one.",
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

/** The fragment of a sign-in link. */
function takeLink(): Credential | null {
  const fragment = takeFragment();
  const [code, token] = [fragment.get("code"), fragment.get("token")];
  if (code !== null) return { code };
  return token === null ? null : { token };
}

export function SignInPage() {
  const { next: asked } = useSearch({ from: "/sign-in" });
  const [next] = useState(() => asked ?? takeNext());
  const navigate = useNavigate();
  const [link, setLink] = useState(takeLink);
  const [failure, setFailure] = useState<Error | null>(null);
  const onSignedIn = useCallback(() => navigate({ ...destinationOf(next), replace: true }), [navigate, next]);
  useEffect(
    () =>
      session.onChangeElsewhere(() => {
        if (session.isSignedIn()) void onSignedIn();
      }),
    [onSignedIn],
  );
  const leave = (error: Error | null) => {
    setFailure(error);
    setLink(null);
  };
  return (
    <StandalonePage title="Sign in">
      {link === null ? (
        <SignInForm next={next} failure={failure} onSignedIn={onSignedIn} />
      ) : (
        <ConfirmAccount link={link} onSignedIn={onSignedIn} onLeave={leave} />
      )}
    </StandalonePage>
  );
}

interface SignInFormProps {
  /** The page to open after the sign-in. */
  readonly next: string | undefined;
  /** Why the link could not be used. */
  readonly failure: Error | null;
  readonly onSignedIn: () => Promise<void>;
}

function SignInForm({ next, failure, onSignedIn }: SignInFormProps) {
  const { why } = useSearch({ from: "/sign-in" });
  const { data: methods, isPending } = useQuery(signInMethodsQuery);
  const reason = REASONS[why ?? ""];
  const ways = methods && { ...methods, passkey: methods.passkey && takesPasskeys() };
  const hasEasierWays = ways !== undefined && (ways.oidc !== null || ways.passkey || ways.mail);
  return (
    <>
      {reason && !failure && (
        <Alert color="yellow" title={reason.title}>
          {reason.text}
        </Alert>
      )}
      {failure && <ErrorAlert error={forPerson(failure, LINK_HINT)} />}
      {ways && hasEasierWays && <EasierWays ways={ways} next={next} onSignedIn={onSignedIn} />}
      {!isPending && !ways?.mail && !ways?.oidc && (
        <Text>Open the sign-in link that you were sent, or ask an owner for one.</Text>
      )}
      {!isPending && (
        <FoldedWays
          hasEasierWays={hasEasierWays}
          // without an answer a token may still work
          takesToken={ways?.token !== false}
          hasFailed={failure !== null}
          onSignedIn={onSignedIn}
        />
      )}
    </>
  );
}

interface FoldedWaysProps extends Pick<SignInFormProps, "onSignedIn"> {
  readonly hasEasierWays: boolean;
  readonly takesToken: boolean;
  /** Whether a link could not be used. */
  readonly hasFailed: boolean;
}

type FoldedWay = "command" | "token";

/** A command is of no use on a phone. Where there are easier ways, nothing is open. */
function firstOpened(isPhone: boolean, { hasEasierWays, takesToken, hasFailed }: FoldedWaysProps) {
  const preferred: FoldedWay = isPhone && takesToken ? "token" : "command";
  const isQuiet = hasEasierWays && (isPhone || (takesToken && !hasFailed));
  return isQuiet ? null : preferred;
}

/** The command that prints a link, and the field for a token. The browser opens one at a time: they have the same name. */
function FoldedWays(props: FoldedWaysProps) {
  const { hasEasierWays, takesToken, onSignedIn } = props;
  const isPhone = useMediaQuery(PHONE);
  const [opened] = useState(() => firstOpened(isPhone, props));
  return (
    <>
      <details name="way" open={opened === "command"}>
        <summary>If you run the server</summary>
        <Stack gap="xs" mt={4} className="sign-in-way">
          <Text size="sm">
            Run this command on the server to get a link. The link works once and expires after 10 minutes.
          </Text>
          <CodeBlock title="Command" text={`${HEADWATER} sign-in`} isPrimary={!hasEasierWays} />
        </Stack>
      </details>
      {takesToken && (
        <details
          name="way"
          open={opened === "token"}
          onToggle={({ currentTarget }) => {
            if (currentTarget.open) currentTarget.querySelector("input")?.focus();
          }}
        >
          <summary>Use an access token</summary>
          <TokenForm onSignedIn={onSignedIn} isMain={!hasEasierWays} />
        </details>
      )}
    </>
  );
}

const LINK_HINT = "Get a new link, or sign in another way.";
const TOKEN_HINT = "Check that you copied the whole token, or sign in with a link.";

/** The API advises programs and operators; the page shows the command already. */
const forPerson = (error: Error, hint: string): Error =>
  error instanceof ApiFailure && error.status === 401
    ? new ApiFailure(error.status, { ...error.answer, hint })
    : error;

interface TokenFormProps extends Pick<SignInFormProps, "onSignedIn"> {
  /** Whether the page has no easier way to sign in. */
  readonly isMain: boolean;
}

function TokenForm({ onSignedIn, isMain }: TokenFormProps) {
  const [token, setToken] = useState("");
  const signedIn = useMutation({ mutationFn: () => signInWith(token.trim()), onSuccess: onSignedIn });
  const submit = useSubmit(() => signedIn.mutateAsync());
  return (
    <form onSubmit={submit} className="sign-in-way">
      <Stack mt="xs">
        {signedIn.error && <ErrorAlert error={forPerson(signedIn.error, TOKEN_HINT)} />}
        <PasswordInput
          label="Access token"
          description="An owner or admin can create one on the Tokens page."
          autoComplete="current-password"
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
        />
        <AsyncButton
          type="submit"
          variant={isMain ? "filled" : "default"}
          isPending={signedIn.isPending}
          disabled={token.trim() === ""}
        >
          Sign in
        </AsyncButton>
        <Text size="sm" c="dimmed" className="centered">
          You will stay signed in on this browser.
        </Text>
      </Stack>
    </form>
  );
}

interface ConfirmAccountProps {
  readonly link: Credential;
  readonly onSignedIn: () => Promise<void>;
  /** The person does not want this account, or the link cannot be used. */
  readonly onLeave: (error: Error | null) => void;
}

/** Shows whose account a link opens, and asks. */
function ConfirmAccount({ link, onSignedIn, onLeave }: ConfirmAccountProps) {
  const offered = useQuery({
    queryKey: ["sign-in-offer", link],
    queryFn: ({ signal }) => readCredential(link, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const { error } = offered;
  useEffect(() => {
    if (error) onLeave(error);
  }, [error, onLeave]);
  if (!offered.data) return <Loading />;
  return <Confirmation offer={offered.data} link={link} onSignedIn={onSignedIn} onLeave={onLeave} />;
}

function Confirmation({
  offer,
  link,
  onSignedIn,
  onLeave,
}: ConfirmAccountProps & { readonly offer: ApiAnswer<"readSignInCode"> }) {
  const signedIn = useMutation({
    mutationFn: () => signInBy(link),
    onSuccess: onSignedIn,
    onError: onLeave,
  });
  const { name, email, organizations, invitation } = offer;
  const who = name ?? email ?? "this account";
  return (
    <Stack>
      <Text>{invitation ? "You will join with this account:" : "You will sign in as:"}</Text>
      <AccountCard name={name} email={email} organizations={organizations} />
      {invitation && <InvitationOffer offer={invitation} />}
      <AsyncButton isPending={signedIn.isPending} onPress={() => signedIn.mutateAsync()}>
        <span className="clamp">
          {invitation ? "Join" : "Continue"} as <bdi>{who}</bdi>
        </span>
      </AsyncButton>
      <Button variant="default" onClick={() => onLeave(null)}>
        Not you? Sign in another way
      </Button>
      <Text size="sm" c="dimmed">
        {invitation ? "Join" : "Continue"} only if you started this sign-in, or trust whoever sent you the
        link.
      </Text>
    </Stack>
  );
}

interface EasierWaysProps extends Omit<SignInFormProps, "failure"> {
  readonly ways: ApiAnswer<"getSignInMethods">;
}

/** The identity provider, passkeys and links by email, as far as the service has them. The first has the main button. */
function EasierWays({ ways: { oidc, passkey, mail }, next, onSignedIn }: EasierWaysProps) {
  const keepNext = () => next !== undefined && sessionStorage.setItem(NEXT, next);
  return (
    <>
      {oidc !== null && (
        <ButtonAnchor href={new URL("api/sign-in/oidc", API_BASE).href} onClick={keepNext}>
          Continue with {oidc}
        </ButtonAnchor>
      )}
      {passkey && <PasskeySignIn isFirst={oidc === null} onSignedIn={onSignedIn} />}
      {mail && (
        <MailForm
          label="Email"
          submitLabel="Email me a link"
          nextStep="If an account has this address, a link is on its way. The link works once and expires after 10 minutes."
          isMain={oidc === null && !passkey}
          onSend={(email) => apiWith(null).requestSignInLink({ body: { email } })}
        />
      )}
    </>
  );
}
