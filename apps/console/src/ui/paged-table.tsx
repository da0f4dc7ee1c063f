/** Queries and tables for lists that the API returns page by page. */
import {
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorAlert, Loading } from "./page-states.tsx";
import { Paper, Table } from "./primitives/elements.tsx";
import { ScrollRegion } from "./scroll-region.tsx";
import { ShowMoreButton } from "./show-more-button.tsx";

export interface CursorPage {
  readonly nextCursor: string | null;
}
type PagedQuery<Page> = UseInfiniteQueryResult<InfiniteData<Page>>;

/** @param fetchPage requests one page of the list, the first when there is no cursor */
export const usePagedQuery = <Page extends CursorPage>(
  queryKey: QueryKey,
  fetchPage: (cursor: string | null, signal: AbortSignal) => Promise<Page>,
): PagedQuery<Page> =>
  useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam || null, signal),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
  });

interface PagedTableProps<Page> {
  readonly label: string;
  /** The headings. An empty one is the column of the row's buttons. */
  readonly columns: readonly string[];
  readonly query: PagedQuery<Page>;
  /** For styles of this table. */
  readonly className?: string;
  /** Rows after those of the last page. */
  readonly lastRows?: ReactNode;
  /** Renders the rows of one page. */
  readonly children: (page: Page) => ReactNode;
}

/** On phones the cells of a row are stacked, and app.css shows the column's heading before each of them. */
export const toColumnVariables = (columns: readonly string[]) =>
  Object.fromEntries(columns.map((column, index) => [`--column-${index + 1}`, JSON.stringify(column)]));

export const ColumnHeads = ({ columns }: { readonly columns: readonly string[] }) => (
  <thead>
    <tr>
      {columns.map((column) => (
        <th key={column}>{column === "" ? <span className="visually-hidden">Actions</span> : column}</th>
      ))}
    </tr>
  </thead>
);

export function PagedTable<Page>(props: PagedTableProps<Page>) {
  const { label, columns, query, className = "", lastRows, children } = props;
  if (query.isPending) return <Loading />;
  const failure = query.error && <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return failure;
  return (
    <Paper>
      <ScrollRegion label={label}>
        <Table
          className={`stacked ${className}`}
          style={toColumnVariables(columns)}
          verticalSpacing="sm"
          horizontalSpacing="md"
        >
          <ColumnHeads columns={columns} />
          <tbody>
            {query.data.pages.map(children)}
            {!query.hasNextPage && lastRows}
          </tbody>
        </Table>
      </ScrollRegion>
      {failure}
      <ShowMoreButton query={query} m="md" />
    </Paper>
  );
}
