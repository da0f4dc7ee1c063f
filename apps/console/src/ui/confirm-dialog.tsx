/** A dialog that asks for confirmation before a destructive action, and the button that opens it. */
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { AsyncButton } from "./async-button.tsx";
import { Dialog } from "./dialog.tsx";
import { Dropdown, MenuItem } from "./dropdown.tsx";
import { Icon } from "./icon.tsx";
import { ErrorAlert } from "./page-states.tsx";
import { Button, Group, Stack } from "./primitives/elements.tsx";

interface ConfirmDialogProps {
  readonly title: string;
  readonly confirmLabel: string;
  readonly cancelLabel?: string;
  /** false: something in the dialog has to be filled in first. */
  readonly canConfirm?: boolean;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The dialog closes when it resolves and shows the error when it rejects. */
  readonly onConfirm: () => Promise<unknown>;
  readonly children: ReactNode;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, confirmLabel, cancelLabel = "Cancel", canConfirm = true } = props;
  const { opened, onClose, onConfirm, children } = props;
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
            disabled={!canConfirm}
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

interface ConfirmButtonProps extends Omit<ConfirmDialogProps, "opened" | "onClose"> {
  /** The text of the button. */
  readonly label: string;
  /** The accessible name of the button, when several have the same label. */
  readonly name?: string;
}

interface ConfirmMenuProps extends ConfirmButtonProps {
  /** The accessible name of the button that opens the menu. `label` is the text of its item. */
  readonly name: string;
}

/** The "…" menu of a row, with an item that asks for confirmation before it acts. */
export function ConfirmMenu({ label, name, ...dialog }: ConfirmMenuProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Dropdown label={name} isBare align="end" button={<Icon name="more" />}>
        {(close) => (
          <MenuItem
            isDanger
            onSelect={() => {
              close();
              setOpen(true);
            }}
          >
            {label}
          </MenuItem>
        )}
      </Dropdown>
      <ConfirmDialog {...dialog} opened={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

/** The button of a row that asks for confirmation before it acts. */
export function ConfirmButton({ label, name = label, ...dialog }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" aria-label={name} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <ConfirmDialog {...dialog} opened={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}
