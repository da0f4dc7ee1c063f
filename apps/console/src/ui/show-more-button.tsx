import { AsyncButton } from "./async-button.tsx";
import type { ButtonProps } from "./primitives/elements.tsx";

/** The part of an infinite query that the button uses. */
interface NextPageQuery {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
}

/** Loads the next page of a list. Renders nothing on the last page. */
export const ShowMoreButton = ({
  query,
  ...margins
}: { readonly query: NextPageQuery } & Pick<ButtonProps, "m">) =>
  query.hasNextPage && (
    <AsyncButton
      {...margins}
      variant="default"
      isPending={query.isFetchingNextPage}
      onPress={() => query.fetchNextPage()}
    >
      Show more
    </AsyncButton>
  );
