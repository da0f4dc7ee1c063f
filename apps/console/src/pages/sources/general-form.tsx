/**
 * The sections for the general fields of a source: General, Privacy and Embedding. A field of the contract without an entry in `CONTROLS` does not compile.
 * CONTRIBUTING.md has the recipe for a new field.
 */
import type { Source, SourceFieldName } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { Fragment, type ReactNode } from "react";
import { pluralize } from "../../ui/format-count.ts";
import { Switch, TextInput } from "../../ui/primitives/fields.tsx";
import { SettingsSection } from "./form-section.tsx";
import { FrameworkField } from "./framework-field.tsx";
import { ALLOWED_ORIGINS, areValidOrigins, cleanOrigins, OriginsField } from "./origins-field.tsx";
import { type SettingsFields, type SettingsPart, useSettings } from "./settings-form.tsx";

/** The values that the controls edit. */
const toFields = ({
  name,
  slug,
  allowedOrigins,
  frameworkHint,
  requireOrigin,
  privacy,
  engagement,
  keepRejected,
  embedOrigins,
}: Source) => ({
  name,
  slug,
  allowedOrigins,
  frameworkHint,
  requireOrigin,
  engagement,
  keepRejected: String(keepRejected),
  embedOrigins,
  ...privacy,
});
type GeneralFields = ReturnType<typeof toFields>;

const normalize = (edited: Partial<GeneralFields>): Partial<GeneralFields> => ({
  ...edited,
  ...(edited.name !== undefined && { name: edited.name.trim() }),
  ...(edited.allowedOrigins && { allowedOrigins: cleanOrigins(edited.allowedOrigins) }),
  ...(edited.embedOrigins && { embedOrigins: cleanOrigins(edited.embedOrigins) }),
});

/** Undefined members are not sent. */
const toPatch = ({ respectGpc, requireConsent, keepRejected, ...rest }: Partial<GeneralFields>) => {
  const privacy = {
    ...(respectGpc !== undefined && { respectGpc }),
    ...(requireConsent !== undefined && { requireConsent }),
  };
  return {
    ...rest,
    ...(keepRejected !== undefined && { keepRejected: Number(keepRejected) }),
    ...(Object.keys(privacy).length > 0 && { privacy }),
  };
};

const toPart = (title: string): SettingsPart<GeneralFields> => ({
  title,
  stored: toFields,
  normalize,
  toPatch,
  isValid: ({ allowedOrigins, embedOrigins }) => areValidOrigins([...allowedOrigins, ...embedOrigins]),
  question: ({ keepRejected }, stored) => {
    if (keepRejected === undefined || Number(keepRejected) >= Number(stored.keepRejected)) return null;
    const older = keepRejected === "0" ? "" : ` older than ${pluralize(Number(keepRejected), "day")}`;
    return {
      title: "Delete kept events?",
      confirmLabel: "Delete kept events",
      text: `Kept events${older} will be permanently deleted. Deleted events cannot be replayed.`,
    };
  },
});

type FieldControl = (form: SettingsFields<GeneralFields>) => ReactNode;

/** The control of each field, in the order of its section. null: another section edits the field, or the console does not. */
const CONTROLS: Record<SourceFieldName, FieldControl | null> = {
  name: ({ fields, setFields, failure }) => (
    <TextInput
      label="Name"
      required
      maxLength={LIMITS.maxNameLength}
      value={fields.name}
      error={failure?.issueAt("name")}
      onChange={(event) => setFields({ name: event.currentTarget.value })}
    />
  ),
  slug: ({ fields, setFields, failure }) => (
    <TextInput
      label="Slug"
      description="A short name for URLs, unique in this workspace. Use only lowercase letters, digits and hyphens."
      required
      maxLength={LIMITS.maxSlugLength}
      value={fields.slug}
      error={failure?.issueAt("slug")}
      onChange={(event) => setFields({ slug: event.currentTarget.value })}
    />
  ),
  allowedOrigins: ({ fields, setFields, failure }) => (
    <OriginsField
      {...ALLOWED_ORIGINS}
      origins={fields.allowedOrigins}
      onChange={(allowedOrigins) => setFields({ allowedOrigins })}
      issueAt={(index) => failure?.issueAt("allowedOrigins", index) ?? null}
    />
  ),
  frameworkHint: ({ fields, setFields }) => (
    <FrameworkField value={fields.frameworkHint} onChange={(frameworkHint) => setFields({ frameworkHint })} />
  ),
  requireOrigin: ({ fields, setFields }) => (
    <Switch
      label="Require an Origin header"
      description="Refuses requests without this header. Browsers always send it. Servers and apps do not."
      checked={fields.requireOrigin}
      onChange={(event) => setFields({ requireOrigin: event.currentTarget.checked })}
    />
  ),
  privacy: ({ fields, setFields }) => (
    <>
      <Switch
        label="Respect Global Privacy Control"
        description="Visitors whose browser sends this signal are not counted unless your site reports consent."
        checked={fields.respectGpc}
        onChange={(event) => setFields({ respectGpc: event.currentTarget.checked })}
      />
      <Switch
        label="Require consent"
        description="Nothing is counted or stored in the browser until your site reports consent."
        checked={fields.requireConsent}
        onChange={(event) => setFields({ requireConsent: event.currentTarget.checked })}
      />
    </>
  ),
  engagement: ({ fields, setFields }) => (
    <Switch
      label="Measure engagement"
      description="Time on page and scroll depth. This changes the snippet, so copy the new one to your site."
      checked={fields.engagement}
      onChange={(event) => setFields({ engagement: event.currentTarget.checked })}
    />
  ),
  embedOrigins: ({ fields, setFields, failure }) => (
    <OriginsField
      label="Embedding sites"
      help="Sites that can embed this source’s share links. If the list is empty, no site can."
      lineLabel="Embedding site"
      origins={fields.embedOrigins}
      onChange={(embedOrigins) => setFields({ embedOrigins })}
      issueAt={(index) => failure?.issueAt("embedOrigins", index) ?? null}
    />
  ),
  isActive: null, // ActiveSection of settings-page.tsx
  goals: null, // goals-form.tsx
  contentGroups: null, // content-groups-form.tsx
  bots: null, // exclusions-form.tsx
  excludedPaths: null, // exclusions-form.tsx
  excludedAddresses: null, // exclusions-form.tsx
  queryParameters: null, // addresses-form.tsx
  pathRules: null, // addresses-form.tsx
  channelRules: null, // channels-form.tsx
  retentionDays: null, // retention-form.tsx
  keepRejected: ({ fields, setFields, failure }) => (
    <TextInput
      type="number"
      label="Keep rejected events"
      description={`Number of days, up to ${LIMITS.maxKeepRejectedDays}. You can replay kept events in Debug after you fix the cause. 0 turns this off and deletes the kept events.`}
      className="narrow-field"
      required
      min={0}
      max={LIMITS.maxKeepRejectedDays}
      step={1}
      value={fields.keepRejected}
      error={failure?.issueAt("keepRejected")}
      onChange={(event) => setFields({ keepRejected: event.currentTarget.value })}
    />
  ),
  limits: null, // limits-form.tsx
};

interface CardProps {
  readonly part: SettingsPart<GeneralFields>;
  readonly text: string;
  readonly shows: (name: string) => boolean;
}

/** A section for some of the fields. */
function FieldsCard({ part, text, shows }: CardProps) {
  const form = useSettings(part);
  return (
    <SettingsSection title={part.title} text={text}>
      {Object.entries(CONTROLS).map(([name, control]) => (
        <Fragment key={name}>{shows(name) && control?.(form)}</Fragment>
      ))}
    </SettingsSection>
  );
}

export const GENERAL = toPart("General");
export const PRIVACY = toPart("Privacy");
export const EMBEDDING = toPart("Embedding");

/** A field without a card of its own is a general one. */
export const GeneralForm = () => (
  <FieldsCard
    part={GENERAL}
    text="The source’s name, which requests it accepts, and what it measures and keeps."
    shows={(name) => name !== "privacy" && name !== "embedOrigins"}
  />
);

export const PrivacyForm = () => (
  <FieldsCard part={PRIVACY} text="Choose which visitors are counted." shows={(name) => name === "privacy"} />
);

export const EmbeddingForm = () => (
  <FieldsCard
    part={EMBEDDING}
    text="Choose where this source’s stats can be embedded."
    shows={(name) => name === "embedOrigins"}
  />
);
