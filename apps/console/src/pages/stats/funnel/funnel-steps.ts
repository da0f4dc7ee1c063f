/** The steps of a funnel as search parameters: `step1=page:/pricing&step2=goal:Signed%20up`. */
import type { StatsGoal } from "@headwater/contract";
import { normalizePath } from "@headwater/contract/path-pattern";
import type { ViewParams } from "../view-params.ts";

export interface FunnelStep {
  /** `goal` is a goal of the source, by its name. */
  readonly kind: "page" | "event" | "goal";
  readonly text: string;
}

const KIND_NAMES = { page: "Page", event: "Event", goal: "Goal" } as const;
export const kindName = ({ kind }: FunnelStep): string => KIND_NAMES[kind];

export const MIN_STEPS = 2;
export const MAX_STEPS = 6;
const PARAM_NAMES = Array.from({ length: MAX_STEPS }, (_, at) => `step${at + 1}`);
const STEP = /^(page|event|goal):(.+)$/s;

/** @returns the step of a parameter such as `event:signup`; null: it is none */
export function readStep(param = ""): FunnelStep | null {
  const [, kind, text] = STEP.exec(param) ?? [];
  // the pattern admits the kinds only
  return kind && text ? { kind: kind as FunnelStep["kind"], text } : null;
}
/** @returns the parameter of a step; undefined: it has no text */
export const stepText = ({ kind, text }: FunnelStep): string | undefined =>
  text.trim() === "" ? undefined : `${kind}:${text.trim()}`;

export const readSteps = (params: ViewParams): FunnelStep[] =>
  PARAM_NAMES.flatMap((name) => readStep(params[name]) ?? []);

/** @returns the search parameters of the steps; steps without text are left out */
export function stepParams(steps: readonly FunnelStep[]): ViewParams {
  const filled = steps.flatMap((step) => stepText(step) ?? []);
  return Object.fromEntries(PARAM_NAMES.map((name, at) => [name, filled[at]]));
}

export const toStatsGoals = (steps: readonly FunnelStep[]): StatsGoal[] =>
  steps.map(({ kind, text }) => ({
    [kind === "goal" ? "name" : kind]: kind === "page" ? normalizePath(text) : text,
  }));

/** The steps that the API calls so. */
export const fromStatsGoals = (goals: readonly StatsGoal[]): FunnelStep[] =>
  goals.map(({ event, page, name }): FunnelStep => {
    if (event !== undefined) return { kind: "event", text: event };
    return page !== undefined ? { kind: "page", text: page } : { kind: "goal", text: name ?? "" };
  });

const MONTH_SECONDS = 2_592_000;
const WINDOW_SECONDS = { hour: 3_600, day: 86_400, week: 604_800, month: MONTH_SECONDS } as const;
export const WINDOW_OPTIONS = [
  { value: "session", label: "one session" },
  { value: "hour", label: "1 hour" },
  { value: "day", label: "1 day" },
  { value: "week", label: "7 days" },
  { value: "month", label: "30 days" },
] as const;

export type FunnelWindow = (typeof WINDOW_OPTIONS)[number]["value"];

/** The time in which all steps must be completed; a day by default. */
export const readWindow = ({ within = "" }: ViewParams): FunnelWindow =>
  WINDOW_OPTIONS.find(({ value }) => value === within)?.value ?? "day";
export const windowLabel = (within: FunnelWindow): string =>
  WINDOW_OPTIONS.find(({ value }) => value === within)?.label ?? within;
/** A session may be as long as the longest window. */
export const windowSecondsOf = (within: FunnelWindow): number =>
  within === "session" ? MONTH_SECONDS : WINDOW_SECONDS[within];
/** @returns the shortest window to choose from that is at least as long */
export const windowOf = (seconds: number): FunnelWindow =>
  WINDOW_OPTIONS.find(({ value }) => value !== "session" && WINDOW_SECONDS[value] >= seconds)?.value ??
  "month";
