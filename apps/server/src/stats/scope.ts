/** The members that all queries have: source, time zone, range, filters. */
import type {
  ContentGroup,
  Issue,
  StatsAccuracyChoice,
  StatsDateRange,
  StatsFilter,
} from "@headwater/contract";
import { issueAt, Refusal, requireNoIssues } from "../core/refusal.ts";
import type { SourceRecord } from "../ledger/records.ts";
import { isZone } from "./calendar.ts";
import { readRange } from "./range.ts";
import type { QueryScope } from "./sql/conditions.ts";
import { contentGroupSql, storedContentGroups } from "./sql/content-groups.ts";
import { eventCurrencySql } from "./sql/dimensions.ts";
import { readFilters, readsContentGroup } from "./sql/filter.ts";

/** The sources of a query. */
interface QuerySources {
  readonly sourceId: string;
  /** Default: `sourceId` alone. */
  readonly sourceIds?: readonly string[];
  /** Default: none. Several sources have none. */
  readonly contentGroups?: readonly ContentGroup[];
}
/** The body of a query whose sources are known. */
export type OfSources<Body> = Omit<Body, "sourceId" | "sourceIds"> & QuerySources;

/** @param sources all of them; the first is `source` */
export function ofSources<Body>(
  body: Body,
  source: SourceRecord,
  sources: readonly Pick<SourceRecord, "sourceId">[] = [source],
) {
  const contentGroups = sources.length === 1 ? storedContentGroups(source) : [];
  return { ...body, sourceId: source.sourceId, sourceIds: sources.map((one) => one.sourceId), contentGroups };
}

/** The members that the bodies of all queries have. */
export interface ScopeBody extends QuerySources {
  readonly dateRange: StatsDateRange;
  readonly timezone?: string;
  readonly filters?: readonly StatsFilter[];
  readonly accuracy?: StatsAccuracyChoice;
  readonly include?: { readonly bots?: boolean; readonly excluded?: boolean };
}

export const OF_ONE_SOURCE = "content groups belong to one source; ask each source";
export const UNKNOWN_ZONE: Issue = issueAt(["timezone"], "must be an IANA time zone, such as Europe/Berlin");

/**
 * @param otherIssues found by the caller; they are refused together with those found here
 * @throws Refusal `invalid_payload`
 */
export function readScope(body: ScopeBody, now: number, otherIssues: readonly Issue[] = []): QueryScope {
  const {
    sourceId,
    sourceIds = [sourceId],
    contentGroups = [],
    timezone: zone = "UTC",
    include,
    accuracy = "auto",
  } = body;
  const issues = [...otherIssues];
  const isKnownZone = isZone(zone);
  if (!isKnownZone) issues.push(UNKNOWN_ZONE);
  const filters = readFilters(body.filters ?? [], issues);
  if (sourceIds.length > 1 && filters.some(readsContentGroup))
    issues.push(issueAt(["filters"], OF_ONE_SOURCE));
  const range = readRange(body.dateRange, isKnownZone ? zone : "UTC", now);
  if ("code" in range) throw new Refusal("invalid_payload", { issues: [...issues, range] });
  requireNoIssues(issues);
  const includesBots = include?.bots ?? false;
  const texts = { currency: eventCurrencySql, contentGroup: contentGroupSql(contentGroups) };
  return { sourceId, sourceIds, zone, range, filters, includesBots, texts, accuracy };
}

/** An answer as it is computed; `stats.ts` adds whether events are missing, and what was left out. */
export type Computed<Answer> = Omit<Answer, "incomplete" | "excluded">;
