/** POST /api/stats/paths: counts the sessions that went from one page or event to the next, for each step. */
import type { Issue, PathPlace, PathRules, StatsPathsAnswer, StatsPathsBody } from "@headwater/contract";
import { storedPattern } from "@headwater/contract/path-pattern";
import { IS_ACTION, IS_PAGE_VIEW, OPENS_SESSION } from "../clickhouse/schema/event-types.ts";
import { issueAt } from "../core/refusal.ts";
import { answerHead, execute, MAX_PART_ROWS, ofVisitors, type Question } from "./execute.ts";
import { type Computed, type OfSources, readScope } from "./scope.ts";
import { eventConditions, isWithin, type QueryScope } from "./sql/conditions.ts";
import { isOneOfMany, type QueryPart } from "./sql/part.ts";
import type { RunQuery } from "./sql/run-on.ts";
import { compareText, type Statement, statement } from "./sql/statement.ts";

const DEFAULT_STEPS = 3;
const DEFAULT_TRANSITIONS_PER_STEP = 20;

/** A step as a text: the path of a page, or with events among the steps, a letter for its kind before it. */
type PlaceKey = string;

interface PathsOptions {
  /** Whether actions are steps too. */
  readonly hasEvents: boolean;
  /** null: paths begin at the entry page. */
  readonly start: PlaceKey | null;
  /** What paths begin with, in order, as far as a step goes. */
  readonly through: readonly PlaceKey[];
  readonly steps: number;
  /** The maximum number of transitions, from one page to the next, that the answer has for each step. */
  readonly limit: number;
}

type Transition = StatsPathsAnswer["paths"][number];
type TransitionRow = readonly [step: number, from: PlaceKey, to: PlaceKey | null, sessions: number];

/** In this order within a millisecond. */
const PAGE = "1";
const EVENT = "2";
const toKey = (place: PathPlace, hasEvents: boolean): PlaceKey => {
  if (typeof place !== "string") return `${EVENT}${place.event}`;
  return hasEvents ? `${PAGE}${place}` : place;
};
const IS_VIEW_OF_PAGE = `${IS_PAGE_VIEW} AND page.path IS NOT NULL`;
/** The steps of a session: its page views, or these and its actions. */
const placesSql = (hasEvents: boolean): string =>
  hasEvents
    ? `groupArrayIf((occurredAt, if(${IS_PAGE_VIEW}, concat('${PAGE}', assumeNotNull(page.path)), concat('${EVENT}', name))),
        ${IS_VIEW_OF_PAGE} OR (${IS_ACTION}))`
    : `groupArrayIf((occurredAt, assumeNotNull(page.path)), ${IS_VIEW_OF_PAGE})`;

/**
 * Views of the same page one after the other count as one step. Sessions without the start page are left out. Views of the same
 * millisecond are taken in the order of their paths: to read the ids of events would take longer than all else.
 */
const pathsStatement = (scope: QueryScope, options: PathsOptions, part: QueryPart): Statement =>
  statement((bind) => {
    const { hasEvents, start: startKey, through, steps, limit } = options;
    const { sessionEvents, filters } = eventConditions(bind, { ...scope, part }, scope.range);
    const start = startKey === null ? "1" : `indexOf(places, ${bind("String", startKey)})`;
    const numbers = `range(1, least(${bind("UInt32", steps)}, length(path)) + 1)`;
    const first = `arraySlice(${bind("Array(String)", through)}, 1, at)`;
    const taken =
      through.length === 0
        ? numbers
        : `arrayFilter(at -> arraySlice(path, 1, length(${first})) = ${first}, ${numbers})`;
    const page = `ORDER BY number, sessions DESC, fromPage, toPage NULLS LAST LIMIT ${bind("UInt32", limit)} BY number`;
    return `SELECT tupleElement(step, 1) AS number, tupleElement(step, 2) AS fromPage, tupleElement(step, 3) AS toPage, count() AS sessions
      FROM (
        SELECT arrayCompact(arrayMap(place -> tupleElement(place, 2), arraySort(${placesSql(hasEvents)}))) AS places,
          ${start} AS start,
          if(start = 0, [], arraySlice(places, start, ${bind("UInt32", steps)} + 1)) AS path
        FROM events WHERE ${sessionEvents} GROUP BY session
        HAVING ${isWithin(bind, `minIf(occurredAt, ${OPENS_SESSION})`, scope.range)} AND max(${filters})
      )
      ARRAY JOIN arrayMap(at -> (at, path[at], if(at < length(path), path[at + 1], NULL)), ${taken}) AS step
      GROUP BY number, fromPage, toPage ${isOneOfMany(part) ? `LIMIT ${MAX_PART_ROWS}` : page}`;
  });

const toTransition = ([step, from, to, sessions]: TransitionRow, hasEvents: boolean): Transition =>
  hasEvents
    ? {
        step,
        from: from.slice(1),
        fromEvent: from.startsWith(EVENT),
        to: to === null ? null : to.slice(1),
        toEvent: to?.startsWith(EVENT) ?? false,
        sessions,
      }
    : { step, from, to, sessions };

const compareTransitions = (one: Transition, other: Transition): number => {
  if (one.step !== other.step) return one.step - other.step;
  if (one.sessions !== other.sessions) return other.sessions - one.sessions;
  if (one.from !== other.from) return compareText(one.from, other.from);
  // sessions that end come last
  return one.to === null || other.to === null
    ? Number(one.to === null) - Number(other.to === null)
    : compareText(one.to, other.to);
};

/** The first transitions of each step. */
function firstOfSteps(transitions: readonly Transition[], limit: number): Transition[] {
  const bySteps = Map.groupBy(transitions.toSorted(compareTransitions), ({ step }) => step);
  return [...bySteps.values()].flatMap((ofStep) => ofStep.slice(0, limit));
}

const pathsQuestion = (scope: QueryScope, options: PathsOptions): Question<TransitionRow, Transition[]> => ({
  ...ofVisitors(scope),
  addsUpSessions: true,
  eventsKind: "withSessions",
  addition: {
    keyOf: ([step, from, to]) => JSON.stringify([step, from, to]),
    add: ([step, from, to, one], [, , , other]) => [step, from, to, one + other],
  },
  statement: (part) => pathsStatement(scope, options, part),
  merge: (rows, scale, isAdded) => {
    const transitions = rows.map(([step, from, to, sessions]) =>
      toTransition([step, from, to, sessions * scale], options.hasEvents),
    );
    return isAdded ? firstOfSteps(transitions, options.limit) : transitions;
  },
});

/** The query with pages in the form in which the source stores paths. */
export function withStoredPaths<Body extends Pick<StatsPathsBody, "startPage" | "through">>(
  body: Body,
  pathRules: PathRules,
): Body {
  const { startPage, through } = body;
  const toStored = storedPattern(pathRules);
  return {
    ...body,
    ...(startPage !== undefined && { startPage: startPage && toStored(startPage) }),
    ...(through && { through: through.map((one) => (typeof one === "string" ? toStored(one) : one)) }),
  };
}

/** Events are steps only where they are included. */
function eventIssues(
  { startPage, startEvent, through = [] }: Partial<StatsPathsBody>,
  hasEvents: boolean,
): Issue[] {
  const message = "events are steps only with include.events true";
  const needsEvents = [
    ...(startEvent === undefined ? [] : [["startEvent"]]),
    ...through.flatMap((place, index) => (typeof place === "string" ? [] : [["through", index]])),
  ];
  if (startPage !== undefined && startEvent !== undefined)
    return [issueAt(["startEvent"], "give either startPage or startEvent")];
  return hasEvents ? [] : needsEvents.map((path) => issueAt(path, message));
}

export async function answerPaths(
  run: RunQuery,
  body: OfSources<StatsPathsBody>,
  now: number,
): Promise<Computed<StatsPathsAnswer>> {
  const {
    startPage,
    startEvent,
    through = [],
    steps = DEFAULT_STEPS,
    limit = DEFAULT_TRANSITIONS_PER_STEP,
  } = body;
  const hasEvents = body.include?.events ?? false;
  const scope = readScope(body, now, eventIssues(body, hasEvents));
  const start = startEvent === undefined ? startPage : { event: startEvent };
  const options = {
    hasEvents,
    start: start === undefined ? null : toKey(start, hasEvents),
    through: through.map((place) => toKey(place, hasEvents)),
    steps,
    limit,
  };
  const found = await execute(run, pathsQuestion(scope, options));
  return { ...answerHead(scope, found), paths: found.value };
}
