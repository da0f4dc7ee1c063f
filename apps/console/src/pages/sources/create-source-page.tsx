import { LIMITS } from "@headwater/contract/limits";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { ApiFailure, api } from "../../api.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ButtonLink } from "../../ui/links.tsx";
import { Page } from "../../ui/page.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { Group, Paper, Stack, Text } from "../../ui/primitives/elements.tsx";
import { TextInput } from "../../ui/primitives/fields.tsx";
import { RequirePermission } from "../../ui/require-permission.tsx";
import { useIsMounted } from "../../ui/use-is-mounted.ts";
import { useSubmit } from "../../ui/use-submit.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { FrameworkField } from "./framework-field.tsx";
import { areValidOrigins, cleanOrigins, OriginLine, OriginLines } from "./origins-field.tsx";

/** Sources whose names contain the new one that are looked at. */
const MAX_NAMESAKES = 50;

export const CreateSourcePage = () => (
  <Page
    title="Create source"
    lead="Create one source per site or app. Each has its own public key and snippet."
  >
    <RequirePermission permission="sources:write">
      <ol className="first-steps first-steps-row" aria-label="Steps">
        <li aria-current="step">Create</li>
        <li>Install</li>
        <li>First visit</li>
      </ol>
      <CreateSource />
    </RequirePermission>
  </Page>
);

/** Names need not be unique. The slug of a source that has the name already; null: none has. */
function useNamesake(name: string): string | null {
  const { organizationId } = useWorkspace();
  const { data } = useQuery({
    queryKey: ["sources", organizationId, "named", name],
    queryFn: ({ signal }) =>
      api.listSources({ query: { organizationId, search: name, limit: MAX_NAMESAKES }, signal }),
    enabled: name !== "",
  });
  const isSame = (other: string) => other.toLowerCase() === name.toLowerCase();
  return data?.sources.find((source) => isSame(source.name))?.slug ?? null;
}

function CreateSource() {
  const { organizationId } = useWorkspace();
  const navigate = useNavigate();
  const isMounted = useIsMounted();
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [origins, setOrigins] = useState<string[]>([""]);
  const [frameworkHint, setFramework] = useState<string | null>(null);
  const finalName = name.trim() || nameFor(origins);
  const created = useMutation({
    mutationFn: () =>
      api.createSource({
        body: { organizationId, name: finalName, allowedOrigins: cleanOrigins(origins), frameworkHint },
      }),
    onSuccess: async ({ sourceId }) => {
      await client.invalidateQueries({ queryKey: ["sources"] });
      if (!isMounted()) return;
      await navigate({ to: "/analytics/setup/install", search: { sourceId }, ignoreBlocker: true });
    },
  });
  const failure = created.error instanceof ApiFailure ? created.error : null;
  const isDirty = name.trim() !== "" || cleanOrigins(origins).length > 0 || frameworkHint !== null;
  const [isRefused, setRefused] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const submit = useSubmit(() => {
    if (finalName !== "" && areValidOrigins(origins)) return created.mutateAsync();
    flushSync(() => setRefused(true));
    focusFirstInvalid(form.current);
  }, isDirty);
  return (
    <Paper p="lg" maw={760} component="form" ref={form} onSubmit={submit} noValidate>
      <Stack>
        {created.error && <ErrorAlert error={created.error} />}
        <AddressFields
          origins={origins}
          onChange={setOrigins}
          issueAt={(index) => failure?.issueAt("allowedOrigins", index) ?? null}
        />
        <NameField
          name={name}
          placeholder={nameFor(origins)}
          onChange={setName}
          error={
            isRefused && finalName === "" && areValidOrigins(origins)
              ? "Enter a name or an address."
              : failure?.issueAt("name")
          }
        />
        <FrameworkField value={frameworkHint} onChange={setFramework} />
        <Group justify="flex-end">
          <ButtonLink variant="default" to="/sources">
            Cancel
          </ButtonLink>
          <AsyncButton type="submit" isPending={created.isPending}>
            Create source
          </AsyncButton>
        </Group>
      </Stack>
    </Paper>
  );
}

/** @returns the name of a source that was given none: that of its site, such as `shop.example`; empty: it has no site */
function nameFor(origins: readonly string[]): string {
  const host = URL.parse(cleanOrigins(origins)[0] ?? "")?.host ?? "";
  return host.includes("*") ? "" : host.replace(/^www\./, "").slice(0, LIMITS.maxNameLength);
}

interface NameFieldProps {
  readonly name: string;
  /** The name that the source gets if the field stays empty. */
  readonly placeholder: string;
  readonly onChange: (name: string) => void;
  readonly error: string | null | undefined;
}

/** Looks for a source with this name when the field is left. */
function NameField({ name, placeholder, onChange, error }: NameFieldProps) {
  const [leftName, setLeftName] = useState("");
  const namesake = useNamesake(leftName);
  return (
    <>
      <TextInput
        label="Name"
        description="Leave this empty to use the site’s address."
        placeholder={placeholder || "Shop"}
        maxLength={LIMITS.maxNameLength}
        value={name}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
        onBlur={() => setLeftName(name.trim())}
      />
      {namesake !== null && (
        <Text size="sm" c="dimmed" role="status">
          Another source has this name. The list of sources shows slugs, such as {namesake}, to tell them
          apart.
        </Text>
      )}
    </>
  );
}

function focusFirstInvalid(form: HTMLElement | null): void {
  const field = form?.querySelector<HTMLElement>("[aria-invalid=true]");
  field?.closest("details")?.setAttribute("open", "");
  field?.focus();
}

interface AddressFieldsProps {
  readonly origins: readonly string[];
  readonly onChange: (origins: string[]) => void;
  /** The API's message about the origin at that index. */
  readonly issueAt: (index: number) => string | null;
}

/** The allowed origins: most sources have one. */
function AddressFields({ origins: [first = "", ...others], onChange, issueAt }: AddressFieldsProps) {
  return (
    <div>
      <OriginLine
        label="Website address"
        description="Only sites that you enter here can send events."
        autoFocus
        line={first}
        issue={issueAt(0)}
        onChange={(value) => onChange([value, ...others])}
      />
      <details className="more-addresses">
        <summary>More addresses</summary>
        <Text size="sm" c="dimmed" mb="xs">
          Enter one address per field, such as example.com or localhost:3000. Use https://*.example.com for
          all subdomains, http://localhost:* for any port, or * for every site.
        </Text>
        <OriginLines
          lineLabel="Origin"
          first={2}
          origins={others}
          onChange={(changed) => onChange([first, ...changed])}
          issueAt={(index) => issueAt(index + 1)}
        />
      </details>
    </div>
  );
}
