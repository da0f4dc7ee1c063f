/** What every question has: a source, a time zone, a period, filters; read once, and written as conditions. */
import type { Issue, StatsDateRange, StatsFilter, StatsGoal } from "@headwater/contract";
import { IS_PAGE_VIEW } from "../clickhouse/schema/event-types.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import { isZone, type Period } from "./calendar.ts";
import { asText } from "./dimensions.ts";
import { type Filter, readFilters, writeFilter } from "./filter.ts";
import { type Range, readRange } from "./range.ts";
import { all, type Bind } from "./sql.ts";

/** What the bodies of the questions share. */
export interface Asked {
  readonly sourceId: string;
  readonly dateRange: StatsDateRange;
  readonly timezone?: string;
  readonly filters?: readonly StatsFilter[];
  readonly include?: { readonly bots?: boolean };
}

export interface Scope {
  readonly sourceId: string;
  readonly zone: string;
  readonly range: Range;
  readonly filters: readonly Filter[];
  readonly bots: boolean;
}

export function refuseFor(issues: readonly Issue[]): void {
  if (issues.length > 0) throw new Refusal("invalid_payload", { issues: [...issues] });
}

const wrong = (field: string, message: string): Issue => ({ path: [field], code: "invalid_value", message });

/**
 * @param more what else is wrong with the question, found by whoever knows it
 * @throws Refusal `invalid_payload`
 */
export function readScope(asked: Asked, now: number, more: readonly Issue[] = []): Scope {
  const zone = asked.timezone ?? "UTC";
  const issues = [...more];
  const knowsZone = isZone(zone);
  if (!knowsZone) issues.push(wrong("timezone", "is no time zone of the IANA database, as Europe/Berlin is"));
  const filters = readFilters(asked.filters ?? [], issues);
  const range = readRange(asked.dateRange, knowsZone ? zone : "UTC", now);
  if ("code" in range) issues.push(range);
  refuseFor(issues);
  return {
    sourceId: asked.sourceId,
    zone,
    range: range as Range,
    filters,
    bots: asked.include?.bots ?? false,
  };
}

/** What every answer has. */
export const answered = ({ sourceId, zone, range }: Scope) => ({
  sourceId,
  timezone: zone,
  from: toIsoTime(range.from),
  to: toIsoTime(range.to),
});

export const inPeriod = (bind: Bind, { from, to }: Period, time = "occurredAt"): string =>
  `${time} >= fromUnixTimestamp64Milli(${bind("Int64", from)}, 'UTC') AND ${time} < fromUnixTimestamp64Milli(${bind("Int64", to)}, 'UTC')`;

/** Events further than a session lasts from the period are of no session of it. */
export const ASIDE_MS = SERVER_LIMITS.sessionMaxSeconds * 1_000;

export interface Conditions {
  /** Of the events that make the period's sessions. */
  readonly sessions: string;
  /** Of events that fit the filters, whenever they were. */
  readonly filters: string;
  /** Of the events of the period that fit the filters. */
  readonly events: string;
}

/** Under which events are a source's, and under which they make the sessions of a period. */
export function ownOf(bind: Bind, scope: Scope, period: Period): { own: string; sessions: string } {
  const own = all([
    `sourceId = ${bind("String", scope.sourceId)}`,
    ...(scope.bots ? [] : ["NOT device.isBot"]),
  ]);
  const around = { from: period.from - ASIDE_MS, to: period.to + ASIDE_MS };
  return { own, sessions: `${own} AND ${inPeriod(bind, around)}` };
}

/** @param period the one asked for, or the one before it */
export function conditionsOf(bind: Bind, scope: Scope, period: Period): Conditions {
  const { own, sessions } = ownOf(bind, scope, period);
  const filters = all(scope.filters.map((filter) => writeFilter(bind, filter, sessions)));
  return { sessions, filters, events: `${own} AND ${inPeriod(bind, period)} AND (${filters})` };
}

/** `*` stands for anything. */
const likeOf = (pattern: string) =>
  pattern.replaceAll("\\", "\\\\").replaceAll("%", "\\%").replaceAll("_", "\\_").replaceAll("*", "%");

/** Whether an event is what a goal wants. */
export function writeGoal(bind: Bind, { event, page }: StatsGoal): string {
  if (event !== undefined) return `name = ${bind("String", event)}`;
  const fits = `ifNull(${asText("page.path")} LIKE ${bind("String", likeOf(page ?? ""))}, 0)`;
  return `${IS_PAGE_VIEW} AND ${fits}`;
}
