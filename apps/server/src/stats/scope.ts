/** The members that all queries have: source, time zone, range, filters. */
import type { Issue, StatsAccuracyChoice, StatsDateRange, StatsFilter } from "@headwater/contract";
import { issueAt, Refusal, requireNoIssues } from "../core/refusal.ts";
import { isZone } from "./calendar.ts";
import { type QueryRange, readRange } from "./range.ts";
import { type CurrencySql, eventCurrencySql } from "./sql/dimensions.ts";
import { type QueryFilter, readFilters } from "./sql/filter.ts";

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
}

export const UNKNOWN_ZONE: Issue = issueAt(
  ["timezone"],
  "must be a time zone of the IANA database, such as Europe/Berlin",
);

/**
 * @param otherIssues found by the caller; they are refused together with those found here
 * @throws Refusal `invalid_payload`
 */
export function readScope(body: ScopeBody, now: number, otherIssues: readonly Issue[] = []): QueryScope {
  const { sourceId, timezone: zone = "UTC", include, accuracy = "auto" } = body;
  const issues = [...otherIssues];
  const isKnownZone = isZone(zone);
  if (!isKnownZone) issues.push(UNKNOWN_ZONE);
  const filters = readFilters(body.filters ?? [], issues);
  const range = readRange(body.dateRange, isKnownZone ? zone : "UTC", now);
  if ("code" in range) throw new Refusal("invalid_payload", { issues: [...issues, range] });
  requireNoIssues(issues);
  const includesBots = include?.bots ?? false;
  return { sourceId, zone, range, filters, includesBots, currency: eventCurrencySql, accuracy };
}

/** An answer as it is computed; `stats.ts` adds whether events are missing, and what was left out. */
export type Computed<Answer> = Omit<Answer, "incomplete" | "excluded">;
