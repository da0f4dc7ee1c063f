/** The funnel view: how many visitors completed each step, in order. */
import type { StatsFunnelBody } from "@headwater/contract";
import { type ReactNode, useState } from "react";
import { type ApiAnswer, api } from "../../../api.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { formatCount, pluralize } from "../../../ui/format-count.ts";
import { lazily } from "../../../ui/load-later.tsx";
import { QueryResult } from "../../../ui/page-states.tsx";
import { Button, Group, Paper, Stack, Text, Title } from "../../../ui/primitives/elements.tsx";
import { EstimateMark } from "../estimate-mark.tsx";
import { formatDays, formatDuration, formatShare } from "../format.ts";
import { findFunnel, SavedFunnels } from "../saved/saved-funnels.tsx";
import { useSavedItems } from "../saved/use-saved-items.ts";
import { useFastThenExact } from "../use-fast-then-exact.ts";
import type { StatsView } from "../use-stats-view.ts";
import "./funnel.css";
import { useMayListVisits } from "../visits/use-visits.ts";
import { FunnelBreakdown, FunnelBreakdownSelect } from "./funnel-breakdown.tsx";
import { FunnelForm } from "./funnel-form.tsx";
import { FunnelHint, FunnelPreview } from "./funnel-hint.tsx";
import {
  type FunnelStep,
  type FunnelWindow,
  kindName,
  MIN_STEPS,
  readSteps,
  readWindow,
  stepParams,
  toStatsGoals,
  windowLabel,
  windowSecondsOf,
} from "./funnel-steps.ts";

const StoppedVisits = lazily(async () => (await import("../visits/stopped-visits.tsx")).StoppedVisits);

export function FunnelView({ view }: { readonly view: StatsView }) {
  const steps = readSteps(view.params);
  const within = readWindow(view.params);
  const body = {
    ...view.scope,
    steps: toStatsGoals(steps),
    windowSeconds: windowSecondsOf(within),
    ...(within === "session" && { within }),
    include: { ...view.scope.include, times: true },
  };
  const isComplete = steps.length >= MIN_STEPS;
  const query = useFastThenExact({
    queryKey: ["stats", "funnel", body],
    ask: (accuracy, signal) => api.queryFunnel({ body: { ...body, accuracy }, signal }),
    enabled: isComplete,
    keepsPrevious: false,
  });
  const [isEditing, setEditing] = useState(false);
  const saved = useSavedItems(view.scope.sourceId);
  const current = findFunnel(saved, steps, within);
  return (
    <Stack gap="md" className="stats">
      <Group gap="xs" className="funnel-actions">
        <SavedFunnels view={view} saved={saved} current={current} steps={steps} within={within} />
        {isComplete && (
          <Button
            size="xs"
            variant="default"
            aria-expanded={isEditing}
            onClick={() => setEditing(!isEditing)}
          >
            Edit steps
          </Button>
        )}
      </Group>
      {(isEditing || !isComplete) && (
        <FunnelForm
          key={JSON.stringify([steps, within])}
          steps={steps}
          within={within}
          view={view}
          hint={!isComplete && <FunnelHint view={view} />}
          onSubmit={(chosenSteps, chosenWindow) => {
            setEditing(false);
            view.update({ ...stepParams(chosenSteps), within: chosenWindow });
          }}
        />
      )}
      {!isComplete && <FunnelPreview />}
      {isComplete && (
        <QueryResult query={query}>
          {(answer) => (
            <FunnelResult answer={answer} steps={steps} within={within} view={view} body={body}>
              <FunnelBreakdown view={view} steps={steps} body={body} />
            </FunnelResult>
          )}
        </QueryResult>
      )}
    </Stack>
  );
}

type FunnelStepAnswer = ApiAnswer<"queryFunnel">["steps"][number];

interface FunnelResultProps {
  readonly answer: ApiAnswer<"queryFunnel">;
  readonly steps: readonly FunnelStep[];
  readonly within: FunnelWindow;
  readonly view: StatsView;
  readonly body: Pick<StatsFunnelBody, "steps" | "within"> & { readonly windowSeconds: number };
  /** Shown below the steps. */
  readonly children: ReactNode;
}

function FunnelResult({ answer, steps, within, view, body, children }: FunnelResultProps) {
  /** How many steps those took whose visits are listed; 0: none are. */
  const [listed, setListed] = useState(0);
  const mayList = useMayListVisits(view);
  const { windowSeconds, within: scope } = body;
  const worst = findWorstStep(answer.steps);
  const stop = { steps: body.steps, windowSeconds, ...(scope && { within: scope }), reached: listed };
  return (
    <Paper p="md" component="section" aria-label="Funnel">
      <div className="funnel-head">
        <div>
          <Title order={2} size="h5" mb="xs">
            {pluralize(steps.length, "step")} within {windowLabel(within)}
          </Title>
          <FunnelBreakdownSelect view={view} />
        </div>
        <FunnelTotal answer={answer} />
      </div>
      <ol className="funnel">
        {answer.steps.map(({ visitors, shareOfFirst, seconds }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other identity than their position
          <li key={at}>
            <div className="funnel-name">
              <span className="wrap">
                {at + 1}. {steps[at] && kindName(steps[at])}: <strong>{steps[at]?.text}</strong>
              </span>
              <span>
                {pluralize(visitors, "visitor")}
                {shareOfFirst !== null && ` · ${formatShare(shareOfFirst)}`}
              </span>
            </div>
            <div className="funnel-track" aria-hidden>
              <span style={{ width: `${(shareOfFirst ?? 0) * 100}%` }} />
            </div>
            <StepTime seconds={seconds} />
            <FunnelLoss
              visitors={visitors}
              next={answer.steps[at + 1]?.visitors}
              isWorst={at === worst}
              onList={mayList ? () => setListed(at + 1) : null}
            />
          </li>
        ))}
      </ol>
      <Text size="sm" c="dimmed">
        Counts visitors who completed the steps in this order, even if they did other things in between.
      </Text>
      {children}
      <Dialog
        title={`${listedTitle(answer.steps, steps, listed)} · ${formatDays(view.range.days)}`}
        isWide
        opened={listed > 0}
        onClose={() => setListed(0)}
      >
        <StoppedVisits view={view} funnel={stop} />
      </Dialog>
    </Paper>
  );
}

/** Names the figure that was clicked, such as `279 visitors dropped off after “/”`. */
function listedTitle(
  answers: readonly FunnelStepAnswer[],
  steps: readonly FunnelStep[],
  reached: number,
): string {
  const stopped = (answers[reached - 1]?.visitors ?? 0) - (answers[reached]?.visitors ?? 0);
  const visitors = pluralize(stopped, "visitor");
  return reached === steps.length
    ? `${visitors} completed all steps`
    : `${visitors} dropped off after “${steps[reached - 1]?.text}”`;
}

/** The share of the visitors of the first step who completed the last one. */
function FunnelTotal({ answer: { steps, accuracy } }: Pick<FunnelResultProps, "answer">) {
  const share = steps.at(-1)?.shareOfFirst ?? null;
  const seconds = steps.at(-1)?.seconds ?? null;
  return (
    <div className="funnel-total">
      <strong>
        {formatShare(share)}
        <EstimateMark accuracy={accuracy} />
      </strong>
      <Text size="sm" c="dimmed">
        {share === null ? "No visitor completed the first step" : "completed all steps"}
        {seconds && `, median ${formatDuration(seconds.sinceFirst.median)}`}
      </Text>
    </div>
  );
}

/** How long visitors took from the step before. */
function StepTime({ seconds }: Pick<FunnelStepAnswer, "seconds">) {
  if (seconds === null) return null;
  const { median, p90 } = seconds.sincePrevious;
  return (
    <Text size="sm" c="dimmed" mt={4} title="Time since the previous step">
      Median {formatDuration(median)}, 90% within {formatDuration(p90)}
    </Text>
  );
}

interface FunnelLossProps {
  readonly visitors: number;
  /** The visitors of the next step; undefined: this is the last one. */
  readonly next: number | undefined;
  /** Whether no other step has lost as many. */
  readonly isWorst: boolean;
  /** Lists the visits of those who went no further; null: the user may not see them. */
  readonly onList: (() => void) | null;
}

/** @returns the index of the step after which the most visitors dropped off; -1: none did, or there is one such step only */
function findWorstStep(steps: readonly FunnelStepAnswer[]): number {
  const losses = steps.slice(0, -1).map(({ visitors }, at) => visitors - (steps[at + 1]?.visitors ?? 0));
  const worst = Math.max(...losses);
  return worst === 0 || losses.length === 1 ? -1 : losses.indexOf(worst);
}

/** The visitors who went on from a step, and those who went no further. */
function FunnelLoss({ visitors, next, isWorst, onList }: FunnelLossProps) {
  if (visitors === 0) return null;
  const stopped = visitors - (next ?? 0);
  const text =
    next === undefined
      ? `${formatCount(stopped)} completed all steps`
      : `${formatCount(stopped)} dropped off (${formatShare(stopped / visitors)})`;
  return (
    <Text size="sm" c="dimmed" mt={4}>
      {next !== undefined && `${formatCount(next)} continued (${formatShare(next / visitors)}), `}
      {onList && stopped > 0 ? (
        <button type="button" className="text-button" onClick={onList}>
          {text}
        </button>
      ) : (
        next !== undefined && text
      )}
      {isWorst && <strong className="funnel-worst"> Most visitors lost</strong>}
    </Text>
  );
}
