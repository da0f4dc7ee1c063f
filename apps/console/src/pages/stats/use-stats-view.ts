/** The stats view that the URL describes, a function that changes it, and the queries for its data. */
import type { StatsFilter, StatsQueryBody } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { createContext, useCallback, useContext, useEffect, useMemo } from "react";
import { type ApiAnswer, api } from "../../api.ts";
import { isRetryable } from "../../queries.ts";
import { HOUR_MS } from "../../time.ts";
import { useNow } from "../../ui/relative-time.tsx";
import { readOtherFilters } from "./other-filters.ts";
import { ALL_EVENTS, sumOfEvents } from "./sum-of-events.ts";
import { prefetchFast, useFastThenExact } from "./use-fast-then-exact.ts";
import {
  type ActiveFilter,
  readFilters,
  readTimeZone,
  toStatsFilters,
  type ViewParams,
} from "./view-params.ts";
import {
  EARLIEST_DAY,
  readComparison,
  readRange,
  shiftDay,
  startOfQuarter,
  todayIn,
  type ViewComparison,
  type ViewRange,
} from "./view-range.ts";

/** How often shown data is refetched. A stats query reads many events, so it is not frequent. */
const REFETCH_MS = 300_000;
/** How soon a failed query and a query for the first events are repeated. */
const RETRY_MS = 5_000;

/** The parameters that all stats requests of a view share. */
export interface StatsScope {
  readonly sourceId: string;
  /** The sources that are counted together. `sourceId` is empty then. */
  readonly sourceIds?: string[];
  readonly dateRange: StatsQueryBody["dateRange"];
  readonly timezone: string;
  readonly filters: StatsFilter[];
  readonly include: { readonly bots: boolean; readonly excluded: boolean };
}

/** The view that search parameters describe. */
export interface DescribedView {
  readonly params: ViewParams;
  readonly range: ViewRange;
  readonly timeZone: string;
  readonly comparison: ViewComparison;
  readonly filters: readonly ActiveFilter[];
  /** Filters that the filter menu cannot build. */
  readonly otherFilters: readonly StatsFilter[];
  readonly scope: StatsScope;
}

export interface StatsView extends DescribedView {
  /** False while the first day of "All time" is looked up. */
  readonly isReady: boolean;
  /** Changes search parameters of the URL. Each change is an entry in the browser's history. */
  update(changes: ViewParams): void;
}

/** Finds the month of the source's first event, with which "All time" starts. */
function useFirstDay(target: StatsTarget, timeZone: string, enabled: boolean) {
  const body = {
    ...target,
    dateRange: [EARLIEST_DAY, shiftDay(todayIn(timeZone, Date.now()), 1)] as [string, string],
    timezone: timeZone,
    metrics: [...ALL_EVENTS],
    dimensions: ["time:month" as const],
    include: { bots: true, excluded: false },
    accuracy: "fast" as const,
  };
  const { data, isPending } = useQuery({
    queryKey: ["stats", "firstDay", target, timeZone],
    queryFn: ({ signal }) => api.queryStats({ body, signal }),
    enabled,
    staleTime: HOUR_MS,
  });
  const first = data?.results.find((row) => sumOfEvents(row) > 0);
  const time = first && Date.parse(String(first.dimensions[0]));
  return {
    firstDay: time ? todayIn(timeZone, time) : undefined,
    isReady: !enabled || !isPending,
  };
}

/** One source, or several that are counted together. */
export type StatsTarget = { readonly sourceId: string } | { readonly sourceIds: string[] };

interface ViewContext {
  readonly target: StatsTarget;
  readonly timeZone: string;
  readonly now: number;
  /** The start of "All time". */
  readonly firstDay?: string | undefined;
}

/** The view that search parameters describe. */
export function readStatsView(
  params: ViewParams,
  { target, timeZone, now, firstDay }: ViewContext,
): DescribedView {
  const range = readRange(params, timeZone, startOfQuarter(now), firstDay);
  const filters = readFilters(params);
  const otherFilters = readOtherFilters(params);
  const scope = {
    ...("sourceIds" in target ? { ...target, sourceId: "" } : target),
    dateRange: range.dateRange,
    timezone: timeZone,
    filters: [...toStatsFilters(filters), ...otherFilters],
    include: { bots: params.bots === "yes", excluded: false },
  };
  const comparison = readComparison(params, range);
  return { params, range, timeZone, comparison, filters, otherFilters, scope };
}

export function useStatsView(target: StatsTarget): StatsView {
  const params = useSearch({ strict: false }) as ViewParams;
  const navigate = useNavigate();
  const timeZone = readTimeZone(params);
  const quarter = startOfQuarter(useNow());
  const navigateTo = useCallback(
    (changes: ViewParams, replace: boolean) =>
      void navigate({
        to: ".",
        hash: true,
        search: (before: ViewParams) => ({ ...before, ...changes }) as Record<string, string>,
        replace,
        resetScroll: false,
      }),
    [navigate],
  );
  useEffect(() => {
    // the time zone goes into the URL, so that everyone with the link sees the same days
    if (params.tz !== timeZone) navigateTo({ tz: timeZone }, true);
  }, [params.tz, timeZone, navigateTo]);
  const { firstDay, isReady } = useFirstDay(target, timeZone, params.range === "all");
  return useMemo(() => {
    const update = (changes: ViewParams) => navigateTo(changes, false);
    return { ...readStatsView(params, { target, timeZone, now: quarter, firstDay }), isReady, update };
  }, [target, params, timeZone, quarter, firstDay, isReady, navigateTo]);
}

export type StatsQuery = Omit<StatsQueryBody, keyof StatsScope | "organizationId" | "accuracy"> & {
  readonly comparison?: ViewComparison["request"];
  /** Also asks for the figures of all rows, and for each row's share of them. */
  readonly total?: true;
};

/** Whether every metric of the answer is zero or missing. */
export const isEmptyAnswer = ({ results }: ApiAnswer<"queryStats">): boolean =>
  results.every(({ metrics }) => metrics.every((value) => value === null || value === 0));

interface UseStatsOptions {
  /** Polls often while the answer is empty, so that the first event shows soon. */
  readonly pollWhileEmpty?: boolean;
  readonly enabled?: boolean;
  readonly refetchMs?: number;
  /** The figures are never estimated and take the warehouse long: they are asked for after all others of the page. */
  readonly isExact?: boolean;
}

/** Whether the parts inside may ask: after each click the headline and the chart go first, because the warehouse answers few at a time. */
export const MayAsk = createContext(true);

/** Whether the view counts several sources together. */
export const isOfSeveral = ({ scope }: Pick<DescribedView, "scope">): boolean =>
  scope.sourceIds !== undefined;

/** The body of a query. A query of several sources names no other. */
export function toStatsBody(
  scope: StatsScope,
  { comparison = false, total, ...query }: StatsQuery,
): StatsQueryBody {
  const { sourceId, ...shared } = scope;
  const target = scope.sourceIds === undefined ? { sourceId } : {};
  return {
    ...target,
    ...shared,
    ...query,
    include: { ...scope.include, comparison, ...(total && { total }) },
  };
}

function requestOf(scope: StatsScope, query: StatsQuery) {
  const body = toStatsBody(scope, query);
  return {
    queryKey: ["stats", "query", body] as const,
    ask: (accuracy: "fast" | "exact", signal: AbortSignal) =>
      api.queryStats({ body: { ...body, accuracy }, signal }),
  };
}

/** Asks the same as `useStats`, before the component that shows the answer is there. */
export const prefetchStats = (scope: StatsScope, query: StatsQuery) => prefetchFast(requestOf(scope, query));

/** Runs a stats query for the view and keeps its answer up to date. */
export function useStats(scope: StatsScope, query: StatsQuery, options: UseStatsOptions = {}) {
  const { pollWhileEmpty = false, enabled = true, refetchMs = REFETCH_MS, isExact = false } = options;
  const mayAsk = useContext(MayAsk);
  return useFastThenExact({
    ...requestOf(scope, query),
    enabled: enabled && mayAsk,
    isExact,
    refetchInterval: ({ state: { data, error } }) => {
      if (error) return isRetryable(error) ? RETRY_MS : false;
      return pollWhileEmpty && data && isEmptyAnswer(data) ? RETRY_MS : refetchMs;
    },
  });
}
