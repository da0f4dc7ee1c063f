/** A dialog that asks for confirmation before a destructive action. */
import { Button, Group, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { AsyncButton } from "./async-button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorAlert } from "./page-states.tsx";

interface ConfirmDialogProps {
  readonly title: string;
  readonly confirmLabel: string;
  readonly cancelLabel?: string;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The dialog closes when it resolves and shows the error when it rejects. */
  readonly onConfirm: () => Promise<unknown>;
  readonly children: ReactNode;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, confirmLabel, cancelLabel = "Cancel", opened, onClose, onConfirm, children } = props;
  const confirmation = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  const close = () => {
    // the dialog opens without the error of the previous attempt
    if (confirmation.isError) confirmation.reset();
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={close} title={title}>
      <Stack>
        {children}
        {confirmation.error && <ErrorAlert error={confirmation.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {cancelLabel}
          </Button>
          <AsyncButton
            color="red"
            // ignores presses while the closing animation runs
            isPending={confirmation.isPending || !opened}
            onPress={() => confirmation.mutateAsync()}
          >
            {confirmLabel}
          </AsyncButton>
        </Group>
      </Stack>
    </Dialog>
  );
}
