/** The view that the address asks for, the questions it comes to, and the way to another view. */
import type { StatsFilter, StatsQueryBody } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo } from "react";
import { type Answer, call } from "../../api.ts";
import { mayHelp } from "../../queries.ts";
import { type Chosen, chosenIn, filtersOf, type Range, rangeIn, type Search, zoneIn } from "./address.ts";

/** Numbers are as old as this at most, since each costs the warehouse a look at every event. */
const FRESH_MS = 300_000;
/** What has not come yet, or could not be answered, is asked for again so soon. */
const SOON_MS = 5_000;

/** What every question has. */
export interface Asked {
  readonly sourceId: string;
  readonly dateRange: StatsQueryBody["dateRange"];
  readonly timezone: string;
  readonly filters: StatsFilter[];
}

export interface View {
  readonly search: Search;
  readonly range: Range;
  readonly zone: string;
  readonly isCompared: boolean;
  readonly chosen: readonly Chosen[];
  readonly asked: Asked;
  /** Each view is one to come back to. */
  change(changes: Search): void;
}

export function useView(sourceId: string): View {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const zone = zoneIn(search);
  const go = useCallback(
    (changes: Search, replace: boolean) =>
      void navigate({
        to: ".",
        hash: true,
        search: (before: Search) => ({ ...before, ...changes }) as Record<string, string>,
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
    const range = rangeIn(search);
    const chosen = chosenIn(search);
    const asked = { sourceId, dateRange: range.asked, timezone: zone, filters: filtersOf(chosen) };
    const change = (changes: Search) => go(changes, false);
    return { search, range, zone, isCompared: search.compare !== "no", chosen, asked, change };
  }, [sourceId, search, zone, go]);
}

type Question = Omit<StatsQueryBody, keyof Asked | "organizationId">;
type StatsAnswer = Answer<"queryStats">;

/** Nothing was counted. */
export const isNothing = ({ results }: StatsAnswer): boolean =>
  results.every(({ metrics }) => metrics.every((figure) => figure === null || figure === 0));

/**
 * @param isAwaited whether the first event that comes is to show soon
 * @param enabled whether it is time to ask
 */
export function useStats(asked: Asked, question: Question, isAwaited = false, enabled = true) {
  const body = { ...asked, ...question };
  return useQuery({
    queryKey: ["stats", "query", body],
    queryFn: ({ signal }) => call("queryStats", { body, signal }),
    enabled,
    placeholderData: (before) => before,
    refetchInterval: ({ state: { data, error } }) => {
      if (error) return mayHelp(error) ? SOON_MS : false;
      return isAwaited && data && isNothing(data) ? SOON_MS : FRESH_MS;
    },
  });
}
