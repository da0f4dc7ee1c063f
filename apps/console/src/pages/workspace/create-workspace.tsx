/** Another workspace: sources, members and tokens of its own. */
import { LIMITS } from "@headwater/contract/limits";
import { Button, Group, Paper, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, call } from "../../api.ts";
import { organizationsQuery } from "../../queries.ts";
import { ButtonLink } from "../../ui/link.tsx";
import { Page } from "../../ui/page.tsx";
import { Failure } from "../../ui/states.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { useWorkspace } from "../../workspace.tsx";

export const CreateWorkspacePage = () => (
  <Page title="New workspace" lead="It has sources, members and tokens of its own, and you own it.">
    <CreateWorkspace />
  </Page>
);

function CreateWorkspace() {
  const { choose } = useWorkspace();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [name, setName] = useState("");
  const created = useMutation({
    mutationFn: () => call("createOrganization", { body: { name: name.trim() } }),
    onSuccess: async ({ organizationId }) => {
      await client.invalidateQueries({ queryKey: organizationsQuery.queryKey });
      choose(organizationId);
      await navigate({ to: "/sources" });
    },
  });
  const failure = created.error instanceof ApiError ? created.error : null;
  const submit = useSubmit(() => created.mutateAsync());
  return (
    <Paper withBorder p="lg" maw={560} component="form" onSubmit={submit}>
      <Stack>
        {created.error && <Failure error={created.error} />}
        <TextInput
          label="Name"
          required
          maxLength={LIMITS.nameLength}
          value={name}
          error={failure?.issueAt("name")}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <ButtonLink variant="default" to="/sources">
            Cancel
          </ButtonLink>
          <Button type="submit" loading={created.isPending} disabled={name.trim() === ""}>
            Create
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
