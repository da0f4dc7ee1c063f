/** The script tag of a source, ready to be copied. */
import { useQuery } from "@tanstack/react-query";
import { CodeBlock } from "../../ui/code-block.tsx";
import { QueryResult } from "../../ui/page-states.tsx";
import { installQuery } from "./install-query.ts";
import { optionsOf, toScriptTag } from "./script-tag.ts";

export const SourceSnippet = ({ sourceId }: { readonly sourceId: string }) => (
  <QueryResult query={useQuery(installQuery(sourceId, null))}>
    {(install) => (
      <CodeBlock
        title="Add to the head of every page"
        text={toScriptTag(install, optionsOf(install.browserSnippet))}
        copyLabel="Copy snippet"
      />
    )}
  </QueryResult>
);
