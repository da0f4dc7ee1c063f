/** The numbers of a source for its members, who may take them along and give them away too. */
import { useQuery } from "@tanstack/react-query";
import { sourceQuery } from "../../queries.ts";
import { InstallFirst } from "../sources/install-first.tsx";
import { SourcePage } from "../sources/source-page.tsx";
import { Actions } from "./actions.tsx";
import { Stats } from "./stats.tsx";

/** A first event is looked for this often. */
const FIRST_EVENT_MS = 3_000;

export const StatsPage = () => (
  <SourcePage title="What the events come to" permission="stats:read">
    {({ sourceId, lastEventAt }) =>
      lastEventAt === null ? (
        <NoEvents sourceId={sourceId} />
      ) : (
        <Stats sourceId={sourceId}>{(view) => <Actions view={view} />}</Stats>
      )
    }
  </SourcePage>
);

function NoEvents({ sourceId }: { readonly sourceId: string }) {
  useQuery({ ...sourceQuery(sourceId), refetchInterval: FIRST_EVENT_MS });
  return (
    <InstallFirst title="No event yet" sourceId={sourceId}>
      The numbers are here as soon as the first event has come.
    </InstallFirst>
  );
}
