import type { FormEvent, ReactNode } from "react";
import { Paper, Stack } from "../../ui/primitives/elements.tsx";
import { SectionHeader } from "../../ui/section-header.tsx";
import { useSettingsSubmit } from "./settings-form.tsx";

interface FormSectionProps {
  readonly title: string;
  readonly text: string;
  readonly onSubmit: (event: FormEvent) => void;
  /** Marks a form that deletes data. */
  readonly isDangerous?: boolean;
  readonly children: ReactNode;
}

/** A section of a page that is a form of its own. */
export const FormSection = ({ title, text, onSubmit, isDangerous, children }: FormSectionProps) => (
  <Paper
    p="lg"
    component="form"
    aria-label={title}
    className={isDangerous ? "danger" : ""}
    onSubmit={onSubmit}
  >
    <Stack>
      <SectionHeader title={title}>{text}</SectionHeader>
      {children}
    </Stack>
  </Paper>
);

/** A section of the settings. Enter in a field saves the changes of all sections. */
export const SettingsSection = ({
  title,
  text,
  children,
}: Omit<FormSectionProps, "onSubmit" | "isDangerous">) => (
  <Paper p="lg" component="form" aria-label={title} data-settings onSubmit={useSettingsSubmit()}>
    <Stack>
      <SectionHeader title={title}>{text}</SectionHeader>
      {children}
    </Stack>
    <button type="submit" hidden />
  </Paper>
);
