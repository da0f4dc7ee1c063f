/** Which refusals of the last 24 hours are problems still, and which ones were mended since. */
import type { DebugAttempt, Source } from "@headwater/contract";
import type { AttemptProblem, RequestGroup } from "./attempt-summary.ts";
import { remedyFor, remedyForOrigin } from "./quick-fix.ts";

/** A problem, and whether the settings of the source accept its requests now. */
export interface ShownProblem extends AttemptProblem {
  /** Such as `Allowed 12:54`; null: such requests are still refused, or the console cannot tell. */
  readonly done: string | null;
}

/** @returns when the last of the requests was received; 0 when there are none */
const lastOf = (groups: readonly RequestGroup[]): number =>
  groups.reduce((last, { lastSeenAt }) => Math.max(last, Date.parse(lastSeenAt)), 0);

/** @param groups those of all origins, or of one */
function isAcceptedSince(groups: readonly RequestGroup[], refused: string): boolean {
  const accepted = groups.filter(({ outcome }) => outcome !== "failed");
  return lastOf(accepted) > lastOf(groups.filter(({ code }) => code === refused));
}

interface PartitionOptions {
  readonly source: Source;
  readonly attempts: readonly DebugAttempt[];
  /** The groups of all requests; the filters select only some of them. */
  readonly groups: readonly RequestGroup[];
}

/** Only the origins whose requests are still refused are a problem. */
function partitionOrigins(problem: AttemptProblem, { source, groups }: PartitionOptions) {
  const ofOrigin = (origin: string) => groups.filter((group) => group.origin === origin);
  const isDone = (origin: string) => remedyForOrigin(source, origin).done !== null;
  const over = problem.origins.filter(
    ({ origin }) => isDone(origin) && isAcceptedSince(ofOrigin(origin), problem.code),
  );
  const rest = problem.origins.filter((one) => !over.includes(one));
  const overCount = over.reduce((sum, { requests }) => sum + requests, 0);
  const restDone = rest.every(({ origin }) => isDone(origin)) ? "Allowed" : null;
  return {
    current:
      rest.length > 0
        ? [{ ...problem, count: problem.count - overCount, origins: rest, done: restDone }]
        : [],
    mended: over.length > 0 ? [{ ...problem, count: overCount, origins: over, done: "Allowed" }] : [],
  };
}

/** A mended problem is over as soon as a request of its kind was accepted. */
export function partitionProblems(problems: readonly AttemptProblem[], options: PartitionOptions) {
  const { source, attempts, groups } = options;
  const current: ShownProblem[] = [];
  const mended: ShownProblem[] = [];
  for (const problem of problems) {
    const { code, origins } = problem;
    if (code === "origin_not_allowed" && origins.length > 0) {
      const parts = partitionOrigins(problem, options);
      current.push(...parts.current);
      mended.push(...parts.mended);
      continue;
    }
    const newest = attempts.find((attempt) => attempt.code === code);
    const done = newest ? remedyFor(source, newest).done : null;
    const isOver = done !== null && isAcceptedSince(groups, code);
    (isOver ? mended : current).push({ ...problem, done });
  }
  return { current, mended };
}
