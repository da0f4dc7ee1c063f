/** A question before what cannot be taken back. */
import { Button, Group, Modal, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { AsyncButton } from "./async-button.tsx";
import { ErrorAlert } from "./page-states.tsx";

interface ConfirmDialogProps {
  readonly title: string;
  readonly confirmLabel: string;
  readonly cancelLabel?: string;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The question is closed when it went well, and says so when it did not. */
  readonly onConfirm: () => Promise<unknown>;
  readonly children: ReactNode;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, confirmLabel, cancelLabel = "Cancel", opened, onClose, onConfirm, children } = props;
  const confirmed = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  const close = () => {
    // asked anew, it has not failed yet
    if (confirmed.isError) confirmed.reset();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title} closeButtonProps={{ "aria-label": "Close" }}>
      <Stack>
        {children}
        {confirmed.error && <ErrorAlert error={confirmed.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {cancelLabel}
          </Button>
          <AsyncButton
            color="red"
            // one that is closing takes no second press
            isPending={confirmed.isPending || !opened}
            onPress={() => confirmed.mutateAsync()}
          >
            {confirmLabel}
          </AsyncButton>
        </Group>
      </Stack>
    </Modal>
  );
}
