import type { Token } from "@headwater/contract";
import { Badge, Button, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api.ts";
import { useWorkspace } from "../workspace.tsx";
import { Confirm } from "./confirm.tsx";

/** The button that stops a token, or that it was stopped. */
export function Revoke({ token, what }: { readonly token: Token; readonly what: string }) {
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
      <Confirm
        title={`Revoke this ${what}?`}
        confirmLabel="Revoke"
        opened={isAsked}
        onClose={() => setAsked(false)}
        onConfirm={async () => {
          await call("revokeToken", { params: { tokenId }, query: { organizationId } });
          await client.invalidateQueries({ queryKey: ["tokens"] });
        }}
      >
        <Text className="wrap">
          Whoever uses “<bdi>{label}</bdi>” is refused from the next request on.
        </Text>
      </Confirm>
    </>
  );
}
