import type { CreateTokenBody, Member } from "@headwater/contract";
import { isAbove } from "@headwater/contract/roles";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiAnswer, ApiFailure, api } from "../../api.ts";
import { membersQuery } from "../../queries.ts";
import { roleName } from "../../role-texts.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ExpirySelect, toExpiresAt } from "../../ui/expiry-select.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { Group, Stack } from "../../ui/primitives/elements.tsx";
import { NativeSelect, TextInput } from "../../ui/primitives/fields.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { ScopeFields } from "./scope-fields.tsx";

const labelOf = ({ name, userId, role }: Member) => `${name ?? userId} (${roleName(role)})`;

export type CreatedToken = ApiAnswer<"createToken">;

interface CreateTokenFormProps {
  /** The token itself is in this answer only. */
  readonly onCreated: (token: CreatedToken) => void;
}

export function CreateTokenForm({ onCreated }: CreateTokenFormProps) {
  const { organizationId, userId: ownId, role: ownRole, can } = useWorkspace();
  const client = useQueryClient();
  const [label, setLabel] = useState("");
  const [userId, setUserId] = useState(ownId);
  const [days, setDays] = useState("90");
  const [limit, setLimit] = useState<Pick<CreateTokenBody, "scope" | "sourceId">>({});
  const isOfSource = limit.sourceId != null;
  const { data: members = [] } = useQuery({
    ...membersQuery(organizationId),
    enabled: can("members:manage"),
  });
  const created = useMutation({
    mutationFn: () =>
      api.createToken({
        body: {
          organizationId,
          label: label.trim(),
          expiresAt: toExpiresAt(days),
          ...(isOfSource ? limit : { userId }),
        },
      }),
    onSuccess: async (token) => {
      await client.invalidateQueries({ queryKey: ["tokens"] });
      onCreated(token);
    },
  });
  const failure = created.error instanceof ApiFailure ? created.error : null;
  const accounts = members.filter(
    ({ kind, userId: id, role }) => kind === "service_account" && id !== ownId && !isAbove(role, ownRole),
  );
  const acting = accounts.find((one) => one.userId === userId);
  const submit = useSubmit(() => created.mutateAsync(), label.trim() !== "");
  return (
    <form onSubmit={submit}>
      <Stack>
        {created.error && <ErrorAlert error={created.error} />}
        <TextInput
          label="Label"
          placeholder="Deploy script"
          required
          data-autofocus
          value={label}
          error={failure?.issueAt("label")}
          onChange={(event) => setLabel(event.currentTarget.value)}
        />
        <ScopeFields limit={limit} role={acting?.role ?? ownRole} onChange={setLimit} />
        {!isOfSource && (
          <NativeSelect
            label="Acts as"
            description="A service account’s token keeps working after you leave the workspace."
            value={userId}
            data={[
              { value: ownId, label: "You" },
              ...accounts.map((one) => ({ value: one.userId, label: labelOf(one) })),
            ]}
            onChange={(event) => setUserId(event.currentTarget.value)}
          />
        )}
        <ExpirySelect days={days} onChange={setDays} />
        <Group justify="flex-end">
          <AsyncButton type="submit" isPending={created.isPending} disabled={label.trim() === ""}>
            Create token
          </AsyncButton>
        </Group>
      </Stack>
    </form>
  );
}
