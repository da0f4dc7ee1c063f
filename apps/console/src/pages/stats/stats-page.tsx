/** The stats page of a source for members of its workspace, who can also export and share. */
import { useQuery } from "@tanstack/react-query";
import { sourceQuery } from "../../queries.ts";
import { InstallPrompt } from "../sources/install-prompt.tsx";
import { SourcePage } from "../sources/source-page.tsx";
import { FirstEventGate } from "./stats-views.tsx";

export { prefetchOverview } from "./prefetch-overview.ts";

/** How often a source without events is polled. */
const FIRST_EVENT_POLL_MS = 3_000;

export const StatsPage = () => (
  <SourcePage title="Stats" permission="stats:read">
    {({ sourceId, lastEventAt }) => (
      <FirstEventGate sourceId={sourceId} lastEventAt={lastEventAt}>
        <NoEventsYet sourceId={sourceId} />
      </FirstEventGate>
    )}
  </SourcePage>
);

function NoEventsYet({ sourceId }: { readonly sourceId: string }) {
  useQuery({ ...sourceQuery(sourceId), refetchInterval: FIRST_EVENT_POLL_MS });
  return (
    <InstallPrompt title="No events yet" sourceId={sourceId} awaited="event">
      Stats appear as soon as the first event arrives.
    </InstallPrompt>
  );
}
