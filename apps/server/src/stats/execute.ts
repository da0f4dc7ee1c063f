/** Answers a question: plans how it is read, runs the statement of each part one after the other, and merges their rows. */
import type { StatsAccuracy } from "@headwater/contract";
import { Refusal } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import type { Period } from "./calendar.ts";
import {
  type Demand,
  firstPlan,
  nextPlan,
  type Plan,
  READ_BUDGET,
  type ReadFrom,
  type ReadSizes,
  readsEvents,
} from "./plan.ts";
import {
  countEvents,
  type FoundCoverage,
  findDerivedDays,
  isIntact,
  readCoverage,
} from "./rollups/freshness.ts";
import { historyOf, inPeriod, isOfSources, type QueryScope, readsFirstVisits } from "./sql/conditions.ts";
import { type QueryPart, type Share, WHOLE } from "./sql/part.ts";
import type { RunQuery } from "./sql/run-on.ts";
import { divideSessions } from "./sql/session-ranges.ts";
import type { Bind, Statement } from "./sql/statement.ts";

/** How the rows of several parts become those of all: rows with the same key are added up. */
interface Addition<Row> {
  keyOf(row: Row): string;
  add(one: Row, other: Row): Row;
}

/** A question about the events of a period. Each kind of question writes its statement for a part, and its answer from the rows. */
export interface Question<Row extends readonly unknown[], Answer extends NonNullable<unknown>>
  extends Omit<Demand, "accuracy"> {
  readonly scope: QueryScope;
  readonly period: Period;
  /** The rollups that can answer it; `events`: none can. */
  readonly from: ReadFrom;
  /** Whether it needs the first visits of visitors, and with them all events before the period. */
  readonly readsHistory: boolean;
  /** null: it is never read in parts. */
  readonly addition: Addition<Row> | null;
  statement(part: QueryPart): Statement;
  /**
   * @param scale what counts of a sample are multiplied with, to stand for those of all visitors; percentiles are not
   * @param isAdded the rows were added up from several parts, so they are neither sorted nor limited
   */
  merge(rows: readonly Row[], scale: number, isAdded: boolean): Answer;
}

/** What the questions about the visitors of events have in common: no rollup answers them, and each part would read all events. */
export const ofVisitors = (scope: QueryScope, period: Period = scope.range) =>
  ({
    scope,
    period,
    from: "events",
    canEstimate: true,
    addsUpSessions: false,
    countsVisitors: false,
    eventsKind: "ofEvents",
    addition: null,
    readsHistory: readsFirstVisits(scope),
  }) as const;

/** A value, and the sample that it was read from. */
export interface Found<Value> extends Pick<Plan, "sample"> {
  readonly value: Value;
}
export const foundExactly = <Value>(value: Value): Found<Value> => ({ value, sample: 1 });

/** The members that all answers have. @param found what its figures are */
export function answerHead({ sourceId, zone, range }: QueryScope, ...found: readonly Found<unknown>[]) {
  const sample = Math.max(...found.map((one) => one.sample));
  const accuracy: StatsAccuracy = sample === 1 ? { exact: true } : { exact: false, sample: 1 / sample };
  return { sourceId, timezone: zone, from: toIsoTime(range.from), to: toIsoTime(range.to), accuracy };
}

/** From 1 visitor in so many on, few rows of events fit. */
const SMALL_SAMPLE = 16;

/** One row more than a part may have, which are parsed at once, shows that there are too many. */
export const MAX_PART_ROWS = 50_001;

/** The visitors of rollups or the sessions of events that the statements of a plan read. */
async function sharesOf(
  run: RunQuery,
  { scope, period }: { readonly scope: QueryScope; readonly period: Period },
  { sample, parts }: Plan,
  isOfRollups: boolean,
): Promise<Share[]> {
  if (sample > 1) return [{ kind: "sample", of: sample }];
  if (parts === 1) return [WHOLE.share];
  if (isOfRollups)
    return Array.from({ length: parts }, (_, index) => ({ kind: "visitors", index, of: parts }));
  const ofPeriod = (bind: Bind) => `${isOfSources(bind, scope)} AND ${inPeriod(bind, period)}`;
  const ranges = await divideSessions(run, ofPeriod, parts);
  return ranges.length === 1 ? [WHOLE.share] : ranges.map((range) => ({ kind: "sessions", ...range }));
}

/** @returns null when there are too many rows to be added up */
async function addParts<Row extends readonly unknown[]>(
  run: RunQuery,
  { keyOf, add }: Addition<Row>,
  statements: readonly Statement[],
): Promise<Row[] | null> {
  const sums = new Map<string, Row>();
  for (const statement of statements) {
    const rows = await run<Row>({ ...statement, maxRows: MAX_PART_ROWS });
    if (rows.length === MAX_PART_ROWS) return null;
    for (const row of rows) {
      const key = keyOf(row);
      const sum = sums.get(key);
      sums.set(key, sum === undefined ? row : add(sum, row));
    }
    if (sums.size > READ_BUDGET.maxRowsOfParts) return null;
  }
  return [...sums.values()];
}

/** @returns null when its parts have too many rows to be added up */
async function readPlan<Row extends readonly unknown[], Answer extends NonNullable<unknown>>(
  run: RunQuery,
  question: Question<Row, Answer>,
  plan: Plan,
  coverage: FoundCoverage | null,
): Promise<Answer | null> {
  const { scope, from, addition } = question;
  const shares = await sharesOf(run, question, plan, coverage !== null && !readsEvents(from));
  const [first = WHOLE.share] = shares;
  // parts of the visitors share their sessions
  const sampled = plan.sample > 1 ? first : WHOLE.share;
  const readsSessions = coverage !== null && from !== "eventRollups";
  const derivedDays = readsSessions ? await findDerivedDays(run, scope.sourceId, sampled, coverage) : [];
  const rollups = coverage && { ...coverage, derivedDays };
  const toStatement = (share: Share): Statement => ({
    ...question.statement({
      share,
      // rollups are sorted by visitor: each part of the sessions would read all of their rows
      rollups: share.kind === "sessions" ? null : rollups,
      fitsArrays: plan.fitsArrays,
    }),
    isSelective: plan.sample >= SMALL_SAMPLE,
  });
  if (shares.length === 1 || addition === null)
    return question.merge(await run<Row>(toStatement(first)), plan.sample, false);
  const rows = await addParts(run, addition, shares.map(toStatement));
  return rows && question.merge(rows, 1, true);
}

const isTooHeavy = (error: unknown) => error instanceof Refusal && error.code === "query_too_heavy";

/**
 * Reads with the plan that suits the sizes. What needs too much memory or time is read again from a smaller sample or in smaller
 * parts, and what has too many rows for parts in one statement.
 * @throws Refusal `query_too_heavy` when no plan is left
 */
export async function readWithin<Row extends readonly unknown[], Answer extends NonNullable<unknown>>(
  run: RunQuery,
  question: Question<Row, Answer>,
  events: number,
  coverage: FoundCoverage | null = null,
): Promise<Found<Answer>> {
  const sizes: ReadSizes = {
    from: coverage ? question.from : "events",
    events,
    memoryBytes: run.memoryBytes,
  };
  let demand: Demand = { ...question, accuracy: question.scope.accuracy };
  let plan = firstPlan(demand, sizes);
  for (;;) {
    try {
      const value = await readPlan(run, question, plan, coverage);
      if (value !== null) return { value, sample: plan.sample };
      demand = { ...demand, hasTooManyRows: true };
      plan = firstPlan(demand, sizes);
    } catch (error) {
      const next = nextPlan(demand, sizes, plan);
      if (next === null || !isTooHeavy(error)) throw error;
      plan = next;
    }
  }
}

/** How often rollups are tried while an erasure drops them; after that all is derived from events. */
const MAX_ROLLUP_TRIES = 3;

/** @throws Refusal `query_too_heavy`, and what `run` throws */
export async function execute<Row extends readonly unknown[], Answer extends NonNullable<unknown>>(
  run: RunQuery,
  question: Question<Row, Answer>,
): Promise<Found<Answer>> {
  const { sourceId, sourceIds } = question.scope;
  for (let tries = 0; ; tries++) {
    if (question.from === "events" || tries === MAX_ROLLUP_TRIES) {
      const events = await countEvents(run, sourceIds, question.period);
      if (!question.readsHistory) return readWithin(run, question, events);
      const history = await countEvents(run, sourceIds, historyOf(question.period));
      return readWithin(run, question, events + READ_BUDGET.historyShare * history);
    }
    const { coverage, events } = await readCoverage(run, sourceId, question.period);
    const answer = await readWithin(run, question, events, coverage);
    if (coverage === null || (await isIntact(run, sourceId, coverage))) return answer;
  }
}
