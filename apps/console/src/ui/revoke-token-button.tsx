import type { Token } from "@headwater/contract";
import { Badge, Button, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "../api.ts";
import { useWorkspace } from "../workspace-context.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";

/** The button that stops a token, or that it was stopped. */
export function RevokeTokenButton({ token, what }: { readonly token: Token; readonly what: string }) {
  const { organizationId } = useWorkspace();
  const client = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const { tokenId, label, revokedAt } = token;
  if (revokedAt !== null)
    return (
      <Badge variant="light" color="gray" tt="none">
        Revoked
      </Badge>
    );
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsked(true)} aria-label={`Revoke ${label}`}>
        Revoke …
      </Button>
      <ConfirmDialog
        title={`Revoke this ${what}?`}
        confirmLabel="Revoke"
        opened={isAsked}
        onClose={() => setAsked(false)}
        onConfirm={async () => {
          await callApi("revokeToken", { params: { tokenId }, query: { organizationId } });
          await client.invalidateQueries({ queryKey: ["tokens"] });
        }}
      >
        <Text className="wrap">
          Whoever uses “<bdi>{label}</bdi>” is refused from the next request on.
        </Text>
      </ConfirmDialog>
    </>
  );
}
