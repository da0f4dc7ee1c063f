/** Copies the HTML snippet of a source. */
import { useQuery } from "@tanstack/react-query";
import { CopyButton } from "../../ui/copy-button.tsx";
import { installQuery } from "./install-query.ts";

export const CopySnippet = ({ sourceId }: { readonly sourceId: string }) => {
  const { data } = useQuery(installQuery(sourceId, null));
  return <CopyButton text={data?.browserSnippet} label="Copy snippet" isPrimary />;
};
