/** The members that all queries have (source, time zone, range, filters): read once, and written as SQL conditions. */
import type { Issue, StatsDateRange, StatsFilter, StatsGoal } from "@headwater/contract";
import { IS_PAGE_VIEW } from "../clickhouse/schema/event-types.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import { SECOND_MS, toIsoTime } from "../core/time.ts";
import { isZone, type Period } from "./calendar.ts";
import { textSql } from "./dimensions.ts";
import { type QueryFilter, readFilters, writeFilter } from "./filter.ts";
import { type QueryRange, readRange } from "./range.ts";
import { allOf, type Bind, bindTime } from "./sql.ts";

/** The members that the bodies of all queries have. */
export interface ScopeBody {
  readonly sourceId: string;
  readonly dateRange: StatsDateRange;
  readonly timezone?: string;
  readonly filters?: readonly StatsFilter[];
  readonly include?: { readonly bots?: boolean };
}

export interface QueryScope {
  readonly sourceId: string;
  readonly zone: string;
  readonly range: QueryRange;
  readonly filters: readonly QueryFilter[];
  readonly includesBots: boolean;
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
  const { sourceId, timezone: zone = "UTC", include } = body;
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
  return { sourceId, zone, range, filters, includesBots: include?.bots ?? false };
}

/** An answer as it is computed; `stats.ts` adds whether events are missing, and what was left out. */
export type Computed<Answer> = Omit<Answer, "incomplete" | "excluded">;

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

/** Selects the events of a source, without bots unless the query includes them. */
export const ofSource = (bind: Bind, { sourceId, includesBots }: QueryScope): string =>
  allOf([`sourceId = ${bind("String", sourceId)}`, ...(includesBots ? [] : ["NOT device.isBot"])]);

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
  const filters = allOf(scope.filters.map((filter) => writeFilter(bind, filter, sessionEvents)));
  const events = `${ofSource(bind, scope)} AND ${inPeriod(bind, period)} AND (${filters})`;
  return { sessionEvents, filters, events };
}

/** A page pattern as a pattern of LIKE: `*` matches any text, all else itself. */
const likePattern = (pattern: string) =>
  pattern.replaceAll("\\", "\\\\").replaceAll("%", "\\%").replaceAll("_", "\\_").replaceAll("*", "%");

/** Whether an event reaches a goal. */
export function goalSql(bind: Bind, { event, page }: StatsGoal): string {
  if (event !== undefined) return `name = ${bind("String", event)}`;
  const matches = `${textSql("page")} LIKE ${bind("String", likePattern(page ?? ""))}`;
  return `${IS_PAGE_VIEW} AND ifNull(${matches}, 0)`;
}
