import { LIMITS } from "@headwater/contract/limits";
import { Group, Paper, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, call } from "../../api.ts";
import { ButtonLink } from "../../ui/link.tsx";
import { Page } from "../../ui/page.tsx";
import { Failure, Permitted } from "../../ui/states.tsx";
import { useIsHere } from "../../ui/use-is-here.ts";
import { useSubmit } from "../../ui/use-submit.ts";
import { WorkButton } from "../../ui/work-button.tsx";
import { useWorkspace } from "../../workspace.tsx";
import { FrameworkField } from "./framework-field.tsx";
import { areOrigins, givenOrigins, OriginsField } from "./origins-field.tsx";

export const CreateSourcePage = () => (
  <Page
    title="Create a source"
    lead="One for each application: it gets a public key and a snippet of its own."
  >
    <Permitted to="sources:write">
      <CreateSource />
    </Permitted>
  </Page>
);

function CreateSource() {
  const { organizationId } = useWorkspace();
  const navigate = useNavigate();
  const isHere = useIsHere();
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [origins, setOrigins] = useState<string[]>([""]);
  const [frameworkHint, setFramework] = useState<string | null>(null);
  const created = useMutation({
    mutationFn: () =>
      call("createSource", {
        body: { organizationId, name: name.trim(), allowedOrigins: givenOrigins(origins), frameworkHint },
      }),
    onSuccess: async ({ sourceId }) => {
      await client.invalidateQueries({ queryKey: ["sources"] });
      if (!isHere()) return;
      await navigate({ to: "/analytics/setup/install", search: { sourceId }, ignoreBlocker: true });
    },
  });
  const failure = created.error instanceof ApiError ? created.error : null;
  const isBegun = name.trim() !== "" || givenOrigins(origins).length > 0 || frameworkHint !== null;
  const submit = useSubmit(() => created.mutateAsync(), isBegun);
  return (
    <Paper withBorder p="lg" maw={680} component="form" onSubmit={submit}>
      <Stack>
        {created.error && <Failure error={created.error} />}
        <TextInput
          label="Name"
          placeholder="Shop"
          required
          maxLength={LIMITS.nameLength}
          value={name}
          error={failure?.issueAt("name")}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <OriginsField
          origins={origins}
          onChange={setOrigins}
          issueAt={(index) => failure?.issueAt("allowedOrigins", index) ?? null}
        />
        <FrameworkField value={frameworkHint} onChange={setFramework} />
        <Group justify="flex-end">
          <ButtonLink variant="default" to="/sources">
            Cancel
          </ButtonLink>
          <WorkButton
            type="submit"
            isWorking={created.isPending}
            disabled={name.trim() === "" || !areOrigins(origins)}
          >
            Create
          </WorkButton>
        </Group>
      </Stack>
    </Paper>
  );
}
