/**
 * The rows of a query by goal: an event has a row for each goal that it reaches, and one without a goal. Rates divide by the rows
 * without a goal. The column `reached` has the goal of a row, and the currency and amount of the goal's value.
 */
import {
  type Issue,
  STATS_BY_GOAL_METRICS,
  STATS_GOAL_DIMENSION,
  type StatsMetric,
  type StatsQueryBody,
} from "@headwater/contract";
import { issueAt } from "../../core/refusal.ts";
import { eventConditions, inPeriod, ofSource } from "./conditions.ts";
import { asText, eventCurrencySql } from "./dimensions.ts";
import { type QueryFilter, readsCurrency } from "./filter.ts";
import { amountSql, type EachGoal, type GoalRule, goalSql, NO_AMOUNT, withGoal } from "./goals.ts";
import type { SqlContext } from "./metrics-query.ts";
import { allOf, anyOf, type Bind, list } from "./statement.ts";

type ByGoalBody = Pick<StatsQueryBody, "metrics" | "dimensions" | "goal">;
export const isByGoal = ({ dimensions }: Pick<ByGoalBody, "dimensions">): boolean =>
  dimensions?.includes(STATS_GOAL_DIMENSION) === true;

/** A session has no currency. */
const WITHOUT_CURRENCY: readonly StatsMetric[] = [
  "sessionConversionRate",
  "conversionsPerSession",
  "revenuePerSession",
];

/** Problems of a query by goal. */
export function byGoalIssues(
  { metrics, dimensions = [], goal }: ByGoalBody,
  filters: readonly QueryFilter[],
): Issue[] {
  const needsCurrency = dimensions.includes("currency") || filters.some(readsCurrency);
  const ofMetrics = metrics.flatMap((metric, index) => {
    if (!STATS_BY_GOAL_METRICS.some((one) => one === metric))
      return [
        issueAt(["metrics", index], `the metrics of a query by goal are ${STATS_BY_GOAL_METRICS.join(", ")}`),
      ];
    if (!needsCurrency || !WITHOUT_CURRENCY.includes(metric)) return [];
    return [
      issueAt(["metrics", index], `${metric} by goal cannot have the currency dimension or a filter on it`),
    ];
  });
  if (!goal) return ofMetrics;
  const message = "a query with the goal dimension covers all goals, so leave goal out";
  return [...ofMetrics, issueAt(["goal"], message)];
}

const NO_TEXT = asText("NULL");
const NO_GOAL = `(${list([NO_TEXT, NO_TEXT, NO_AMOUNT])})`;

/**
 * The places of the goals that an event reaches, from 2 on. An array of their values instead takes five times as long.
 * @param filter a further condition on the event for a goal; null: none
 */
function placesSql(bind: Bind, { each }: EachGoal, filter: (goal: GoalRule) => string | null): string {
  if (each.length === 0) return "emptyArrayUInt8()";
  const isReached = each.map((goal) => {
    const own = filter(goal);
    return `if(${allOf([...(own === null ? [] : [own]), goalSql(bind, goal)])}, 1, 0)`;
  });
  const places = each.map((_, index) => String(index + 2));
  return `arrayFilter((place, isReached) -> isReached, [${list(places)}], [${list(isReached)}])`;
}

/** The column `reached`, which makes a row of no goal, and one for each goal. @param places SQL of the array of their places */
function reachedColumn(bind: Bind, { each }: EachGoal, places: string): string {
  const goals = each.map((goal) => {
    const currency = goal.value ? bind("String", goal.value.currency) : "NULL";
    return `(${list([asText(bind("String", goal.name)), asText(currency), amountSql(bind, goal)])})`;
  });
  return `arrayElement([${list([NO_GOAL, ...goals])}], arrayJoin(arrayPushFront(${places}, 1))) AS reached`;
}

/** @returns the column `reached`, which makes rows of each event, and a condition that selects the events that count */
export function eventsByGoal({ bind, query, scope }: SqlContext, goals: EachGoal) {
  const ofEvents = { ...scope, texts: { ...scope.texts, currency: eventCurrencySql } };
  const filtersFor = (goal: GoalRule | null) =>
    eventConditions(bind, { ...withGoal(ofEvents, goal), part: scope.part }, query.period).filters;
  const shared = filtersFor(null);
  // the currency of a conversion can be that of its goal, so filters on the currency are written for each goal
  const valued = scope.filters.some(readsCurrency) ? goals.each.filter(({ value }) => value !== null) : [];
  const own = new Map<GoalRule, string>(valued.map((goal) => [goal, filtersFor(goal)]));
  const places = placesSql(bind, goals, (goal) => (own.size === 0 ? null : (own.get(goal) ?? shared)));
  return {
    column: reachedColumn(bind, goals, places),
    events: allOf([ofSource(bind, scope), inPeriod(bind, query.period), anyOf([shared, ...own.values()])]),
  };
}

/** The column of a session that `rowsOfSession` reads. */
export const sessionGoals = (bind: Bind, goals: EachGoal): string =>
  `groupUniqArrayArray(${placesSql(bind, goals, () => null)}) AS reachedGoals`;
export const rowsOfSession = (bind: Bind, goals: EachGoal): string =>
  reachedColumn(bind, goals, "reachedGoals");
