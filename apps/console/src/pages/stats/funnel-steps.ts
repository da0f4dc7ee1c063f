/** The steps of a funnel as the address has them: `step1=page:/pricing&step2=goal:Signed%20up`. */
import type { StatsGoal } from "@headwater/contract";
import type { ViewParams } from "./view-params.ts";

export interface FunnelStep {
  /** A goal is one of the source's own, by its name. */
  readonly kind: "page" | "event" | "goal";
  readonly text: string;
}

export const MIN_STEPS = 2;
export const MAX_STEPS = 6;
const NAMES = Array.from({ length: MAX_STEPS }, (_, at) => `step${at + 1}`);
const STEP = /^(page|event|goal):(.+)$/s;

export const readSteps = (search: ViewParams): FunnelStep[] =>
  NAMES.flatMap((name) => {
    const [, kind, text] = STEP.exec(search[name] ?? "") ?? [];
    return kind && text ? [{ kind: kind as FunnelStep["kind"], text }] : [];
  });

/** Steps without a text are left out. */
export function stepParams(steps: readonly FunnelStep[]): ViewParams {
  const given = steps.filter(({ text }) => text.trim() !== "");
  return Object.fromEntries(
    NAMES.map((name, at) => [name, given[at] && `${given[at].kind}:${given[at].text.trim()}`]),
  );
}

export const toStatsGoals = (steps: readonly FunnelStep[]): StatsGoal[] =>
  steps.map(({ kind, text }) => ({ [kind === "goal" ? "name" : kind]: text }));

const WINDOWS = { hour: 3_600, day: 86_400, week: 604_800, month: 2_592_000 } as const;
export const WITHIN = [
  { value: "hour", label: "An hour" },
  { value: "day", label: "A day" },
  { value: "week", label: "7 days" },
  { value: "month", label: "30 days" },
] as const;

export const readWindow = ({ within = "" }: ViewParams): keyof typeof WINDOWS =>
  Object.hasOwn(WINDOWS, within) ? (within as keyof typeof WINDOWS) : "day";
export const windowSecondsOf = (within: keyof typeof WINDOWS): number => WINDOWS[within];
