/** POST /api/stats/paths: counts the sessions that went from one page to the next, for each step. */
import type { StatsPathsAnswer, StatsPathsBody } from "@headwater/contract";
import { IS_PAGE_VIEW, OPENS_SESSION } from "../clickhouse/schema/event-types.ts";
import { accuracyOf, mayEstimate, READ_BUDGET, readInMoreSlices } from "./accuracy.ts";
import { type FirstSums, firstSums, type SliceCounts } from "./first-sums.ts";
import type { RunQuery } from "./run-query.ts";
import { readEvents, readSessionRanges, sessionSlicesFor } from "./sampled-scope.ts";
import { answerHead, type Computed, eventConditions, inPeriod, type QueryScope, readScope } from "./scope.ts";
import type { SessionRange } from "./session-ranges.ts";
import { compareText, type Statement, statement } from "./sql.ts";

const DEFAULT_STEPS = 3;
const DEFAULT_TRANSITIONS_PER_STEP = 20;
/** Transitions that an exact answer in slices reads a second time, by a hash of 20 digits each. */
const MAX_NAMED_TRANSITIONS = 5_000;

interface PathsOptions {
  /** null: paths begin at the entry page. */
  readonly startPage: string | null;
  /** The pages that paths begin with, in order, as far as a step goes. */
  readonly through: readonly string[];
  readonly steps: number;
  /** The maximum number of transitions, from one page to the next, that the answer has for each step. */
  readonly limit: number;
  /** Hashes of the transitions to return; null: all transitions. */
  readonly only: readonly string[] | null;
}

type Transition = StatsPathsAnswer["paths"][number];
type TransitionRow = [step: number, from: string, to: string | null, sessions: number, hash: string];

/**
 * Views of the same page one after the other count as one step. Sessions without the start page are left out. Views of the same
 * millisecond are taken in the order of their paths: to read the ids of events would take longer than all else.
 */
const pathsStatement = (scope: QueryScope, options: PathsOptions): Statement =>
  statement((bind) => {
    const { startPage, through, steps, limit, only } = options;
    const { sessionEvents, filters } = eventConditions(bind, scope, scope.range);
    const views = `groupArrayIf((occurredAt, assumeNotNull(page.path)), ${IS_PAGE_VIEW} AND page.path IS NOT NULL)`;
    const start = startPage === null ? "1" : `indexOf(pages, ${bind("String", startPage)})`;
    const numbers = `range(1, least(${bind("UInt32", steps)}, length(path)) + 1)`;
    const first = `arraySlice(${bind("Array(String)", through)}, 1, at)`;
    const taken =
      through.length === 0
        ? numbers
        : `arrayFilter(at -> arraySlice(path, 1, length(${first})) = ${first}, ${numbers})`;
    return `SELECT tupleElement(step, 1) AS number, tupleElement(step, 2) AS fromPage, tupleElement(step, 3) AS toPage, count() * ${scope.sample} AS sessions,
        toString(sipHash64(number, fromPage, isNull(toPage), ifNull(toPage, ''))) AS hash
      FROM (
        SELECT arrayCompact(arrayMap(view -> tupleElement(view, 2), arraySort(${views}))) AS pages,
          ${start} AS start,
          if(start = 0, [], arraySlice(pages, start, ${bind("UInt32", steps)} + 1)) AS path
        FROM events WHERE ${sessionEvents} GROUP BY session
        HAVING ${inPeriod(bind, scope.range, `minIf(occurredAt, ${OPENS_SESSION})`)} AND max(${filters})
      )
      ARRAY JOIN arrayMap(at -> (at, path[at], if(at < length(path), path[at + 1], NULL)), ${taken}) AS step
      GROUP BY number, fromPage, toPage ${only === null ? "" : `HAVING hash IN ${bind("Array(String)", only)}`}
      ORDER BY number, sessions DESC, fromPage, toPage NULLS LAST
      LIMIT ${bind("UInt32", limit)} BY number`;
  });

/** Reads the sessions of the scope in one statement. */
async function readAtOnce(run: RunQuery, scope: QueryScope, options: PathsOptions): Promise<Transition[]> {
  const rows = await run<TransitionRow>(pathsStatement(scope, options));
  return rows.map(([step, from, to, sessions]) => ({ step, from, to, sessions }));
}

/** The counts of a slice by transition of one step. @param limit how many transitions the slice returns */
const countsOf = (rows: readonly TransitionRow[], limit: number): SliceCounts => ({
  counts: new Map(rows.map(([, , , sessions, hash]) => [hash, sessions])),
  maxOther: rows.length < limit ? 0 : (rows.at(-1)?.[3] ?? 0),
});

const compareTransitions = (one: Transition, other: Transition): number => {
  if (one.sessions !== other.sessions) return other.sessions - one.sessions;
  if (one.from !== other.from) return compareText(one.from, other.from);
  // sessions that end come last
  return one.to === null || other.to === null
    ? Number(one.to === null) - Number(other.to === null)
    : compareText(one.to, other.to);
};

/**
 * Reads slices of the sessions, one after the other. Each returns its most frequent transitions of each step. Transitions that are among
 * the first of the answer, but that some slice has not returned, are read again by name.
 * @returns null when too many transitions may be among the first
 */
async function readInSlices(
  run: RunQuery,
  scope: QueryScope,
  options: PathsOptions,
  ranges: readonly SessionRange[],
): Promise<Transition[] | null> {
  const transitions = new Map<string, Transition>();
  const readSlices = async (wanted: Pick<PathsOptions, "limit" | "only">): Promise<SliceCounts[][]> => {
    const bySteps: SliceCounts[][] = Array.from({ length: options.steps }, () => []);
    for (const sessions of ranges) {
      const rows = await run<TransitionRow>(
        pathsStatement({ ...scope, sessions }, { ...options, ...wanted }),
      );
      for (const [step, from, to, , hash] of rows) transitions.set(hash, { step, from, to, sessions: 0 });
      for (const [index, slices] of bySteps.entries())
        slices.push(
          countsOf(
            rows.filter(([step]) => step === index + 1),
            wanted.limit,
          ),
        );
    }
    return bySteps;
  };
  const readFirst = async (wanted: Pick<PathsOptions, "limit" | "only">): Promise<FirstSums[] | null> => {
    const first = (await readSlices(wanted)).map((slices) => firstSums(slices, options.limit));
    return first.includes(null) ? null : first.filter((one) => one !== null);
  };
  const limit = Math.max(options.limit, Math.floor(READ_BUDGET.maxPathsOfSlice / options.steps));
  let first = await readFirst({ limit, only: null });
  if (first?.some(({ areComplete }) => !areComplete)) {
    const only = first.flatMap(({ sums }) => [...sums.keys()]);
    if (only.length > MAX_NAMED_TRANSITIONS) return null;
    // one more than there are: none is left out
    first = await readFirst({ limit: only.length + 1, only });
  }
  if (first === null) return null;
  return first.flatMap(({ sums }) =>
    [...sums]
      .flatMap(([hash, sessions]) => {
        const transition = transitions.get(hash);
        return transition ? [{ ...transition, sessions }] : [];
      })
      .sort(compareTransitions)
      .slice(0, options.limit),
  );
}

export async function answerPaths(
  run: RunQuery,
  body: StatsPathsBody,
  now: number,
): Promise<Computed<StatsPathsAnswer>> {
  const {
    startPage = null,
    through = [],
    steps = DEFAULT_STEPS,
    limit = DEFAULT_TRANSITIONS_PER_STEP,
  } = body;
  const scope = readScope(body, now);
  const options: PathsOptions = { startPage, through, steps, limit, only: null };
  const { value: paths, sample } = await readEvents(run, scope, async (sampled, events) => {
    if (sampled.sample > 1) return readAtOnce(run, sampled, options);
    const wanted = sessionSlicesFor(run, events);
    const read = async (slices: number) => {
      const ranges = await readSessionRanges(run, scope, scope.range, slices);
      return ranges.length < 2 ? readAtOnce(run, scope, options) : readInSlices(run, scope, options, ranges);
    };
    const found = await readInMoreSlices(wanted, read, mayEstimate(scope.accuracy, true));
    return found ?? readAtOnce(run, scope, options);
  });
  return {
    ...answerHead(scope),
    accuracy: accuracyOf({ sample }),
    paths,
  };
}
