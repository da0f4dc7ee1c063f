/** The user's own name, address, preferences and sessions. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type ApiAnswer, ApiFailure, api } from "../api.ts";
import { MailForm } from "../mail-form.tsx";
import { setOwnFormat } from "../own-format.ts";
import { profileQuery, signInMethodsQuery } from "../queries.ts";
import { SaveRow } from "../save-row.tsx";
import { takeFragment } from "../sign-in.ts";
import { setColorScheme } from "../ui/color-scheme.ts";
import { ConfirmButton } from "../ui/confirm-dialog.tsx";
import { ButtonLink, TextLink } from "../ui/links.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState, ErrorAlert, QueryResult } from "../ui/page-states.tsx";
import { ColumnHeads, toColumnVariables } from "../ui/paged-table.tsx";
import { Alert, Badge, Group, Paper, Stack, Table, Text, Title } from "../ui/primitives/elements.tsx";
import { TextInput } from "../ui/primitives/fields.tsx";
import { ExpiryDay, RelativeTime } from "../ui/relative-time.tsx";
import { ScrollRegion } from "../ui/scroll-region.tsx";
import { useSubmit } from "../ui/use-submit.ts";
import { useWorkspace } from "../workspace-context.tsx";

import { Passkeys } from "./account/passkeys.tsx";
import "./account/account.css";
import { PreferenceFields, toPreferences } from "./preference-fields.tsx";

type OwnProfile = ApiAnswer<"getProfile">;

export function ProfilePage() {
  const profile = useQuery(profileQuery);
  return (
    <Page title="Profile" lead="Your account, preferences and sessions.">
      <ConfirmAddress />
      <QueryResult query={profile}>
        {(answer) =>
          answer === null ? (
            <NoPerson />
          ) : (
            <Stack gap="lg" maw={760}>
              <Preferences profile={answer} />
              <SignInWays profile={answer} />
              <Sessions />
            </Stack>
          )
        }
      </QueryResult>
    </Page>
  );
}

/** An access token reaches workspaces, but no person's account. */
const NoPerson = () => (
  <EmptyState
    title="You are signed in with an access token"
    action={
      <ButtonLink to="/sign-in" search={{ out: "yes" }}>
        Sign in as yourself
      </ButtonLink>
    }
  >
    A token has no profile and no sessions. It can do what its role in the workspace allows.
  </EmptyState>
);

/** Confirms the address when the link of the mail has opened the page. */
function ConfirmAddress() {
  const client = useQueryClient();
  const [code] = useState(() => takeFragment().get("code"));
  const { mutate, data, error } = useMutation({
    mutationFn: (given: string) => api.confirmEmail({ body: { code: given } }),
    onSuccess: () => client.invalidateQueries({ queryKey: profileQuery.queryKey }),
  });
  useEffect(() => {
    if (code !== null) mutate(code);
  }, [code, mutate]);
  if (error) return <ErrorAlert error={error} />;
  if (!data) return null;
  return <Alert color="green" title="Address confirmed" role="status" />;
}

function Preferences({ profile }: { readonly profile: OwnProfile }) {
  const client = useQueryClient();
  const [name, setName] = useState(profile.name ?? "");
  const [chosen, setChosen] = useState(() => toPreferences(profile));
  const saved = useMutation({
    mutationFn: () => api.updateProfile({ body: { name: name.trim() || null, ...chosen } }),
    onSuccess: async (answer) => {
      client.setQueryData(profileQuery.queryKey, (known) => known && { ...known, ...answer });
      setColorScheme(answer.theme);
      setOwnFormat(answer);
      await client.invalidateQueries({ queryKey: ["members"] });
    },
  });
  const failure = saved.error instanceof ApiFailure ? saved.error : null;
  const isUnsaved =
    (name.trim() || null) !== profile.name ||
    JSON.stringify(chosen) !== JSON.stringify(toPreferences(profile));
  const submit = useSubmit(() => saved.mutateAsync(), isUnsaved);
  // removes the "Saved" message, which was about the previous input
  const edited = () => saved.isSuccess && saved.reset();
  return (
    <Paper p="lg" component="form" onSubmit={submit} onChange={edited} aria-label="Preferences">
      <Stack gap="sm" className="field-rows">
        <Title order={2} size="h5">
          Preferences
        </Title>
        {saved.error && <ErrorAlert error={saved.error} />}
        <TextInput
          label="Name"
          description="Members of your workspaces can see it."
          autoComplete="name"
          value={name}
          error={failure?.issueAt("name")}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PreferenceFields chosen={chosen} onChange={setChosen} />
        <SaveRow saved={saved} what="preferences" isUnsaved={isUnsaved} />
      </Stack>
    </Paper>
  );
}

/** The ways to sign in that belong to the person, each with its state and what is missing. */
const SignInWays = ({ profile }: { readonly profile: OwnProfile }) => (
  <Paper component="section" aria-label="Sign-in">
    <Title order={2} size="h5" p="lg" pb="sm">
      Sign-in
    </Title>
    <Address profile={profile} />
    <Passkeys />
  </Paper>
);

function Address({ profile: { email } }: { readonly profile: OwnProfile }) {
  const { can } = useWorkspace();
  const { data: methods } = useQuery(signInMethodsQuery);
  const hasNoMail = methods?.sendsMail === false;
  const noAddress = hasNoMail ? "Not set up" : "No confirmed address";
  return (
    <section aria-label="Email">
      <Stack px="lg" pb="lg" gap="sm">
        <div>
          <Text fw={600}>Email</Text>
          <Text size="sm" c="dimmed" className="wrap">
            {email === null ? (
              noAddress
            ) : (
              <>
                Confirmed: <bdi>{email}</bdi>
              </>
            )}
            {(email !== null || methods?.sendsMail) && ". Those who manage the team can see it."}
          </Text>
        </div>
        {hasNoMail && (
          <Text size="sm" className="wrap">
            This service has no mail server, so it cannot confirm an email address.
            {can("support:read") && (
              <>
                {" "}
                The operator must set <code>SMTP_URL</code> and <code>MAIL_FROM</code>.
              </>
            )}
          </Text>
        )}
        {methods?.sendsMail && (
          <MailForm
            label="New address"
            submitLabel="Send confirmation"
            nextStep="Open the link in this browser within an hour."
            onSend={(address) => api.requestEmail({ body: { email: address } })}
          />
        )}
      </Stack>
    </section>
  );
}

const SESSION_COLUMNS = ["Browser", "Signed in", "Last used", "Ends", ""] as const;

function Sessions() {
  const { can } = useWorkspace();
  const query = useQuery({
    queryKey: ["own-sessions"],
    queryFn: ({ signal }) => api.listSessions({ signal }),
  });
  return (
    <Paper component="section" aria-label="Sessions">
      <Stack gap={0} p="lg">
        <Title order={2} size="h5">
          Sessions
        </Title>
        <Text size="sm" c="dimmed">
          Browsers where you are signed in.
          {can("tokens:manage") && (
            <>
              {" "}
              Manage access tokens on the{" "}
              <TextLink underline="always" to="/tokens">
                Tokens page
              </TextLink>
              .
            </>
          )}
        </Text>
      </Stack>
      <QueryResult query={query} rows={1}>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <Text size="sm" px="lg" pb="lg">
              No sessions
            </Text>
          ) : (
            <ScrollRegion label="Sessions table">
              <Table className="stacked" style={toColumnVariables(SESSION_COLUMNS)} horizontalSpacing="lg">
                <ColumnHeads columns={SESSION_COLUMNS} />
                <tbody>
                  {sessions.map((one) => (
                    <SessionRow key={one.tokenId} session={one} />
                  ))}
                </tbody>
              </Table>
            </ScrollRegion>
          )
        }
      </QueryResult>
    </Paper>
  );
}

function SessionRow({ session }: { readonly session: ApiAnswer<"listSessions">["sessions"][number] }) {
  const client = useQueryClient();
  const { tokenId, label, createdAt, isCurrent } = session;
  return (
    <tr>
      <td>
        <Group gap="xs">
          <bdi>{label}</bdi> {isCurrent && <Badge>This browser</Badge>}
        </Group>
      </td>
      <td>
        <RelativeTime at={createdAt} />
      </td>
      <td>
        <RelativeTime at={session.lastUsedAt} />
      </td>
      <td>
        <ExpiryDay at={session.expiresAt} />
      </td>
      <td className="end">
        <ConfirmButton
          label="End"
          title="End this session?"
          confirmLabel="End session"
          onConfirm={async () => {
            await api.endSession({ params: { tokenId } });
            await client.invalidateQueries({ queryKey: ["own-sessions"] });
          }}
        >
          <Text>
            {isCurrent ? (
              "This browser"
            ) : (
              <>
                “<bdi>{label}</bdi>”, which signed in <RelativeTime at={createdAt} />,
              </>
            )}{" "}
            will be signed out.
          </Text>
        </ConfirmButton>
      </td>
    </tr>
  );
}
