import { Textarea, type TextareaProps } from "@mantine/core";

/** A text area for a list with one entry per line. */
export const LinesField = (props: TextareaProps) => (
  <Textarea autosize minRows={2} maxRows={10} spellCheck={false} {...props} />
);
