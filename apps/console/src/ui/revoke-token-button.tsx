import type { Token } from "@headwater/contract";
import { Badge, Button, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../api.ts";
import { useWorkspace } from "../workspace-context.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";

/** The button that revokes a token, or a badge when it has been revoked. */
export function RevokeTokenButton({ token, what }: { readonly token: Token; readonly what: string }) {
  const { organizationId } = useWorkspace();
  const client = useQueryClient();
  const [isDialogOpen, setDialogOpen] = useState(false);
  const { tokenId, label, revokedAt } = token;
  if (revokedAt !== null)
    return (
      <Badge variant="light" color="gray" tt="none">
        Revoked
      </Badge>
    );
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setDialogOpen(true)} aria-label={`Revoke ${label}`}>
        Revoke
      </Button>
      <ConfirmDialog
        title={`Revoke this ${what}?`}
        confirmLabel="Revoke"
        opened={isDialogOpen}
        onClose={() => setDialogOpen(false)}
        onConfirm={async () => {
          await api.revokeToken({ params: { tokenId }, query: { organizationId } });
          await client.invalidateQueries({ queryKey: ["tokens"] });
        }}
      >
        <Text className="wrap">
          Requests that use “<bdi>{label}</bdi>” will be refused. This cannot be undone.
        </Text>
      </ConfirmDialog>
    </>
  );
}
