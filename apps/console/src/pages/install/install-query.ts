/** The query of what a source needs to be installed. */
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api.ts";

/** @param path where a proxy of the site has the service; null: the default */
export const installQuery = (sourceId: string, path: string | null) =>
  queryOptions({
    queryKey: ["install", sourceId, path],
    queryFn: ({ signal }) => api.getInstall({ params: { sourceId }, query: { path }, signal }),
  });
