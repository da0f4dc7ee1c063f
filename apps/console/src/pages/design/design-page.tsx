/** `/design`: every part of the design system in each of its states, for those who change the console. No page links to it. */
import { type ReactNode, useState } from "react";
import { AsyncButton } from "../../ui/async-button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Dropdown, MenuItem, MenuTitle } from "../../ui/dropdown.tsx";
import { ICON_NAMES, Icon } from "../../ui/icon.tsx";
import { Initials } from "../../ui/initials.tsx";
import { ColorSchemeControl } from "../../ui/navigation/color-scheme-control.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, ErrorAlert, Loading } from "../../ui/page-states.tsx";
import { Alert, Button, Paper, Stack, Text, Title } from "../../ui/primitives/elements.tsx";
import { NativeSelect, Switch, TextInput } from "../../ui/primitives/fields.tsx";
import { SecretAlert } from "../../ui/secret-alert.tsx";
import { type SourceStatus, SourceStatusBadge, STATUSES } from "../../ui/source-status.tsx";
import { Switcher } from "../../ui/switcher.tsx";
import "./design.css";

/** The names of the colours of `base.css`. */
const COLORS =
  "page surface soft line border text dimmed link accent accent-soft accent-text good warm bad mild good-text fair-text bad-text".split(
    " ",
  );
const SIZES = ["sm", undefined, "xl"] as const;
const OPTIONS = [
  { value: "day", label: "Day" },
  { value: "week", label: "Week" },
];
const FAILURE = Object.assign(new Error("The origin is not allowed."), {
  code: "origin_not_allowed",
  hint: "Add it to the source's `allowedOrigins`.",
});

interface DesignSectionProps {
  readonly title: string;
  readonly children: ReactNode;
}

const Section = ({ title, children }: DesignSectionProps) => (
  <Paper p="lg" component="section" aria-label={title}>
    <Title order={2} size="h4" mb="md">
      {title}
    </Title>
    <div className="design-parts">{children}</div>
  </Paper>
);

export const DesignPage = () => (
  <main className="content design">
    <Page title="Design system" lead="Every component in every state." actions={<ColorSchemeControl />}>
      <Foundations />
      <Controls />
      <Overlays />
      <States />
    </Page>
  </main>
);

const Foundations = () => (
  <>
    <Section title="Colors">
      {COLORS.map((name) => (
        <figure key={name} className="design-color">
          <span style={{ background: `var(--${name})` }} />
          <figcaption>{name}</figcaption>
        </figure>
      ))}
    </Section>
    <Section title="Text">
      <Stack gap="xs">
        {([1, 2, 3, 4, 5] as const).map((order) => (
          <div key={order} className={`h${order}`}>
            Heading {order}
          </div>
        ))}
        {SIZES.map((size) => (
          <Text key={size} size={size}>
            Text {size ?? "md"}: 1,234,567.89 visitors
          </Text>
        ))}
        <Text c="dimmed">Secondary text</Text>
      </Stack>
    </Section>
    <Section title="Icons">
      {ICON_NAMES.map((name) => (
        <span key={name} title={name}>
          <Icon name={name} size={20} />
        </span>
      ))}
    </Section>
  </>
);

function Controls() {
  const [chosen, choose] = useState("day");
  return (
    <>
      <Section title="Buttons">
        {(["filled", "default", "light", "subtle"] as const).map((variant) => (
          <Button key={variant} variant={variant}>
            {variant}
          </Button>
        ))}
        <Button color="red">Delete</Button>
        <Button size="xs" variant="default">
          Small
        </Button>
        <AsyncButton isPending>Pending</AsyncButton>
        <AsyncButton disabled>Disabled</AsyncButton>
        <Switcher label="Interval" options={OPTIONS} value={chosen} onChange={choose} />
      </Section>
      <Section title="Fields">
        <TextInput label="Name" placeholder="Example" description="Shown to members." />
        <TextInput label="Origin" defaultValue="shop" error="Must start with https://" />
        <TextInput label="Not editable" value="Fixed" disabled />
        <NativeSelect label="Choice" data={OPTIONS} />
        <Switch label="Measure engagement" defaultChecked />
        <Switch label="Require an Origin header" />
      </Section>
      <Section title="Badges and initials">
        <Initials name="Ada Lovelace" />
        <Initials name="My workspace" isWorkspace />
        {/* the keys of the table are the statuses */}
        {(Object.keys(STATUSES) as SourceStatus[]).map((status) => (
          <SourceStatusBadge key={status} status={status} />
        ))}
      </Section>
    </>
  );
}

function Overlays() {
  const [opened, open] = useState<"dialog" | "confirm" | null>(null);
  const close = () => open(null);
  return (
    <Section title="Menus and dialogs">
      <Dropdown label="Open menu" icon="calendar" button="Menu">
        {(closeMenu) => (
          <>
            <MenuTitle>Group</MenuTitle>
            <MenuItem icon="download" hint="CSV" onSelect={closeMenu}>
              Export
            </MenuItem>
            <MenuItem isSelected onSelect={closeMenu}>
              Selected
            </MenuItem>
            <MenuItem isDanger onSelect={closeMenu}>
              Remove
            </MenuItem>
          </>
        )}
      </Dropdown>
      <Button variant="default" onClick={() => open("dialog")}>
        Open dialog
      </Button>
      <Button variant="default" onClick={() => open("confirm")}>
        Open confirmation
      </Button>
      <Dialog title="Dialog" opened={opened === "dialog"} onClose={close}>
        <Text>The page behind a dialog cannot be used.</Text>
      </Dialog>
      <ConfirmDialog
        title="Delete the source “Shop”?"
        confirmLabel="Delete Shop"
        opened={opened === "confirm"}
        onClose={close}
        onConfirm={async () => undefined}
      >
        <Text>A confirmation names the object and what happens to it.</Text>
      </ConfirmDialog>
    </Section>
  );
}

const States = () => (
  <>
    <Section title="Messages">
      {(["green", "yellow", "red", "gray"] as const).map((color) => (
        <Alert key={color} color={color} title={`Message: ${color}`}>
          What happened, and what to do next.
        </Alert>
      ))}
      <ErrorAlert error={FAILURE} onRetry={() => undefined} />
      <SecretAlert
        title="Copy the token now. It will not be shown again."
        secret="hwt_example"
        copyLabel="Copy"
      />
    </Section>
    <Section title="Loading and empty">
      <Loading rows={3} />
      <EmptyState title="No sources yet" action={<Button>Create source</Button>}>
        An empty state names the next step.
      </EmptyState>
    </Section>
    <Section title="Code">
      <CodeBlock title="HTML" text={'<script defer src="https://hw.example/sdk/v2.js"></script>'} />
    </Section>
  </>
);
