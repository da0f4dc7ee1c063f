/** The page that the link of an invitation opens. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { API_BASE, type ApiAnswer, ApiFailure, apiWith, currentToken } from "../api.ts";
import { signInMethodsQuery } from "../queries.ts";
import { session } from "../session.ts";
import { signInByCode, takeFragment } from "../sign-in.ts";
import { AsyncButton } from "../ui/async-button.tsx";
import { ErrorAlert, Loading } from "../ui/page-states.tsx";
import { Alert, Button, ButtonAnchor, Stack, Text } from "../ui/primitives/elements.tsx";
import { TextInput } from "../ui/primitives/fields.tsx";
import { SecretAlert } from "../ui/secret-alert.tsx";
import { StandalonePage } from "../ui/standalone-page.tsx";
import { useSubmit } from "../ui/use-submit.ts";
import { AccountCard } from "./account/account-card.tsx";
import { InvitationOffer } from "./account/invitation-offer.tsx";

export function InvitationPage() {
  const [code] = useState(() => takeFragment().get("code") ?? "");
  const [token, setToken] = useState<string | null>(null);
  const offered = useQuery({
    queryKey: ["invitation", code],
    queryFn: ({ signal }) => apiWith(null).readInvitation({ body: { code }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <StandalonePage title="Invitation">
      {token !== null && <KeepToken token={token} />}
      {token === null && offered.isPending && <Loading />}
      {token === null && offered.error && <NoOffer error={offered.error} />}
      {token === null && offered.data && <Offer offer={offered.data} code={code} onNewToken={setToken} />}
    </StandalonePage>
  );
}

/** A link that lost its code, which reloading the page does too, is refused for its form. The page has no field to fix. */
const NoOffer = ({ error }: { readonly error: Error }) =>
  error instanceof ApiFailure && error.code === "invalid_payload" ? (
    <Alert color="red" title="Incomplete link" role="alert">
      Copy the whole link from the invitation, or ask the person who invited you for a new one.
    </Alert>
  ) : (
    <ErrorAlert error={error} />
  );

/** Without mail and identity provider, the token of the session is the only way to sign in again. */
function KeepToken({ token }: { readonly token: string }) {
  const navigate = useNavigate();
  return (
    <Stack>
      <Alert color="green" title="You are now a member" role="status">
        Save this access token to sign in from other browsers. If you sign out here, it stops working.
      </Alert>
      <SecretAlert title="Your access token" secret={token} copyLabel="Copy token" />
      <Button onClick={() => void navigate({ to: "/sources" })}>Continue</Button>
    </Stack>
  );
}

interface OfferProps {
  readonly offer: ApiAnswer<"readInvitation">;
  readonly code: string;
  readonly onNewToken: (token: string) => void;
}

function Offer({ offer, code, onNewToken }: OfferProps) {
  const { account, email } = offer;
  const { data: methods } = useQuery(signInMethodsQuery);
  const own = useQuery({ queryKey: ["own-token"], queryFn: currentToken, gcTime: 0, retry: false });
  const ownToken = own.data ?? null;
  if (!methods || own.isPending) return <Loading />;
  return (
    <Stack>
      <InvitationOffer offer={offer} />
      {ownToken !== null && <Join code={code} token={ownToken} />}
      {methods.oidc !== null && (
        <ButtonAnchor
          href={new URL(`api/sign-in/oidc?${new URLSearchParams({ invitation: code })}`, API_BASE).href}
        >
          Continue with {methods.oidc}
        </ButtonAnchor>
      )}
      {methods.token && (
        <AcceptForm
          code={code}
          account={account}
          email={email}
          onNewToken={methods.mail || methods.oidc !== null ? null : onNewToken}
        />
      )}
    </Stack>
  );
}

function Join({ code, token }: { readonly code: string; readonly token: string }) {
  const navigate = useNavigate();
  const profile = useQuery({
    queryKey: ["joining-profile"],
    queryFn: ({ signal }) => apiWith(token).getProfile({ signal }),
    gcTime: 0,
  });
  const joined = useMutation({
    mutationFn: () => apiWith(token).joinWorkspace({ body: { code } }),
    onSuccess: ({ organizationId }) => {
      session.selectWorkspace(organizationId);
      return navigate({ to: "/sources" });
    },
  });
  // a session that has ended joins nothing; the other ways stay
  if (!profile.data) return profile.isPending ? <Loading /> : null;
  const { name, email } = profile.data;
  return (
    <>
      <Text size="sm">You are signed in as:</Text>
      <AccountCard name={name} email={email} />
      {joined.error && <ErrorAlert error={joined.error} />}
      <AsyncButton isPending={joined.isPending} onPress={() => joined.mutateAsync()}>
        <span className="clamp">
          Join as <bdi>{name ?? email ?? "this account"}</bdi>
        </span>
      </AsyncButton>
      <Text size="sm" c="dimmed">
        Not you? Use another account:
      </Text>
    </>
  );
}

interface AcceptFormProps {
  readonly code: string;
  /** The account that has the address of the invitation; null: a new one is made. */
  readonly account: { readonly name: string | null; readonly email: string | null } | null;
  /** The address of the new account; null: none. */
  readonly email: string | null;
  /** null: there are other ways to sign in again. */
  readonly onNewToken: ((token: string) => void) | null;
}

function AcceptForm({ code, account, email, onNewToken }: AcceptFormProps) {
  const navigate = useNavigate();
  const [name, setName] = useState(account?.name ?? "");
  const accepted = useMutation({
    mutationFn: async () => {
      const answer = await apiWith(null).acceptInvitation({ body: { code, name: name.trim() } });
      session.selectWorkspace(answer.organizationId);
      return signInByCode(answer.signInCode);
    },
    onSuccess: (token) => (onNewToken ? onNewToken(token) : navigate({ to: "/sources" })),
  });
  const failure = accepted.error instanceof ApiFailure ? accepted.error : null;
  const submit = useSubmit(() => accepted.mutateAsync(), name.trim() !== "");
  return (
    <form onSubmit={submit}>
      <Stack>
        {accepted.error && <ErrorAlert error={accepted.error} />}
        {account && (
          <>
            <Text size="sm">The invitation is for this account:</Text>
            <AccountCard {...account} />
          </>
        )}
        {(account?.name ?? null) === null && (
          <TextInput
            label="Your name"
            autoComplete="name"
            value={name}
            error={failure?.issueAt("name")}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        )}
        {!account && email !== null && (
          <Text size="sm" className="wrap">
            The new account will sign in with <bdi>{email}</bdi>. Accept only if this address is yours.
          </Text>
        )}
        <AsyncButton type="submit" isPending={accepted.isPending} disabled={name.trim() === ""}>
          {account ? "Accept and sign in" : "Accept with a new account"}
        </AsyncButton>
      </Stack>
    </form>
  );
}
