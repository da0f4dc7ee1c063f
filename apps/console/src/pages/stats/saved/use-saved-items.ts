/** The segments, funnels and annotations that members saved for a source. */
import type { CreateSavedItemBody, SavedItem } from "@headwater/contract";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ApiAnswer, api } from "../../../api.ts";
import { useWorkspace } from "../../../workspace-context.tsx";

type NewSavedItem = Omit<CreateSavedItemBody, "organizationId">;

export interface SavedItems {
  /** Empty while they are loading. */
  readonly items: readonly SavedItem[];
  /** Whether the user can save items, which visitors with a share link cannot. */
  readonly canSave: boolean;
  /** Whether the user can share them with the workspace. */
  readonly canShare: boolean;
  canDelete(item: SavedItem): boolean;
  save(item: NewSavedItem): Promise<unknown>;
  remove(savedId: string): Promise<unknown>;
}

export const savedItemsQuery = (sourceId: string) =>
  queryOptions({
    queryKey: ["saved", sourceId],
    queryFn: ({ signal }) => api.listSavedItems({ params: { sourceId }, signal }),
    staleTime: 60_000,
  });

/** The type that is generated from the API document is wider: it has one form for all filters. */
export const itemsOf = (data: ApiAnswer<"listSavedItems"> | undefined) =>
  (data?.items ?? []) as readonly SavedItem[];

export function useSavedItems(sourceId: string): SavedItems {
  const { organizationId, userId, can } = useWorkspace();
  const client = useQueryClient();
  const { queryKey } = savedItemsQuery(sourceId);
  // what is saved belongs to one source
  const canSave = organizationId !== "" && sourceId !== "";
  const { data } = useQuery({ ...savedItemsQuery(sourceId), enabled: canSave });
  const refetch = () => client.invalidateQueries({ queryKey });
  const saving = useMutation({
    mutationFn: (body: NewSavedItem) => api.createSavedItem({ params: { sourceId }, body }),
    onSuccess: refetch,
  });
  const removing = useMutation({
    mutationFn: (savedId: string) => api.deleteSavedItem({ params: { sourceId, savedId } }),
    onSuccess: refetch,
  });
  return {
    items: itemsOf(data),
    canSave,
    canShare: can("sources:write"),
    canDelete: (item) => item.userId === userId || can("sources:write"),
    save: saving.mutateAsync,
    remove: removing.mutateAsync,
  };
}
