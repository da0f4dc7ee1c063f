import type { ButtonProps } from "@mantine/core";
import { WorkButton } from "./work-button.tsx";

/** What it needs of an infinite query. */
interface Paged {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
}

/** Below a list that comes page by page; nothing when all of it is there. */
export const ShowMore = ({ query, ...place }: { readonly query: Paged } & Pick<ButtonProps, "m">) =>
  query.hasNextPage && (
    <WorkButton
      {...place}
      variant="default"
      isWorking={query.isFetchingNextPage}
      onPress={() => query.fetchNextPage()}
    >
      Show more
    </WorkButton>
  );
