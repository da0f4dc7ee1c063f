import type { Token } from "@headwater/contract";
import { useQueryClient } from "@tanstack/react-query";
import { api } from "../api.ts";
import { useWorkspace } from "../workspace-context.tsx";
import { ConfirmButton } from "./confirm-dialog.tsx";
import { Badge, Text } from "./primitives/elements.tsx";

/** Whether a token that was just created has been revoked since, so that its text is of no use any more. */
export const isRevoked = ({ tokenId }: Pick<Token, "tokenId">, listed: readonly Token[]): boolean =>
  listed.some((token) => token.tokenId === tokenId && token.revokedAt !== null);

/** Names a token by its use. A session is ended, the others are revoked. */
export type TokenUse = "token" | "link" | "session";

interface RevokeTokenButtonProps {
  readonly token: Token;
  readonly what: TokenUse;
}

/** The button that revokes a token, or a badge when it has been revoked. */
export function RevokeTokenButton({ token, what }: RevokeTokenButtonProps) {
  const { organizationId } = useWorkspace();
  const client = useQueryClient();
  const { tokenId, label, revokedAt } = token;
  const isSession = what === "session";
  const verb = isSession ? "End" : "Revoke";
  if (revokedAt !== null) return <Badge color="gray">{isSession ? "Ended" : "Revoked"}</Badge>;
  return (
    <ConfirmButton
      label={verb}
      name={`${verb} ${label}`}
      title={`${verb} this ${what}?`}
      confirmLabel={`${verb} ${what}`}
      onConfirm={async () => {
        await api.revokeToken({ params: { tokenId }, query: { organizationId } });
        await client.invalidateQueries({ queryKey: ["tokens"] });
      }}
    >
      <Text className="wrap">
        {isSession ? (
          <>
            “<bdi>{label}</bdi>” will be signed out.
          </>
        ) : (
          <>
            “<bdi>{label}</bdi>” will stop working. This cannot be undone.
          </>
        )}
      </Text>
    </ConfirmButton>
  );
}
