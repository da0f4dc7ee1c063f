/** The view that the address asks for, the questions it comes to, and the way to another view. */
import type { StatsFilter, StatsQueryBody } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo } from "react";
import { type Answer, callApi } from "../../api.ts";
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

/** Numbers are as old as this at most, since each costs the warehouse a look at every event. */
const FRESH_MS = 300_000;
/** What has not come yet, or could not be answered, is asked for again so soon. */
const SOON_MS = 5_000;

/** What every question has. */
export interface StatsScope {
  readonly sourceId: string;
  readonly dateRange: StatsQueryBody["dateRange"];
  readonly timezone: string;
  readonly filters: StatsFilter[];
}

export interface StatsView {
  readonly search: ViewParams;
  readonly range: ViewRange;
  readonly zone: string;
  readonly isCompared: boolean;
  readonly chosen: readonly ActiveFilter[];
  readonly asked: StatsScope;
  /** Each view is one to come back to. */
  change(changes: ViewParams): void;
}

export function useStatsView(sourceId: string): StatsView {
  const search = useSearch({ strict: false }) as ViewParams;
  const navigate = useNavigate();
  const zone = readTimeZone(search);
  const go = useCallback(
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
    // whoever gets the address sees the same days
    if (search.tz !== zone) go({ tz: zone }, true);
  }, [search.tz, zone, go]);
  return useMemo(() => {
    const range = readRange(search);
    const chosen = readFilters(search);
    const asked = { sourceId, dateRange: range.asked, timezone: zone, filters: toStatsFilters(chosen) };
    const change = (changes: ViewParams) => go(changes, false);
    return { search, range, zone, isCompared: search.compare !== "no", chosen, asked, change };
  }, [sourceId, search, zone, go]);
}

type Question = Omit<StatsQueryBody, keyof StatsScope | "organizationId">;
type StatsAnswer = Answer<"queryStats">;

/** Nothing was counted. */
export const isEmptyAnswer = ({ results }: StatsAnswer): boolean =>
  results.every(({ metrics }) => metrics.every((figure) => figure === null || figure === 0));

/**
 * @param isAwaited whether the first event that comes is to show soon
 * @param enabled whether it is time to ask
 */
export function useStats(asked: StatsScope, question: Question, isAwaited = false, enabled = true) {
  const body = { ...asked, ...question };
  return useQuery({
    queryKey: ["stats", "query", body],
    queryFn: ({ signal }) => callApi("queryStats", { body, signal }),
    enabled,
    placeholderData: (before) => before,
    refetchInterval: ({ state: { data, error } }) => {
      if (error) return isRetryable(error) ? SOON_MS : false;
      return isAwaited && data && isEmptyAnswer(data) ? SOON_MS : FRESH_MS;
    },
  });
}
