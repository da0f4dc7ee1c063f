/** The plan as a whole: a line above the events, and dialogs with its modes, a proposal, and earlier versions. */
import type { PlanVersion, Source } from "@headwater/contract";
import { useState } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { pluralize } from "../../ui/format-count.ts";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { Button, Group, Paper, Stack, Text } from "../../ui/primitives/elements.tsx";
import { NativeSelect } from "../../ui/primitives/fields.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { useSavePlan } from "./plan-queries.ts";
import { ProposalDialog } from "./proposal-dialog.tsx";
import { VersionsDialog } from "./versions-dialog.tsx";
import { ViolationsChart } from "./violations-chart.tsx";

interface PlanPanelProps {
  readonly source: Source;
  readonly version: PlanVersion;
  /** Violations of all events of the table below; null while they are unknown. */
  readonly violations: number | null;
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

/** What the plan does with events that violate it. */
const EFFECTS = { off: "does not check", warn: "warns", reject: "rejects violations" } as const;

type PlanDialogName = "plan" | "proposal" | "versions";

export function PlanPanel({ source, version: saved, violations }: PlanPanelProps) {
  const { can } = useWorkspace();
  const [dialog, setDialog] = useState<PlanDialogName | null>(null);
  const close = () => setDialog(null);
  const canWrite = can("sources:write");
  return (
    <Paper p="md" component="section" aria-label="Tracking plan" className="plan-line">
      <Text size="sm">
        <PlanState saved={saved} violations={violations} />
      </Text>
      <Group gap="xs">
        {saved.version === 0 && canWrite && (
          <Button size="xs" onClick={() => setDialog("proposal")}>
            Draft plan from events
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => setDialog("plan")}>
          {canWrite ? "Edit plan" : "Show plan"}
        </Button>
      </Group>
      {dialog === "plan" && (
        <Dialog opened onClose={close} title="Tracking plan">
          <PlanSettings source={source} saved={saved} onOpen={setDialog} />
        </Dialog>
      )}
      {dialog === "proposal" && <ProposalDialog source={source} saved={saved} onClose={close} />}
      {dialog === "versions" && <VersionsDialog source={source} saved={saved} onClose={close} />}
    </Paper>
  );
}

interface PlanStateProps extends Pick<PlanPanelProps, "violations"> {
  readonly saved: PlanVersion;
}

/** For example `Plan version 1 · warns · 61 violations`. */
const PlanState = ({ saved: { version, plan }, violations }: PlanStateProps) =>
  version === 0 ? (
    "This source has no tracking plan. A plan says what the source’s events should look like."
  ) : (
    <>
      <strong>Plan version {version}</strong> · {EFFECTS[plan.mode]}
      {violations !== null && (
        <>
          {" · "}
          <span className="plan-violations-count" data-color={violations > 0 ? "yellow" : undefined}>
            {pluralize(violations, "violation")}
          </span>
        </>
      )}
    </>
  );

interface PlanSettingsProps {
  readonly source: Source;
  readonly saved: PlanVersion;
  readonly onOpen: (dialog: PlanDialogName) => void;
}

/** Saves each change at once. */
function PlanSettings({ source, saved, onOpen }: PlanSettingsProps) {
  const { plan, version } = saved;
  const { can } = useWorkspace();
  const save = useSavePlan(source, version);
  const isLocked = !can("sources:write") || save.isPending;
  const change = (changes: Partial<PlanFields>) => save.mutate({ ...plan, ...changes });
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {version > 0 && (
          <>
            Version {version} has {pluralize(Object.keys(plan.events).length, "event")}. Saved{" "}
            <RelativeTime at={saved.createdAt} />.{" "}
          </>
        )}
        Headwater checks each event on arrival. “Warn” stores the event and shows the violation in Debug.
        “Reject” does not store it.
      </Text>
      <NativeSelect
        label="Events that violate the plan"
        data={MODES}
        value={plan.mode}
        disabled={isLocked}
        onChange={({ currentTarget: { value } }) => change({ mode: value as PlanFields["mode"] })}
      />
      <NativeSelect
        label="Events not in the plan"
        data={UNKNOWN_EVENTS}
        value={plan.unknownEvents}
        disabled={isLocked || plan.mode === "off"}
        onChange={({ currentTarget: { value } }) =>
          change({ unknownEvents: value as PlanFields["unknownEvents"] })
        }
      />
      {save.error && <ErrorAlert error={save.error} withIssues />}
      {version > 0 && can("stats:read") && <ViolationsChart sourceId={source.sourceId} />}
      <Group gap="xs">
        {can("sources:write") && (
          <Button variant="default" onClick={() => onOpen("proposal")}>
            Draft plan from events
          </Button>
        )}
        {version > 0 && (
          <Button variant="default" onClick={() => onOpen("versions")}>
            Versions
          </Button>
        )}
      </Group>
    </Stack>
  );
}
