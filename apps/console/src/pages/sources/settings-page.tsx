/** All settings of a source on one page, with a list of its sections, and one bar that saves the changes. */
import type { Source } from "@headwater/contract";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api.ts";
import { useInvalidateSource } from "../../queries.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { pluralize } from "../../ui/format-count.ts";
import { TextLink } from "../../ui/links.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { Button, Group, Paper, Stack, Text } from "../../ui/primitives/elements.tsx";
import { Switch, TextInput } from "../../ui/primitives/fields.tsx";
import { SectionHeader } from "../../ui/section-header.tsx";
import { useIsMounted } from "../../ui/use-is-mounted.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { ADDRESSES, AddressesForm } from "./addresses-form.tsx";
import { AlertsSection } from "./alerts-section.tsx";
import { CHANNELS, ChannelsForm } from "./channels-form.tsx";
import { CONTENT_GROUPS, ContentGroupsForm } from "./content-groups-form.tsx";
import { EraseVisitorForm } from "./erase-visitor-form.tsx";
import { EXCLUSIONS, ExclusionsForm } from "./exclusions-form.tsx";
import { EMBEDDING, EmbeddingForm, GENERAL, GeneralForm, PRIVACY, PrivacyForm } from "./general-form.tsx";
import { GOALS, GoalsForm } from "./goals-form.tsx";
import { LIMITS_PART, LimitsForm } from "./limits-form.tsx";
import { PublicKeySection } from "./public-key-section.tsx";
import { RETENTION, RetentionForm } from "./retention-form.tsx";
import { Sections } from "./sections.tsx";
import { SettingsForm } from "./settings-form.tsx";
import { activeTitle, type SettingsSectionId, settingsSectionsOf } from "./settings-sections.ts";
import { SourcePage } from "./source-page.tsx";
import { useSourceUpdate } from "./source-update.ts";

export const SettingsPage = () => (
  <SourcePage title="Settings" permission="sources:write">
    {(source) => <Settings source={source} />}
  </SourcePage>
);

/** Each part of the settings form. A field is saved only if it belongs to one of them. */
const PARTS = [
  GENERAL,
  PRIVACY,
  EMBEDDING,
  GOALS,
  CONTENT_GROUPS,
  EXCLUSIONS,
  ADDRESSES,
  CHANNELS,
  LIMITS_PART,
  RETENTION,
];

function Settings({ source }: { readonly source: Source }) {
  const { can } = useWorkspace();
  const contents: Readonly<Record<SettingsSectionId, React.ReactNode>> = {
    general: <GeneralForm />,
    privacy: <PrivacyForm />,
    embedding: <EmbeddingForm />,
    "public-key": <PublicKeySection source={source} />,
    goals: <GoalsForm />,
    "content-groups": <ContentGroupsForm />,
    exclusions: <ExclusionsForm />,
    "page-urls": <AddressesForm />,
    "traffic-sources-and-channels": <ChannelsForm />,
    limits: <LimitsForm />,
    "data-retention": <RetentionForm />,
    alerts: <AlertsSection />,
    "erase-visitor": <EraseVisitorForm source={source} />,
    active: <ActiveSection source={source} />,
    "delete-source": <DeleteSection source={source} />,
  };
  const sections = settingsSectionsOf(source, can);
  return (
    <SettingsForm source={source} parts={PARTS}>
      <Sections sections={sections.map((section) => ({ ...section, content: contents[section.id] }))} />
    </SettingsForm>
  );
}

function ActiveSection({ source }: { readonly source: Source }) {
  const { isActive } = source;
  const switched = useSourceUpdate(source);
  return (
    <Section
      title={activeTitle(source)}
      text={
        isActive
          ? "A deactivated source refuses all requests. They still appear in Debug."
          : "This source is deactivated and refuses all requests."
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

/** Deletes all events but those of the last day at once, and these a day later. */
const SHORTEST_RETENTION_DAYS = 1;

function DeleteSection({ source }: { readonly source: Source }) {
  const { sourceId, organizationId, name, retentionDays } = source;
  const [isDialogOpen, setDialogOpen] = useState(false);
  const [deletesEvents, setDeletesEvents] = useState(true);
  const [typed, setTyped] = useState("");
  const navigate = useNavigate();
  const isMounted = useIsMounted();
  const invalidateSource = useInvalidateSource();
  return (
    <Section
      isDangerous
      title="Delete source"
      text="The source’s keys stop working immediately. This cannot be undone."
      action={
        <Button color="red" onClick={() => setDialogOpen(true)}>
          Delete
        </Button>
      }
    >
      <ConfirmDialog
        title="Delete this source?"
        confirmLabel="Delete source"
        opened={isDialogOpen}
        onClose={() => setDialogOpen(false)}
        canConfirm={typed.trim() === name.trim()}
        onConfirm={async () => {
          if (deletesEvents)
            await api.updateSource({
              params: { sourceId },
              body: { organizationId, retentionDays: SHORTEST_RETENTION_DAYS },
            });
          await api.deleteSource({ params: { sourceId } });
          if (isMounted()) await navigate({ to: "/sources", ignoreBlocker: true });
          await invalidateSource(sourceId);
        }}
      >
        <Text className="wrap">
          “<bdi>{name}</bdi>” stops accepting events and disappears from all lists. Its share links, reports
          and tokens stop working.
        </Text>
        <Switch
          label="Also delete its stored events"
          description={`The events are deleted from the warehouse within two days. Otherwise they stay ${retentionDays === null ? "forever" : `until they are ${pluralize(retentionDays, "day")} old`}, but nobody can open them.`}
          checked={deletesEvents}
          onChange={(event) => setDeletesEvents(event.currentTarget.checked)}
        />
        <Text>
          To keep a copy of the events,{" "}
          <TextLink to="/analytics/stats" search={{ sourceId, range: "all" }} underline="always">
            export them first
          </TextLink>
          .
        </Text>
        <TextInput
          label={`Type “${name}” to confirm`}
          spellCheck={false}
          data-autofocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </ConfirmDialog>
    </Section>
  );
}

interface SectionProps {
  readonly title: string;
  readonly text: string;
  readonly action: React.ReactNode;
  readonly isDangerous?: boolean;
  readonly children?: React.ReactNode;
}

const Section = ({ title, text, action, isDangerous, children }: SectionProps) => (
  <Paper p="lg" className={isDangerous ? "danger" : ""}>
    <Stack gap="sm">
      <Group justify="space-between" wrap="nowrap">
        <SectionHeader title={title}>{text}</SectionHeader>
        {action}
      </Group>
      {children}
    </Stack>
  </Paper>
);
