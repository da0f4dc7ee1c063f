import type { CreatedToken, Member } from "@headwater/contract";
import { isAbove } from "@headwater/contract/roles";
import { Alert, Button, Code, Group, NativeSelect, Paper, Stack, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { Static } from "typebox";
import { ApiError, call } from "../../api.ts";
import { Copy } from "../../ui/copy.tsx";
import { Failure } from "../../ui/states.tsx";
import { useWorkspace } from "../../workspace.tsx";

const DAY_MS = 86_400_000;
const EXPIRIES = [
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "", label: "Never" },
];

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
    mutationFn: () => {
      const expiresAt = days === "" ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
      return call("createToken", { body: { organizationId, userId, label: label.trim(), expiresAt } });
    },
    onSuccess: async () => {
      setLabel("");
      await client.invalidateQueries({ queryKey: ["tokens"] });
    },
  });
  const failure = created.error instanceof ApiError ? created.error : null;
  const others = (members.data?.members ?? []).filter(
    (one) => one.userId !== ownId && !isAbove(one.role, own),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    created.mutate();
  };
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
          <NativeSelect
            label="Expires"
            value={days}
            data={EXPIRIES}
            onChange={(event) => setDays(event.currentTarget.value)}
          />
        </Group>
        <Group justify="flex-end">
          <Button type="submit" loading={created.isPending} disabled={label.trim() === ""}>
            Make it
          </Button>
        </Group>
        {created.data && <Shown created={created.data} />}
      </Stack>
    </Paper>
  );
}

const Shown = ({ created: { label, token } }: { readonly created: Static<typeof CreatedToken> }) => (
  <Alert color="green" title={`“${label}” is shown this once`} role="status" className="wrap">
    <Group gap="sm">
      <Code className="wrap">{token}</Code>
      <Copy text={token} label="Copy the token" />
    </Group>
  </Alert>
);
