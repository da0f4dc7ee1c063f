/** One source: what it is called and takes, its key, and its end. */
import type { Source } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { Button, Group, Paper, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { ApiError, call } from "../../api.ts";
import { useSourceChanged } from "../../queries.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Head } from "../../ui/head.tsx";
import { Failure } from "../../ui/states.tsx";
import { useWorkspace } from "../../workspace.tsx";
import { FrameworkField } from "./framework-field.tsx";
import { KeySection } from "./key.tsx";
import { LimitsSection } from "./limits.tsx";
import { areOrigins, givenOrigins, OriginsField } from "./origins-field.tsx";
import { SourcePage } from "./source-page.tsx";
import { Save, type SourceUpdate, takeBack, useSourceUpdate } from "./update.tsx";

export const SettingsPage = () => (
  <SourcePage title="Settings" permission="sources:write">
    {(source) => <Settings source={source} />}
  </SourcePage>
);

function Settings({ source }: { readonly source: Source }) {
  const { can } = useWorkspace();
  const fields = useSourceUpdate(source);
  const limits = useSourceUpdate(source);
  return (
    <Stack gap="lg" maw={760}>
      <Fields key={source.updatedAt} source={source} saved={fields} />
      <ActiveSection source={source} />
      {can("sources:admin") && (
        <>
          <LimitsSection key={`limits ${source.updatedAt}`} source={source} saved={limits} />
          <KeySection source={source} />
          <DeleteSection source={source} />
        </>
      )}
    </Stack>
  );
}

function Fields({ source, saved }: { readonly source: Source; readonly saved: SourceUpdate }) {
  const [name, setName] = useState(source.name);
  const [slug, setSlug] = useState(source.slug);
  const [origins, setOrigins] = useState<string[]>(source.allowedOrigins);
  const [frameworkHint, setFramework] = useState(source.frameworkHint);
  const [requireOrigin, setRequireOrigin] = useState(source.requireOrigin);
  const [privacy, setPrivacy] = useState(source.privacy);
  const failure = saved.error instanceof ApiError ? saved.error : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saved.mutate({
      name: name.trim(),
      slug,
      allowedOrigins: givenOrigins(origins),
      frameworkHint,
      requireOrigin,
      privacy,
    });
  };
  return (
    <Paper withBorder p="lg" component="form" onSubmit={submit} onChange={takeBack(saved)}>
      <Stack>
        {saved.error && <Failure error={saved.error} />}
        <TextInput
          label="Name"
          required
          maxLength={LIMITS.nameLength}
          value={name}
          error={failure?.issueAt("name")}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label="Slug"
          description="Its short name, in small letters, digits and hyphens."
          required
          maxLength={LIMITS.slugLength}
          value={slug}
          error={failure?.issueAt("slug")}
          onChange={(event) => setSlug(event.currentTarget.value)}
        />
        <OriginsField
          origins={origins}
          onChange={setOrigins}
          issueAt={(index) => failure?.issueAt("allowedOrigins", index) ?? null}
        />
        <FrameworkField value={frameworkHint} onChange={setFramework} />
        <Switch
          label="Only requests that say where they come from"
          description="Browsers always do. Switch it off for a server or an app, which send no origin."
          checked={requireOrigin}
          onChange={(event) => setRequireOrigin(event.currentTarget.checked)}
        />
        <Switch
          label="Heed Global Privacy Control"
          description="Visitors whose browser sends it are not counted."
          checked={privacy.respectGpc}
          onChange={(event) => setPrivacy({ ...privacy, respectGpc: event.currentTarget.checked })}
        />
        <Switch
          label="Wait for consent"
          description="Nothing is counted or kept in the browser before the page says that consent was given."
          checked={privacy.requireConsent}
          onChange={(event) => setPrivacy({ ...privacy, requireConsent: event.currentTarget.checked })}
        />
        <Save saved={saved} label="Save" disabled={name.trim() === "" || !areOrigins(origins)} />
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
        <Button
          variant={isActive ? "default" : "filled"}
          loading={switched.isPending}
          onClick={() => switched.mutate({ isActive: !isActive })}
        >
          {isActive ? "Switch off" : "Switch on"}
        </Button>
      }
    >
      {switched.error && <Failure error={switched.error} />}
    </Section>
  );
}

function DeleteSection({ source }: { readonly source: Source }) {
  const { sourceId, name } = source;
  const [isAsked, setAsked] = useState(false);
  const navigate = useNavigate();
  const changed = useSourceChanged();
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
      <Confirm
        title="Delete this source?"
        confirmLabel="Delete it"
        opened={isAsked}
        onClose={() => setAsked(false)}
        onConfirm={async () => {
          await call("deleteSource", { params: { sourceId } });
          await navigate({ to: "/sources" });
          await changed(sourceId);
        }}
      >
        <Text className="wrap">
          Every page that sends to “{name}” will be refused from now on, and the source leaves the list.
        </Text>
      </Confirm>
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
        <Head title={title}>{text}</Head>
        {action}
      </Group>
      {children}
    </Stack>
  </Paper>
);
