/** The erasure of the visitor that the page shows, after a confirmation that names what is erased. */
import type { Source, VisitorKind } from "@headwater/contract";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Button, Group, Paper, Stack, Text } from "../../ui/primitives/elements.tsx";
import { SectionHeader } from "../../ui/section-header.tsx";
import { useWorkspace } from "../../workspace-context.tsx";

export interface ErasableId {
  readonly kind: VisitorKind;
  readonly id: string;
}

const LABELS: Readonly<Record<VisitorKind, string>> = { anonymousId: "Erase visitor", userId: "Erase user" };

interface EraseSectionProps {
  readonly source: Source;
  readonly ids: readonly ErasableId[];
}

export function EraseSection({ source, ids }: EraseSectionProps) {
  const { organizationId, can } = useWorkspace();
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<ErasableId | null>(null);
  const { sourceId, name } = source;
  if (!can("visitors:erase") || ids.length === 0) return null;
  const erase = async () => {
    if (chosen === null) return;
    const body = { organizationId, sourceId, [chosen.kind]: chosen.id };
    const { receiptId } = await api.eraseVisitor({ body });
    await navigate({
      to: "/sources/settings",
      search: { sourceId, receipt: receiptId },
      hash: "erase-visitor",
    });
  };
  return (
    <Paper p="lg" component="section" aria-label="Erasure">
      <Group justify="space-between">
        <SectionHeader title="Erase data">
          Deletes all events, sessions and debug history of this visitor. This cannot be undone.
        </SectionHeader>
        <Group gap="sm">
          {ids.map((one) => (
            <Button key={`${one.kind} ${one.id}`} color="red" onClick={() => setChosen(one)}>
              {LABELS[one.kind]}
            </Button>
          ))}
        </Group>
      </Group>
      <ConfirmDialog
        title={chosen?.kind === "userId" ? "Erase this user?" : "Erase this visitor?"}
        confirmLabel={chosen === null ? "Erase" : LABELS[chosen.kind]}
        opened={chosen !== null}
        onClose={() => setChosen(null)}
        onConfirm={erase}
      >
        <Stack gap="xs">
          <Text className="wrap">
            All events, sessions and debug history of the {chosen?.kind === "userId" ? "user" : "visitor"} “
            <bdi>{chosen?.id}</bdi>” will be permanently deleted from “<bdi>{name}</bdi>”.
          </Text>
          <Text size="sm" c="dimmed">
            Events without this {chosen?.kind === "userId" ? "user ID" : "visitor ID"} are kept. This cannot
            be undone.
          </Text>
        </Stack>
      </ConfirmDialog>
    </Paper>
  );
}
