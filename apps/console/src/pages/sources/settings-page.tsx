/** The settings page of one source: general fields, privacy, embedding, limits, public key, activation and deletion. */
import type { Source } from "@headwater/contract";
import { Button, Group, Paper, Stack, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api.ts";
import { useInvalidateSource } from "../../queries.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { pluralize } from "../../ui/format-count.ts";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { SectionHeader } from "../../ui/section-header.tsx";
import { useIsMounted } from "../../ui/use-is-mounted.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { EmbeddingForm, GeneralForm, PrivacyForm } from "./general-form.tsx";
import { LimitsForm } from "./limits-form.tsx";
import { PublicKeySection } from "./public-key-section.tsx";
import { Sections } from "./sections.tsx";
import { useSourceUpdate } from "./source-form.tsx";
import { SourcePage } from "./source-page.tsx";

export const SettingsPage = () => (
  <SourcePage title="Settings" permission="sources:write">
    {(source) => <Settings source={source} />}
  </SourcePage>
);

function Settings({ source }: { readonly source: Source }) {
  const { can } = useWorkspace();
  return (
    <Sections
      sections={[
        { title: "General", content: <GeneralForm source={source} /> },
        { title: "Privacy", content: <PrivacyForm source={source} /> },
        { title: "Embedding", content: <EmbeddingForm source={source} /> },
        can("sources:admin") && { title: "Limits", content: <LimitsForm source={source} /> },
        can("sources:admin") && { title: "Public key", content: <PublicKeySection source={source} /> },
        { title: activeTitle(source), content: <ActiveSection source={source} /> },
        can("sources:admin") && { title: "Delete source", content: <DeleteSection source={source} /> },
      ]}
    />
  );
}

const activeTitle = ({ isActive }: Source) => (isActive ? "Deactivate source" : "Activate source");

function ActiveSection({ source }: { readonly source: Source }) {
  const { isActive } = source;
  const switched = useSourceUpdate(source);
  return (
    <Section
      title={activeTitle(source)}
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
  const { sourceId, name, retentionDays } = source;
  const [isDialogOpen, setDialogOpen] = useState(false);
  const navigate = useNavigate();
  const isMounted = useIsMounted();
  const invalidateSource = useInvalidateSource();
  return (
    <Section
      isDangerous
      title="Delete source"
      text="Its keys stop working immediately. Stored events are kept. This cannot be undone."
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
        onConfirm={async () => {
          await api.deleteSource({ params: { sourceId } });
          if (isMounted()) await navigate({ to: "/sources", ignoreBlocker: true });
          await invalidateSource(sourceId);
        }}
      >
        <Text className="wrap">
          “<bdi>{name}</bdi>” stops accepting events and leaves every list. Its share links, reports and
          tokens stop working.
        </Text>
        <Text>
          Its stored events stay in the warehouse{" "}
          {retentionDays === null ? "for good" : `until they are ${pluralize(retentionDays, "day")} old`}, and
          nobody can open them. To keep a copy, export them first. To have them deleted, set a retention under
          Goals &amp; data first.
        </Text>
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
  <Paper withBorder p="lg" className={isDangerous ? "danger" : ""}>
    <Stack gap="sm">
      <Group justify="space-between" wrap="nowrap">
        <SectionHeader title={title}>{text}</SectionHeader>
        {action}
      </Group>
      {children}
    </Stack>
  </Paper>
);
