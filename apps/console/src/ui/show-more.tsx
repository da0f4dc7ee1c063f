import { Button, type ButtonProps } from "@mantine/core";

/** What it needs of an infinite query. */
interface Paged {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
}

/** Below a list that comes page by page; nothing when all of it is there. */
export const ShowMore = ({ query, ...place }: { readonly query: Paged } & Pick<ButtonProps, "m">) =>
  query.hasNextPage && (
    <Button
      {...place}
      variant="default"
      loading={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      Show more
    </Button>
  );
