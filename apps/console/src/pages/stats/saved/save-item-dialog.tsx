/** The dialog that asks for the name of a segment or a funnel, and who sees it. */
import { Dialog } from "../../../ui/dialog.tsx";
import { lazily } from "../../../ui/load-later.tsx";
import type { SaveItemFormProps } from "./save-item-form.tsx";

const SaveItemForm = lazily(async () => (await import("./save-item-form.tsx")).SaveItemForm);

interface SaveItemDialogProps extends SaveItemFormProps {
  readonly title: string;
  readonly opened: boolean;
}

export const SaveItemDialog = (props: SaveItemDialogProps) => (
  <Dialog title={props.title} opened={props.opened} onClose={props.onClose}>
    <SaveItemForm {...props} />
  </Dialog>
);
