import type { Token } from "@headwater/contract";
import { useQueryClient } from "@tanstack/react-query";
import { api } from "../api.ts";
import { useWorkspace } from "../workspace-context.tsx";
import { ConfirmButton } from "./confirm-dialog.tsx";
import { Badge, Text } from "./primitives/elements.tsx";

/** The button that revokes a token, or a badge when it has been revoked. */
export function RevokeTokenButton({ token, what }: { readonly token: Token; readonly what: string }) {
  const { organizationId } = useWorkspace();
  const client = useQueryClient();
  const { tokenId, label, revokedAt } = token;
  if (revokedAt !== null) return <Badge color="gray">Revoked</Badge>;
  return (
    <ConfirmButton
      label="Revoke"
      name={`Revoke ${label}`}
      title={`Revoke this ${what}?`}
      confirmLabel={`Revoke ${what}`}
      onConfirm={async () => {
        await api.revokeToken({ params: { tokenId }, query: { organizationId } });
        await client.invalidateQueries({ queryKey: ["tokens"] });
      }}
    >
      <Text className="wrap">
        {what === "session" ? (
          "The browser with this session will be signed out."
        ) : (
          <>
            “<bdi>{label}</bdi>” will stop working. This cannot be undone.
          </>
        )}
      </Text>
    </ConfirmButton>
  );
}
