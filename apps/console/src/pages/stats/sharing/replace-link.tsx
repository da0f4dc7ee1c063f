/** Replaces a share link by a new one with its name and expiry: the address of a link is shown once and cannot be had again. */
import type { Token } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiFailure, api } from "../../../api.ts";
import { AsyncButton } from "../../../ui/async-button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ErrorAlert } from "../../../ui/page-states.tsx";
import { Button, Group, Stack, Text } from "../../../ui/primitives/elements.tsx";
import { PasswordInput } from "../../../ui/primitives/fields.tsx";
import { useSubmit } from "../../../ui/use-submit.ts";
import { useWorkspace } from "../../../workspace-context.tsx";
import type { StatsView } from "../use-stats-view.ts";
import { CreatedLink } from "./created-link.tsx";

interface ReplaceLinkProps {
  readonly view: StatsView;
  readonly token: Token;
}

export function ReplaceLinkButton(props: ReplaceLinkProps) {
  const [isOpen, setOpen] = useState(false);
  const client = useQueryClient();
  const { label } = props.token;
  const close = () => {
    setOpen(false);
    // not earlier: the row of the old link has this dialog
    void client.invalidateQueries({ queryKey: ["tokens"] });
  };
  return (
    <>
      <Button size="xs" variant="default" aria-label={`Replace link… ${label}`} onClick={() => setOpen(true)}>
        Replace link…
      </Button>
      <Dialog title={`Replace “${label}”`} opened={isOpen} onClose={close}>
        <ReplaceForm {...props} onClose={close} />
      </Dialog>
    </>
  );
}

function ReplaceForm({ view, token, onClose }: ReplaceLinkProps & { readonly onClose: () => void }) {
  const { organizationId } = useWorkspace();
  const [password, setPassword] = useState("");
  const { tokenId, label, sourceId, expiresAt, hasPassword } = token;
  const replacement = useMutation({
    mutationFn: async () => {
      const body = { organizationId, label, sourceId, expiresAt, ...(hasPassword && { password }) };
      const created = await api.createToken({ body });
      await api.revokeToken({ params: { tokenId }, query: { organizationId } });
      return created;
    },
  });
  const failure = replacement.error instanceof ApiFailure ? replacement.error : null;
  const submit = useSubmit(() => replacement.mutateAsync());
  if (replacement.data)
    return (
      <Stack>
        <CreatedLink view={view} created={replacement.data} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Done
          </Button>
        </Group>
      </Stack>
    );
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>The new link has the same name and expiry. The old one stops working at once.</Text>
        {replacement.error && <ErrorAlert error={replacement.error} />}
        {hasPassword && (
          <PasswordInput
            label="Password"
            description="The old link’s password cannot be read back. Enter it again, or choose a new one."
            autoComplete="new-password"
            required
            maxLength={LIMITS.maxPasswordLength}
            value={password}
            error={failure?.issueAt("password")}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <AsyncButton type="submit" isPending={replacement.isPending}>
            Replace link
          </AsyncButton>
        </Group>
      </Stack>
    </form>
  );
}
