/** The numbers of a source for its members, who may take them along and give them away too. */
import { useQuery } from "@tanstack/react-query";
import { sourceQuery } from "../../queries.ts";
import { InstallPrompt } from "../sources/install-prompt.tsx";
import { SourcePage } from "../sources/source-page.tsx";
import { StatsViews } from "./stats-views.tsx";
import { ViewActions } from "./view-actions.tsx";

/** A first event is looked for this often. */
const FIRST_EVENT_MS = 3_000;

export const StatsPage = () => (
  <SourcePage title="What the events come to" permission="stats:read">
    {({ sourceId, lastEventAt }) =>
      lastEventAt === null ? (
        <NoEventsYet sourceId={sourceId} />
      ) : (
        <StatsViews sourceId={sourceId}>{(view) => <ViewActions view={view} />}</StatsViews>
      )
    }
  </SourcePage>
);

function NoEventsYet({ sourceId }: { readonly sourceId: string }) {
  useQuery({ ...sourceQuery(sourceId), refetchInterval: FIRST_EVENT_MS });
  return (
    <InstallPrompt title="No event yet" sourceId={sourceId}>
      The numbers are here as soon as the first event has come.
    </InstallPrompt>
  );
}
