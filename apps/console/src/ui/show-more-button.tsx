import type { ButtonProps } from "@mantine/core";
import { AsyncButton } from "./async-button.tsx";

/** What it needs of an infinite query. */
interface Paged {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
}

/** Below a list that comes page by page; nothing when all of it is there. */
export const ShowMoreButton = ({ query, ...place }: { readonly query: Paged } & Pick<ButtonProps, "m">) =>
  query.hasNextPage && (
    <AsyncButton
      {...place}
      variant="default"
      isPending={query.isFetchingNextPage}
      onPress={() => query.fetchNextPage()}
    >
      Show more
    </AsyncButton>
  );
