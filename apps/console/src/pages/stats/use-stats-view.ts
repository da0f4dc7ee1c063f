/** The stats view that the URL describes, a function that changes it, and the queries for its data. */
import type { StatsFilter, StatsQueryBody } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo } from "react";
import { type ApiAnswer, api } from "../../api.ts";
import { isRetryable } from "../../queries.ts";
import {
  type ActiveFilter,
  readFilters,
  readRange,
  readTimeZone,
  toStatsFilters,
  type ViewParams,
  type ViewRange,
} from "./view-params.ts";

/** How often shown data is refetched. A stats query reads many events, so it is not frequent. */
const REFETCH_MS = 300_000;
/** How soon a failed query and a query for the first events are repeated. */
const RETRY_MS = 5_000;

/** The parameters that all stats requests of a view share. */
export interface StatsScope {
  readonly sourceId: string;
  readonly dateRange: StatsQueryBody["dateRange"];
  readonly timezone: string;
  readonly filters: StatsFilter[];
}

export interface StatsView {
  readonly params: ViewParams;
  readonly range: ViewRange;
  readonly timeZone: string;
  readonly isCompared: boolean;
  readonly filters: readonly ActiveFilter[];
  readonly scope: StatsScope;
  /** Changes search parameters of the URL. Each change is an entry in the browser's history. */
  update(changes: ViewParams): void;
}

export function useStatsView(sourceId: string): StatsView {
  const params = useSearch({ strict: false }) as ViewParams;
  const navigate = useNavigate();
  const timeZone = readTimeZone(params);
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
  return useMemo(() => {
    const range = readRange(params);
    const filters = readFilters(params);
    const { dateRange } = range;
    const scope = { sourceId, dateRange, timezone: timeZone, filters: toStatsFilters(filters) };
    const update = (changes: ViewParams) => navigateTo(changes, false);
    return { params, range, timeZone, isCompared: params.compare !== "no", filters, scope, update };
  }, [sourceId, params, timeZone, navigateTo]);
}

type StatsQuery = Omit<StatsQueryBody, keyof StatsScope | "organizationId">;

/** Whether every metric of the answer is zero or missing. */
export const isEmptyAnswer = ({ results }: ApiAnswer<"queryStats">): boolean =>
  results.every(({ metrics }) => metrics.every((value) => value === null || value === 0));

interface UseStatsOptions {
  /** Polls often while the answer is empty, so that the first event shows soon. */
  readonly pollWhileEmpty?: boolean;
  readonly enabled?: boolean;
}

/** Runs a stats query for the view and keeps its answer up to date. */
export function useStats(scope: StatsScope, statsQuery: StatsQuery, options: UseStatsOptions = {}) {
  const { pollWhileEmpty = false, enabled = true } = options;
  const body = { ...scope, ...statsQuery };
  return useQuery({
    queryKey: ["stats", "query", body],
    queryFn: ({ signal }) => api.queryStats({ body, signal }),
    enabled,
    placeholderData: (before) => before,
    refetchInterval: ({ state: { data, error } }) => {
      if (error) return isRetryable(error) ? RETRY_MS : false;
      return pollWhileEmpty && data && isEmptyAnswer(data) ? RETRY_MS : REFETCH_MS;
    },
  });
}
