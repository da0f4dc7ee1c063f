/** The settings of one source: fields, activation, limits, public key and deletion. */
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
import { areValidOrigins, cleanOrigins, OriginsField } from "./origins-field.tsx";
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

const toFields = ({ name, slug, allowedOrigins, frameworkHint, requireOrigin, privacy }: Source) => ({
  name,
  slug,
  allowedOrigins,
  frameworkHint,
  requireOrigin,
  ...privacy,
});
type SourceFieldValues = ReturnType<typeof toFields>;

const normalize = (edited: Partial<SourceFieldValues>): Partial<SourceFieldValues> => ({
  ...edited,
  ...(edited.name !== undefined && { name: edited.name.trim() }),
  ...(edited.allowedOrigins && { allowedOrigins: cleanOrigins(edited.allowedOrigins) }),
});

/** Undefined members are not sent. */
const toPatch = ({ respectGpc, requireConsent, ...rest }: Partial<SourceFieldValues>) => {
  const privacy = {
    ...(respectGpc !== undefined && { respectGpc }),
    ...(requireConsent !== undefined && { requireConsent }),
  };
  return { ...rest, ...(Object.keys(privacy).length > 0 && { privacy }) };
};

function SourceFields({ source }: { readonly source: Source }) {
  const form = useSourceForm({ source, stored: toFields(source), normalize, toPatch });
  const { fields, setFields, submit, saved, failure } = form;
  return (
    <Paper withBorder p="lg" component="form" aria-label="General" onSubmit={submit}>
      <Stack>
        {saved.error && <ErrorAlert error={saved.error} />}
        <TextInput
          label="Name"
          required
          maxLength={LIMITS.maxNameLength}
          value={fields.name}
          error={failure?.issueAt("name")}
          onChange={(event) => setFields({ name: event.currentTarget.value })}
        />
        <TextInput
          label="Slug"
          description="Lowercase letters, digits and hyphens."
          required
          maxLength={LIMITS.maxSlugLength}
          value={fields.slug}
          error={failure?.issueAt("slug")}
          onChange={(event) => setFields({ slug: event.currentTarget.value })}
        />
        <OriginsField
          origins={fields.allowedOrigins}
          onChange={(allowedOrigins) => setFields({ allowedOrigins })}
          issueAt={(index) => failure?.issueAt("allowedOrigins", index) ?? null}
        />
        <FrameworkField
          value={fields.frameworkHint}
          onChange={(frameworkHint) => setFields({ frameworkHint })}
        />
        <Switch
          label="Require an Origin header"
          description="Browsers always send it. Turn this off for servers and apps, which do not."
          checked={fields.requireOrigin}
          onChange={(event) => setFields({ requireOrigin: event.currentTarget.checked })}
        />
        <Switch
          label="Respect Global Privacy Control"
          description="Visitors whose browser sends this signal are not counted."
          checked={fields.respectGpc}
          onChange={(event) => setFields({ respectGpc: event.currentTarget.checked })}
        />
        <Switch
          label="Require consent"
          description="Nothing is counted or stored in the browser until your site reports consent."
          checked={fields.requireConsent}
          onChange={(event) => setFields({ requireConsent: event.currentTarget.checked })}
        />
        <SaveRow
          saved={saved}
          label="Save"
          disabled={fields.name.trim() === "" || !areValidOrigins(fields.allowedOrigins)}
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
      title={isActive ? "Deactivate source" : "Activate source"}
      text={
        isActive
          ? "An inactive source refuses all events. Refused requests still appear in debug."
          : "This source is inactive and refuses all events."
      }
      action={
        <AsyncButton
          variant={isActive ? "default" : "filled"}
          isPending={switched.isPending}
          onPress={() => switched.mutateAsync({ isActive: !isActive })}
        >
          {isActive ? "Deactivate" : "Activate"}
        </AsyncButton>
      }
    >
      {switched.error && <ErrorAlert error={switched.error} />}
    </Section>
  );
}

function DeleteSection({ source }: { readonly source: Source }) {
  const { sourceId, name } = source;
  const [isDialogOpen, setDialogOpen] = useState(false);
  const navigate = useNavigate();
  const isMounted = useIsMounted();
  const invalidateSource = useInvalidateSource();
  return (
    <Section
      title="Delete source"
      text="Its keys stop working immediately. Stored events are kept. This cannot be undone."
      action={
        <Button color="red" variant="light" onClick={() => setDialogOpen(true)}>
          Delete
        </Button>
      }
    >
      <ConfirmDialog
        title="Delete this source?"
        confirmLabel="Delete source"
        opened={isDialogOpen}
        onClose={() => setDialogOpen(false)}
        onConfirm={async () => {
          await callApi("deleteSource", { params: { sourceId } });
          if (isMounted()) await navigate({ to: "/sources", ignoreBlocker: true });
          await invalidateSource(sourceId);
        }}
      >
        <Text className="wrap">
          “<bdi>{name}</bdi>” will stop accepting events and disappear from the list.
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
