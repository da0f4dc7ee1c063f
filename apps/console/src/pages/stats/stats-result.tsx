/** The answer of a stats query. It is dim while it is still the answer for the previous filters or range. */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { QueryResult } from "../../ui/page-states.tsx";

interface StatsResultProps<T> {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
  readonly rows?: number;
}

export const StatsResult = <T,>({ query, children, rows = 4 }: StatsResultProps<T>) => (
  <QueryResult query={query} rows={rows}>
    {(data) => <div aria-busy={query.isPlaceholderData}>{children(data)}</div>}
  </QueryResult>
);
