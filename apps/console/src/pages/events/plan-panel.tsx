/** The plan as a whole: its version and modes, a proposal, and earlier versions. */
import type { PlanVersion, Source } from "@headwater/contract";
import { useState } from "react";
import { pluralize } from "../../ui/format-count.ts";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { Button, Group, Paper, Stack, Text } from "../../ui/primitives/elements.tsx";
import { NativeSelect } from "../../ui/primitives/fields.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SectionHeader } from "../../ui/section-header.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { useSavePlan } from "./plan-queries.ts";
import { ProposalDialog } from "./proposal-dialog.tsx";
import { VersionsDialog } from "./versions-dialog.tsx";
import { ViolationsChart } from "./violations-chart.tsx";

interface PlanPanelProps {
  readonly source: Source;
  readonly version: PlanVersion;
}

const MODES = [
  { value: "off", label: "Do not check" },
  { value: "warn", label: "Warn" },
  { value: "reject", label: "Reject" },
];
const UNKNOWN_EVENTS = [
  { value: "allow", label: "Allow" },
  { value: "warn", label: "Warn" },
  { value: "reject", label: "Reject" },
];
type PlanFields = PlanVersion["plan"];

export function PlanPanel({ source, version: saved }: PlanPanelProps) {
  const { plan, version } = saved;
  const { can } = useWorkspace();
  const save = useSavePlan(source, version);
  const [dialog, setDialog] = useState<"proposal" | "versions" | null>(null);
  const close = () => setDialog(null);
  const isLocked = !can("sources:write") || save.isPending;
  const change = (changes: Partial<PlanFields>) => save.mutate({ ...plan, ...changes });
  return (
    <Paper p="lg" component="section" aria-label="Tracking plan">
      <Stack gap="md">
        <SectionHeader title="Tracking plan">
          {version === 0 ? (
            "This source has no plan. A plan says what its events should look like."
          ) : (
            <>
              Version {version} has {pluralize(Object.keys(plan.events).length, "event")}. Saved{" "}
              <RelativeTime at={saved.createdAt} />.
            </>
          )}
        </SectionHeader>
        <Group gap="md" align="flex-end">
          <NativeSelect
            label="Events that violate the plan"
            data={MODES}
            value={plan.mode}
            disabled={isLocked}
            onChange={({ currentTarget: { value } }) => change({ mode: value as PlanFields["mode"] })}
          />
          <NativeSelect
            label="Events that are not planned"
            data={UNKNOWN_EVENTS}
            value={plan.unknownEvents}
            disabled={isLocked || plan.mode === "off"}
            onChange={({ currentTarget: { value } }) =>
              change({ unknownEvents: value as PlanFields["unknownEvents"] })
            }
          />
          {can("sources:write") && (
            <Button onClick={() => setDialog("proposal")}>Draft plan from events</Button>
          )}
          {version > 0 && (
            <Button variant="default" onClick={() => setDialog("versions")}>
              Versions
            </Button>
          )}
        </Group>
        {save.error && <ErrorAlert error={save.error} withIssues />}
        <Text size="sm" c="dimmed">
          Headwater checks each event on arrival. Warn stores the event and shows the violation in Debug.
          Reject does not store it.
        </Text>
        {version > 0 && can("stats:read") && <ViolationsChart sourceId={source.sourceId} />}
      </Stack>
      {dialog === "proposal" && <ProposalDialog source={source} saved={saved} onClose={close} />}
      {dialog === "versions" && <VersionsDialog source={source} saved={saved} onClose={close} />}
    </Paper>
  );
}
