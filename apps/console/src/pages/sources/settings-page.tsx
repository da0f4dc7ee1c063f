/** One source: what it is called and takes, its key, and its end. */
import type { Source } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { Button, Group, Paper, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { callApi } from "../../api.ts";
import { useInvalidateSource } from "../../queries.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { SectionHeader } from "../../ui/section-header.tsx";
import { useIsMounted } from "../../ui/use-is-mounted.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { FrameworkField } from "./framework-field.tsx";
import { LimitsForm } from "./limits-form.tsx";
import { areOrigins, givenOrigins, OriginsField } from "./origins-field.tsx";
import { PublicKeySection } from "./public-key-section.tsx";
import { SaveRow, useSourceForm, useSourceUpdate } from "./source-form.tsx";
import { SourcePage } from "./source-page.tsx";

export const SettingsPage = () => (
  <SourcePage title="Settings" permission="sources:write">
    {(source) => <Settings source={source} />}
  </SourcePage>
);

function Settings({ source }: { readonly source: Source }) {
  const { can } = useWorkspace();
  return (
    <Stack gap="lg" maw={760}>
      <SourceFields source={source} />
      <ActiveSection source={source} />
      {can("sources:admin") && (
        <>
          <LimitsForm source={source} />
          <PublicKeySection source={source} />
          <DeleteSection source={source} />
        </>
      )}
    </Stack>
  );
}

const fieldsOf = ({ name, slug, allowedOrigins, frameworkHint, requireOrigin, privacy }: Source) => ({
  name,
  slug,
  allowedOrigins,
  frameworkHint,
  requireOrigin,
  ...privacy,
});
type SourceFields = ReturnType<typeof fieldsOf>;

const tidy = (typed: Partial<SourceFields>): Partial<SourceFields> => ({
  ...typed,
  ...(typed.name !== undefined && { name: typed.name.trim() }),
  ...(typed.allowedOrigins && { allowedOrigins: givenOrigins(typed.allowedOrigins) }),
});

/** What is undefined is not sent. */
const patchOf = ({ respectGpc, requireConsent, ...rest }: Partial<SourceFields>) => {
  const privacy = {
    ...(respectGpc !== undefined && { respectGpc }),
    ...(requireConsent !== undefined && { requireConsent }),
  };
  return { ...rest, ...(Object.keys(privacy).length > 0 && { privacy }) };
};

function SourceFields({ source }: { readonly source: Source }) {
  const form = useSourceForm({ source, kept: fieldsOf(source), tidy, patchOf });
  const { fields, put, submit, saved, failure } = form;
  return (
    <Paper withBorder p="lg" component="form" aria-label="The source" onSubmit={submit}>
      <Stack>
        {saved.error && <ErrorAlert error={saved.error} />}
        <TextInput
          label="Name"
          required
          maxLength={LIMITS.maxNameLength}
          value={fields.name}
          error={failure?.issueAt("name")}
          onChange={(event) => put({ name: event.currentTarget.value })}
        />
        <TextInput
          label="Slug"
          description="Its short name, in small letters, digits and hyphens."
          required
          maxLength={LIMITS.maxSlugLength}
          value={fields.slug}
          error={failure?.issueAt("slug")}
          onChange={(event) => put({ slug: event.currentTarget.value })}
        />
        <OriginsField
          origins={fields.allowedOrigins}
          onChange={(allowedOrigins) => put({ allowedOrigins })}
          issueAt={(index) => failure?.issueAt("allowedOrigins", index) ?? null}
        />
        <FrameworkField value={fields.frameworkHint} onChange={(frameworkHint) => put({ frameworkHint })} />
        <Switch
          label="Only requests that say where they come from"
          description="Browsers always do. Switch it off for a server or an app, which send no origin."
          checked={fields.requireOrigin}
          onChange={(event) => put({ requireOrigin: event.currentTarget.checked })}
        />
        <Switch
          label="Heed Global Privacy Control"
          description="Visitors whose browser sends it are not counted."
          checked={fields.respectGpc}
          onChange={(event) => put({ respectGpc: event.currentTarget.checked })}
        />
        <Switch
          label="Wait for consent"
          description="Nothing is counted or kept in the browser before the page says that consent was given."
          checked={fields.requireConsent}
          onChange={(event) => put({ requireConsent: event.currentTarget.checked })}
        />
        <SaveRow
          saved={saved}
          label="Save"
          disabled={fields.name.trim() === "" || !areOrigins(fields.allowedOrigins)}
        />
      </Stack>
    </Paper>
  );
}

function ActiveSection({ source }: { readonly source: Source }) {
  const { isActive } = source;
  const switched = useSourceUpdate(source);
  return (
    <Section
      title={isActive ? "Switch off" : "Switch on"}
      text={
        isActive
          ? "Everything that is sent is refused until it is switched on again, and shows in the debug view."
          : "Everything that is sent to this source is refused at present."
      }
      action={
        <AsyncButton
          variant={isActive ? "default" : "filled"}
          isPending={switched.isPending}
          onPress={() => switched.mutateAsync({ isActive: !isActive })}
        >
          {isActive ? "Switch off" : "Switch on"}
        </AsyncButton>
      }
    >
      {switched.error && <ErrorAlert error={switched.error} />}
    </Section>
  );
}

function DeleteSection({ source }: { readonly source: Source }) {
  const { sourceId, name } = source;
  const [isAsked, setAsked] = useState(false);
  const navigate = useNavigate();
  const isMounted = useIsMounted();
  const changed = useInvalidateSource();
  return (
    <Section
      title="Delete"
      text="Its keys stop at once. It cannot be brought back; what it has counted is kept."
      action={
        <Button color="red" variant="light" onClick={() => setAsked(true)}>
          Delete …
        </Button>
      }
    >
      <ConfirmDialog
        title="Delete this source?"
        confirmLabel="Delete it"
        opened={isAsked}
        onClose={() => setAsked(false)}
        onConfirm={async () => {
          await callApi("deleteSource", { params: { sourceId } });
          if (isMounted()) await navigate({ to: "/sources", ignoreBlocker: true });
          await changed(sourceId);
        }}
      >
        <Text className="wrap">
          Every page that sends to “<bdi>{name}</bdi>” will be refused from now on, and the source leaves the
          list.
        </Text>
      </ConfirmDialog>
    </Section>
  );
}

interface SectionProps {
  readonly title: string;
  readonly text: string;
  readonly action: React.ReactNode;
  readonly children?: React.ReactNode;
}

const Section = ({ title, text, action, children }: SectionProps) => (
  <Paper withBorder p="lg">
    <Stack gap="sm">
      <Group justify="space-between" wrap="nowrap">
        <SectionHeader title={title}>{text}</SectionHeader>
        {action}
      </Group>
      {children}
    </Stack>
  </Paper>
);
