/** The list of sources as the API searches, filters and sorts it, a page of 50 at a time, and the visitors of each page. */
import type { SourceWithHealth } from "@headwater/contract";
import type { SourceListStatus, SourceOrder } from "@headwater/contract/source-status";
import { keepPreviousData, useInfiniteQuery, useQueries } from "@tanstack/react-query";
import { type ApiAnswer, api } from "../../../api.ts";
import { browserTimeZone, DAY_MS } from "../../../time.ts";
import { useWorkspace } from "../../../workspace-context.tsx";

/** Rows of a page, and sources of its query of visitors. */
const PAGE_SIZE = 50;

export interface SourceListFilters {
  readonly search: string;
  readonly status: SourceListStatus | undefined;
  readonly order: SourceOrder;
}

export function useSourceList({ search, status, order }: SourceListFilters) {
  const { organizationId } = useWorkspace();
  return useInfiniteQuery({
    queryKey: ["sources", organizationId, "list", search, status, order],
    queryFn: ({ pageParam, signal }) =>
      api.listSources({
        query: {
          organizationId,
          limit: PAGE_SIZE,
          order,
          cursor: pageParam || null,
          ...(search !== "" && { search }),
          ...(status && { status }),
        },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // the rows stay while the next letter of a search is answered
    placeholderData: keepPreviousData,
  });
}

/** The visitors of a source in the last seven days, today included. */
export interface WeekOfVisitors {
  readonly visitors: number;
  /** Those of the seven days before. */
  readonly before: number | null;
  /** One number for each day. */
  readonly days: readonly number[];
}

/** The sources of the answer that had visitors, by id. */
function toWeeks({ results, from, to }: ApiAnswer<"queryStats">): Map<string, WeekOfVisitors> {
  const length = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
  const weeks = new Map<string, { visitors: number; before: number | null; days: number[] }>();
  for (const { dimensions, metrics, comparison } of results) {
    const [sourceId = "", day = ""] = dimensions.map(String);
    const [visitors, ofWeek] = metrics;
    const week = weeks.get(sourceId) ?? {
      visitors: 0,
      before: null,
      days: new Array<number>(length).fill(0),
    };
    weeks.set(sourceId, week);
    // days begin an hour earlier or later around a change of the clock
    const index = Math.round((Date.parse(day) - Date.parse(from)) / DAY_MS);
    week.days[index] = visitors ?? 0;
    // the seven days that end with the last one
    if (index === length - 1) Object.assign(week, { visitors: ofWeek ?? 0, before: comparison?.[1] ?? null });
  }
  return weeks;
}

/** @param pages the sources of each page. @returns null when the service has no stats */
export function useVisitors(pages: readonly (readonly SourceWithHealth[])[]) {
  const { can } = useWorkspace();
  const queries = useQueries({
    queries: pages.map((sources) => {
      const sourceIds = sources.map(({ sourceId }) => sourceId);
      return {
        queryKey: ["stats", "weeks", sourceIds],
        queryFn: async ({ signal }: { signal: AbortSignal }) =>
          toWeeks(
            await api.queryStats({
              body: {
                sourceIds,
                dateRange: "7d",
                timezone: browserTimeZone(),
                metrics: ["visitors", "visitors7Days"],
                dimensions: ["site", "time:day"],
                include: { excluded: false, comparison: true },
              },
              signal,
            }),
          ),
        enabled: can("stats:read") && sourceIds.length > 0,
      };
    }),
  });
  if (!can("stats:read") || queries.some(({ error }) => error !== null)) return null;
  return (sourceId: string): WeekOfVisitors | null | undefined => {
    const page = pages.findIndex((sources) => sources.some((source) => source.sourceId === sourceId));
    const weeks = queries[page]?.data;
    return weeks === undefined ? undefined : (weeks.get(sourceId) ?? null);
  };
}
