import { Paper, Stack, Text, Title } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";

interface FormSectionProps {
  readonly title: string;
  readonly text: string;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

/** A part of a page that is sent by itself. */
export const FormSection = ({ title, text, onSubmit, children }: FormSectionProps) => (
  <Paper
    withBorder
    p="lg"
    component="form"
    aria-label={title}
    onSubmit={(event: FormEvent) => {
      event.preventDefault();
      onSubmit();
    }}
  >
    <Stack>
      <div>
        <Title order={2} size="h5">
          {title}
        </Title>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      </div>
      {children}
    </Stack>
  </Paper>
);
