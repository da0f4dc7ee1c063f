/** Lists that come page by page. */
import { Paper, Table, VisuallyHidden } from "@mantine/core";
import {
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorAlert, Loading } from "./page-states.tsx";
import { ScrollRegion } from "./scroll-region.tsx";
import { ShowMoreButton } from "./show-more-button.tsx";

interface Paged {
  readonly nextCursor: string | null;
}
/** What a question for a page has beside its own: nothing, for the first. */
interface Place {
  readonly cursor?: string;
}
export type Pages<Page> = UseInfiniteQueryResult<InfiniteData<Page>>;

export const usePagedQuery = <Page extends Paged>(
  queryKey: QueryKey,
  ask: (place: Place, signal: AbortSignal) => Promise<Page>,
): Pages<Page> =>
  useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => ask(pageParam === "" ? {} : { cursor: pageParam }, signal),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
  });

interface PagedTableProps<Page> {
  readonly label: string;
  /** An empty one is that of the buttons. */
  readonly columns: readonly string[];
  readonly pages: Pages<Page>;
  /** A page's rows. */
  readonly children: (page: Page) => ReactNode;
}

/** For the cells of a phone, which stand below each other: their column's name is before them. */
const namesOf = (columns: readonly string[]) =>
  Object.fromEntries(columns.map((column, at) => [`--column-${at + 1}`, JSON.stringify(column)]));

export function PagedTable<Page>({ label, columns, pages, children }: PagedTableProps<Page>) {
  if (pages.isPending) return <Loading />;
  const failure = pages.error && <ErrorAlert error={pages.error} onRetry={() => void pages.refetch()} />;
  if (!pages.data) return failure;
  return (
    <Paper withBorder>
      <ScrollRegion label={label}>
        <Table className="stacked" style={namesOf(columns)} verticalSpacing="sm" horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Table.Th key={column}>
                  {column === "" ? <VisuallyHidden>Actions</VisuallyHidden> : column}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{pages.data.pages.map(children)}</Table.Tbody>
        </Table>
      </ScrollRegion>
      {failure}
      <ShowMoreButton query={pages} m="md" />
    </Paper>
  );
}
