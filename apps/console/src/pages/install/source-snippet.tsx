/** The HTML snippet of a source, ready to be copied. */
import { useQuery } from "@tanstack/react-query";
import { CodeBlock } from "../../ui/code-block.tsx";
import { QueryResult } from "../../ui/page-states.tsx";
import { installQuery } from "./install-query.ts";

export const SourceSnippet = ({ sourceId }: { readonly sourceId: string }) => (
  <QueryResult query={useQuery(installQuery(sourceId, null))}>
    {(install) => (
      <CodeBlock
        title="Add to the head of every page"
        text={install.browserSnippet}
        copyLabel="Copy snippet"
      />
    )}
  </QueryResult>
);
