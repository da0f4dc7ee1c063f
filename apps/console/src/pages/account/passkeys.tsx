/** The passkeys of the user, in the card "Sign-in" of the profile page. */
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiAnswer, ApiFailure, api } from "../../api.ts";
import { addPasskey, takesPasskeys } from "../../passkeys.ts";
import { signInMethodsQuery } from "../../queries.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ConfirmButton } from "../../ui/confirm-dialog.tsx";
import { ErrorAlert, QueryResult } from "../../ui/page-states.tsx";
import { ColumnHeads, toColumnVariables } from "../../ui/paged-table.tsx";
import { Group, Stack, Table, Text } from "../../ui/primitives/elements.tsx";
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

/** A part of the card "Sign-in": below its state is what the user can do, or what is missing. */
export function Passkeys() {
  const query = useQuery(passkeysQuery);
  return (
    <section aria-label="Passkeys">
      <Stack gap={0} px="lg" pb="sm">
        <Text fw={600}>Passkeys</Text>
        <Text size="sm" c="dimmed">
          {query.data?.unavailable
            ? "Not available"
            : "Sign in with your fingerprint, face, PIN or security key."}
        </Text>
      </Stack>
      <QueryResult query={query} rows={1}>
        {({ passkeys, unavailable }) => (
          <>
            {passkeys.length > 0 && <PasskeyTable passkeys={passkeys} />}
            <Stack px="lg" pt={passkeys.length > 0 ? "lg" : 0} pb="lg">
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
    </section>
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
