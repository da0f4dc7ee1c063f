import { LIMITS } from "@headwater/contract/limits";
import { Group, Paper, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiFailure, api } from "../../api.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ButtonLink } from "../../ui/links.tsx";
import { Page } from "../../ui/page.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { RequirePermission } from "../../ui/require-permission.tsx";
import { useIsMounted } from "../../ui/use-is-mounted.ts";
import { useSubmit } from "../../ui/use-submit.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { FrameworkField } from "./framework-field.tsx";
import { ALLOWED_ORIGINS, areValidOrigins, cleanOrigins, OriginsField } from "./origins-field.tsx";

export const CreateSourcePage = () => (
  <Page
    title="Create source"
    lead="Create one source per site or app. Each has its own public key and snippet."
  >
    <RequirePermission permission="sources:write">
      <CreateSource />
    </RequirePermission>
  </Page>
);

function CreateSource() {
  const { organizationId } = useWorkspace();
  const navigate = useNavigate();
  const isMounted = useIsMounted();
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [origins, setOrigins] = useState<string[]>([""]);
  const [frameworkHint, setFramework] = useState<string | null>(null);
  const created = useMutation({
    mutationFn: () =>
      api.createSource({
        body: { organizationId, name: name.trim(), allowedOrigins: cleanOrigins(origins), frameworkHint },
      }),
    onSuccess: async ({ sourceId }) => {
      await client.invalidateQueries({ queryKey: ["sources"] });
      if (!isMounted()) return;
      await navigate({ to: "/analytics/setup/install", search: { sourceId }, ignoreBlocker: true });
    },
  });
  const failure = created.error instanceof ApiFailure ? created.error : null;
  const isDirty = name.trim() !== "" || cleanOrigins(origins).length > 0 || frameworkHint !== null;
  const submit = useSubmit(() => created.mutateAsync(), isDirty);
  return (
    <Paper withBorder p="lg" maw={760} component="form" onSubmit={submit}>
      <Stack>
        {created.error && <ErrorAlert error={created.error} />}
        <TextInput
          label="Name"
          placeholder="Shop"
          required
          maxLength={LIMITS.maxNameLength}
          value={name}
          error={failure?.issueAt("name")}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <OriginsField
          {...ALLOWED_ORIGINS}
          origins={origins}
          onChange={setOrigins}
          issueAt={(index) => failure?.issueAt("allowedOrigins", index) ?? null}
        />
        <FrameworkField value={frameworkHint} onChange={setFramework} />
        <Group justify="flex-end">
          <ButtonLink variant="default" to="/sources">
            Cancel
          </ButtonLink>
          <AsyncButton
            type="submit"
            isPending={created.isPending}
            disabled={name.trim() === "" || !areValidOrigins(origins)}
          >
            Create source
          </AsyncButton>
        </Group>
      </Stack>
    </Paper>
  );
}
