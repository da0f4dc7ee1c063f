import type { Member } from "@headwater/contract";
import { isAbove } from "@headwater/contract/roles";
import { Group, NativeSelect, Paper, Stack, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, call } from "../../api.ts";
import { Expiry, expiresAt } from "../../ui/expiry.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { Failure } from "../../ui/states.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { WorkButton } from "../../ui/work-button.tsx";
import { useWorkspace } from "../../workspace.tsx";

const labelOf = ({ name, email, userId, role }: Member) => `${name ?? email ?? userId} (${role})`;

export function CreateToken() {
  const { organizationId, userId: ownId, role: own, can } = useWorkspace();
  const client = useQueryClient();
  const [label, setLabel] = useState("");
  const [userId, setUserId] = useState(ownId);
  const [days, setDays] = useState("90");
  const members = useQuery({
    queryKey: ["members", organizationId, "first"],
    queryFn: ({ signal }) => call("listMembers", { query: { organizationId }, signal }),
    enabled: can("members:manage"),
  });
  const created = useMutation({
    mutationFn: () =>
      call("createToken", {
        body: { organizationId, userId, label: label.trim(), expiresAt: expiresAt(days) },
      }),
    onSuccess: async () => {
      setLabel("");
      await client.invalidateQueries({ queryKey: ["tokens"] });
    },
  });
  const failure = created.error instanceof ApiError ? created.error : null;
  const others = (members.data?.members ?? []).filter(
    (one) => one.userId !== ownId && !isAbove(one.role, own),
  );
  const submit = useSubmit(() => created.mutateAsync(), label.trim() !== "");
  return (
    <Paper withBorder p="lg" component="form" onSubmit={submit}>
      <Stack>
        <Title order={2} size="h4">
          Make a token
        </Title>
        {created.error && <Failure error={created.error} />}
        <Group align="flex-start" grow className="fields">
          <TextInput
            label="Label"
            placeholder="Deploy script"
            required
            value={label}
            error={failure?.issueAt("label")}
            onChange={(event) => setLabel(event.currentTarget.value)}
          />
          <NativeSelect
            label="For"
            value={userId}
            data={[
              { value: ownId, label: "You" },
              ...others.map((one) => ({ value: one.userId, label: labelOf(one) })),
            ]}
            onChange={(event) => setUserId(event.currentTarget.value)}
          />
          <Expiry days={days} onChange={setDays} />
        </Group>
        <Group justify="flex-end">
          <WorkButton type="submit" isWorking={created.isPending} disabled={label.trim() === ""}>
            Make it
          </WorkButton>
        </Group>
        {created.data && (
          <ShownOnce
            title={`“${created.data.label}” is shown this once`}
            secret={created.data.token}
            copyLabel="Copy the token"
          />
        )}
      </Stack>
    </Paper>
  );
}
