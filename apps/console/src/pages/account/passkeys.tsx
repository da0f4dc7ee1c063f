/** The passkeys of the user, on the profile page. */
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type ApiAnswer, ApiFailure, api } from "../../api.ts";
import { addPasskey, takesPasskeys } from "../../passkeys.ts";
import { signInMethodsQuery } from "../../queries.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ConfirmButton } from "../../ui/confirm-dialog.tsx";
import { ErrorAlert, QueryResult } from "../../ui/page-states.tsx";
import { ColumnHeads, toColumnVariables } from "../../ui/paged-table.tsx";
import { Group, Paper, Stack, Table, Text, Title } from "../../ui/primitives/elements.tsx";
import { TextInput } from "../../ui/primitives/fields.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { TextWithCode } from "../../ui/text-with-code.tsx";
import { useSubmit } from "../../ui/use-submit.ts";

const passkeysQuery = queryOptions({
  queryKey: ["own-passkeys"],
  queryFn: ({ signal }) => api.listPasskeys({ signal }),
});

/** The sign-in page offers them as soon as there is one. */
const refetchPasskeys = (client: QueryClient) =>
  Promise.all(
    [passkeysQuery, signInMethodsQuery].map(({ queryKey }) => client.invalidateQueries({ queryKey })),
  );

const COLUMNS = ["Name", "Added", "Last used", ""] as const;

interface QuietNoteProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** One line, which opens its explanation. */
export const QuietNote = ({ title, children }: QuietNoteProps) => (
  <details>
    <summary>
      <Text size="sm" c="dimmed" component="span">
        {title}
      </Text>
    </summary>
    <Text size="sm" c="dimmed" className="wrap">
      {children}
    </Text>
  </details>
);

/** Why nobody can add a passkey; nothing where they can, or where the card says it. */
export function PasskeysNote() {
  const { data } = useQuery(passkeysQuery);
  if (!data?.unavailable || data.passkeys.length > 0) return null;
  const { message, hint } = data.unavailable;
  return (
    <QuietNote title="Passkeys are not available">
      {message} <TextWithCode text={hint} />
    </QuietNote>
  );
}

/** Nothing while there is no passkey and none can be added. */
export function Passkeys() {
  const query = useQuery(passkeysQuery);
  const { isPending, data } = query;
  if (isPending || (data?.unavailable && data.passkeys.length === 0)) return null;
  return (
    <Paper component="section" aria-label="Passkeys">
      <Stack gap={0} p="lg">
        <Title order={2} size="h5">
          Passkeys
        </Title>
        <Text size="sm" c="dimmed">
          Sign in with your fingerprint, face, PIN or security key.
        </Text>
      </Stack>
      <QueryResult query={query} rows={1}>
        {({ passkeys, unavailable }) => (
          <>
            {passkeys.length > 0 && <PasskeyTable passkeys={passkeys} />}
            <Stack p="lg" pt={passkeys.length > 0 ? "lg" : 0}>
              {unavailable ? (
                <Text size="sm" className="wrap">
                  {unavailable.message} <TextWithCode text={unavailable.hint} />
                </Text>
              ) : (
                <AddPasskey />
              )}
            </Stack>
          </>
        )}
      </QueryResult>
    </Paper>
  );
}

type OwnPasskey = ApiAnswer<"listPasskeys">["passkeys"][number];

const PasskeyTable = ({ passkeys }: { readonly passkeys: readonly OwnPasskey[] }) => (
  <ScrollRegion label="Passkeys table">
    <Table className="stacked" style={toColumnVariables(COLUMNS)} horizontalSpacing="lg">
      <ColumnHeads columns={COLUMNS} />
      <tbody>
        {passkeys.map((passkey) => (
          <PasskeyRow key={passkey.passkeyId} passkey={passkey} />
        ))}
      </tbody>
    </Table>
  </ScrollRegion>
);

function PasskeyRow({ passkey }: { readonly passkey: OwnPasskey }) {
  const client = useQueryClient();
  const { passkeyId, name, host } = passkey;
  return (
    <tr>
      <td className="wrap">
        <bdi>{name}</bdi>
        {host !== location.hostname && (
          <Text size="sm" c="dimmed">
            Works only at {host}
          </Text>
        )}
      </td>
      <td>
        <RelativeTime at={passkey.createdAt} />
      </td>
      <td>
        <RelativeTime at={passkey.lastUsedAt} />
      </td>
      <td className="end">
        <ConfirmButton
          label="Remove"
          name={`Remove ${name}`}
          title="Remove this passkey?"
          confirmLabel="Remove passkey"
          onConfirm={async () => {
            await api.removePasskey({ params: { passkeyId } });
            await refetchPasskeys(client);
          }}
        >
          <Text className="wrap">
            “<bdi>{name}</bdi>” will no longer sign you in. Delete it on your device too.
          </Text>
        </ConfirmButton>
      </td>
    </tr>
  );
}

function AddPasskey() {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const added = useMutation({
    mutationFn: () => addPasskey(name.trim()),
    onSuccess: async () => {
      setName("");
      await refetchPasskeys(client);
    },
  });
  const failure = added.error instanceof ApiFailure ? added.error : null;
  const submit = useSubmit(() => added.mutateAsync(), name.trim() !== "");
  if (!takesPasskeys())
    return (
      <Text size="sm">
        {isSecureContext
          ? "Update this browser to add a passkey."
          : "Open the console over HTTPS to add a passkey."}
      </Text>
    );
  return (
    <form onSubmit={submit}>
      <Stack>
        {added.error && <ErrorAlert error={added.error} />}
        <Group align="flex-end" className="fields">
          <TextInput
            label="Passkey name"
            placeholder="Work laptop"
            autoComplete="off"
            flex={1}
            maw={360}
            value={name}
            error={failure?.issueAt("name")}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <AsyncButton
            type="submit"
            variant="default"
            isPending={added.isPending}
            disabled={name.trim() === ""}
          >
            Add a passkey
          </AsyncButton>
        </Group>
      </Stack>
    </form>
  );
}
