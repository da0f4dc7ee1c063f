/** The members that all queries have (source, time zone, range, filters): read once, and written as SQL conditions. */
import type {
  Issue,
  StatsAccuracy,
  StatsAccuracyChoice,
  StatsDateRange,
  StatsFilter,
} from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import { SECOND_MS, toIsoTime } from "../core/time.ts";
import { inSample } from "./accuracy.ts";
import { isZone, type Period } from "./calendar.ts";
import { type CurrencySql, eventCurrencySql } from "./dimensions.ts";
import { type QueryFilter, readFilters, writeFilter } from "./filter.ts";
import { type QueryRange, readRange } from "./range.ts";
import { inSessionRange, type SessionRange } from "./session-ranges.ts";
import { allOf, type Bind, bindTime } from "./sql.ts";

/** The members that the bodies of all queries have. */
export interface ScopeBody {
  readonly sourceId: string;
  readonly dateRange: StatsDateRange;
  readonly timezone?: string;
  readonly filters?: readonly StatsFilter[];
  readonly accuracy?: StatsAccuracyChoice;
  readonly include?: { readonly bots?: boolean; readonly excluded?: boolean };
}

export interface QueryScope {
  readonly sourceId: string;
  readonly zone: string;
  readonly range: QueryRange;
  readonly filters: readonly QueryFilter[];
  readonly includesBots: boolean;
  /** What the dimension `currency` and filters on it read. */
  readonly currency: CurrencySql;
  readonly accuracy: StatsAccuracyChoice;
  /** n: statements read one visitor in n. 1: all visitors. */
  readonly sample: number;
  /** The sessions that statements read from `events`; null: all sessions. */
  readonly sessions: SessionRange | null;
}

/** @throws Refusal `invalid_payload` unless there are no issues */
export function refuseIssues(issues: readonly Issue[]): void {
  if (issues.length > 0) throw new Refusal("invalid_payload", { issues: [...issues] });
}

/**
 * @param otherIssues found by the caller; they are refused together with those found here
 * @throws Refusal `invalid_payload`
 */
export function readScope(body: ScopeBody, now: number, otherIssues: readonly Issue[] = []): QueryScope {
  const { sourceId, timezone: zone = "UTC", include, accuracy = "auto" } = body;
  const issues = [...otherIssues];
  const isKnownZone = isZone(zone);
  if (!isKnownZone) {
    const message = "must be a time zone of the IANA database, such as Europe/Berlin";
    issues.push({ path: ["timezone"], code: "invalid_value", message });
  }
  const filters = readFilters(body.filters ?? [], issues);
  const range = readRange(body.dateRange, isKnownZone ? zone : "UTC", now);
  if ("code" in range) throw new Refusal("invalid_payload", { issues: [...issues, range] });
  refuseIssues(issues);
  const includesBots = include?.bots ?? false;
  const all = { sample: 1, sessions: null };
  return { sourceId, zone, range, filters, includesBots, currency: eventCurrencySql, accuracy, ...all };
}

/**
 * An answer as it is computed; `stats.ts` adds whether events are missing, and what was left out. One without `accuracy` is
 * exact.
 */
export type Computed<Answer> = Omit<Answer, "incomplete" | "excluded" | "accuracy"> & {
  readonly accuracy?: StatsAccuracy;
};

/** The members that all answers have. */
export const answerHead = ({ sourceId, zone, range }: QueryScope) => ({
  sourceId,
  timezone: zone,
  from: toIsoTime(range.from),
  to: toIsoTime(range.to),
});

export const inPeriod = (bind: Bind, { from, to }: Period, time = "occurredAt"): string =>
  `${time} >= ${bindTime(bind, from)} AND ${time} < ${bindTime(bind, to)}`;

/** Sessions of a period are made from its events and those of this time before and after it. */
export const SESSION_MARGIN_MS = SERVER_LIMITS.sessionMaxSeconds * SECOND_MS;

/** Selects the events of a source: those of the sample and the sessions, and without bots unless the query includes them. */
export const ofSource = (bind: Bind, { sourceId, includesBots, sample, sessions }: QueryScope): string =>
  allOf([
    `sourceId = ${bind("String", sourceId)}`,
    ...(sample === 1 ? [] : [inSample(sample)]),
    ...(sessions === null ? [] : [inSessionRange(bind, sessions)]),
    ...(includesBots ? [] : ["NOT device.isBot"]),
  ]);

/** Selects the events of which the sessions of a period are made. */
export const sessionEventsSql = (bind: Bind, scope: QueryScope, { from, to }: Period): string =>
  `${ofSource(bind, scope)} AND ${inPeriod(bind, { from: from - SESSION_MARGIN_MS, to: to + SESSION_MARGIN_MS })}`;

export interface EventConditions {
  /** Selects the events of which the sessions of the period are made. */
  readonly sessionEvents: string;
  /** Selects the events that satisfy the filters, at any time. */
  readonly filters: string;
  /** Selects the events of the period that satisfy the filters. */
  readonly events: string;
}

/** @param period the range of the query, or the period before it */
export function eventConditions(bind: Bind, scope: QueryScope, period: Period): EventConditions {
  const sessionEvents = sessionEventsSql(bind, scope, period);
  const context = { sessionEvents, currency: scope.currency };
  const filters = allOf(scope.filters.map((filter) => writeFilter(bind, filter, context)));
  const events = `${ofSource(bind, scope)} AND ${inPeriod(bind, period)} AND (${filters})`;
  return { sessionEvents, filters, events };
}
