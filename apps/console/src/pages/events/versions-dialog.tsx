/** A dialog with the versions of the plan: what differs from the current one, and restoring one. */
import type { PlanVersion, Source } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorAlert, QueryResult } from "../../ui/page-states.tsx";
import { Group, Stack, Text } from "../../ui/primitives/elements.tsx";
import { NativeSelect } from "../../ui/primitives/fields.tsx";
import { formatExactTime } from "../../ui/relative-time.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { useMemberNames } from "../workspace/member-names.ts";
import { JsonChange } from "./json-change.tsx";
import { differencesOf } from "./plan-events.ts";
import { useSavePlan } from "./plan-queries.ts";

interface VersionsDialogProps {
  readonly source: Source;
  readonly saved: PlanVersion;
  readonly onClose: () => void;
}

export function VersionsDialog({ source, saved, onClose }: VersionsDialogProps) {
  const { sourceId } = source;
  const list = useQuery({
    queryKey: ["plan", sourceId, "versions"],
    queryFn: ({ signal }) => api.listPlanVersions({ params: { sourceId }, signal }),
  });
  const [chosen, setChosen] = useState<number | null>(null);
  const names = useMemberNames();
  const nameOf = (userId: string | null) =>
    userId === null ? "the service" : (names.get(userId) ?? "a member");
  return (
    <Dialog opened onClose={onClose} title="Plan versions" isWide>
      <QueryResult query={list}>
        {({ versions }) => {
          const earlier = versions.filter(({ version }) => version !== saved.version);
          const version = chosen ?? earlier[0]?.version;
          if (version === undefined) return <Text>There are no other versions.</Text>;
          const data = earlier.map(({ version: number, createdAt, userId }) => ({
            value: String(number),
            label: `Version ${number}, ${formatExactTime(new Date(createdAt ?? 0))}, ${nameOf(userId)}`,
          }));
          return (
            <Stack>
              <NativeSelect
                label={`Compare current version ${saved.version} with`}
                data={data}
                value={String(version)}
                onChange={({ currentTarget: { value } }) => setChosen(Number(value))}
              />
              <ComparedVersion source={source} saved={saved} version={version} onClose={onClose} />
            </Stack>
          );
        }}
      </QueryResult>
    </Dialog>
  );
}

function ComparedVersion({
  source,
  saved,
  version,
  onClose,
}: VersionsDialogProps & { readonly version: number }) {
  const { sourceId } = source;
  const { can } = useWorkspace();
  const query = useQuery({
    queryKey: ["plan", sourceId, "version", version],
    queryFn: ({ signal }) => api.getPlan({ params: { sourceId }, query: { version }, signal }),
  });
  const save = useSavePlan(source, saved.version);
  return (
    <QueryResult query={query}>
      {({ plan }) => {
        const differences = differencesOf(plan, saved.plan);
        const sides = [`Version ${version}`, `Version ${saved.version}`] as const;
        return (
          <Stack>
            {differences.length === 0 && <Text>The versions are identical.</Text>}
            {differences.map((difference) => (
              <JsonChange key={difference.name} {...difference} sides={sides} />
            ))}
            {save.error && <ErrorAlert error={save.error} withIssues />}
            {can("sources:write") && (
              <Group justify="flex-end">
                <AsyncButton
                  isPending={save.isPending}
                  disabled={differences.length === 0}
                  onPress={() => save.mutateAsync(plan).then(onClose, () => undefined)}
                >
                  Restore version {version}
                </AsyncButton>
              </Group>
            )}
          </Stack>
        );
      }}
    </QueryResult>
  );
}
