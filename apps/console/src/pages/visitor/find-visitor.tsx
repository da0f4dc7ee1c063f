/** Finds a visitor by the id that the site knows them by. */
import type { VisitorKind } from "@headwater/contract";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Button, Group, Paper, Text, Title } from "../../ui/primitives/elements.tsx";
import { NativeSelect, TextInput } from "../../ui/primitives/fields.tsx";

const KINDS = [
  { value: "userId", label: "User ID" },
  { value: "anonymousId", label: "Visitor ID" },
] as const satisfies readonly { value: VisitorKind; label: string }[];

export function FindVisitor({ sourceId }: { readonly sourceId: string }) {
  const navigate = useNavigate();
  const state = useLocation({ select: (location) => location.state });
  const [kind, setKind] = useState<VisitorKind>("userId");
  const [id, setId] = useState("");
  const wanted = id.trim();
  return (
    <Paper
      p="lg"
      component="form"
      aria-labelledby="find-visitor"
      onSubmit={(event) => {
        event.preventDefault();
        // the page that led here stays the one to go back to
        if (wanted !== "") void navigate({ to: ".", search: { sourceId, [kind]: wanted }, state });
      }}
    >
      <Title order={2} size="h5" id="find-visitor">
        Find a visitor
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        Enter the ID that your site sends. You can also open sessions and visitors from a request’s details in
        Debug.
      </Text>
      <Group align="flex-end" gap="sm">
        <NativeSelect
          label="ID type"
          data={[...KINDS]}
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value as VisitorKind)}
        />
        <TextInput
          label="ID"
          autoFocus
          maxLength={200}
          spellCheck={false}
          flex="1 1 14rem"
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
        />
        <Button type="submit" disabled={wanted === ""}>
          Show visitor
        </Button>
      </Group>
    </Paper>
  );
}
