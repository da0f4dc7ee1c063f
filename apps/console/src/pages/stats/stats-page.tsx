/** The stats page of a source for members of its workspace, who can also export and share. */
import { InstallPrompt, usePollForFirstEvent } from "../sources/install-prompt.tsx";
import { SourcePage } from "../sources/source-page.tsx";
import { FirstEventGate } from "./stats-views.tsx";

export { prefetchOverview } from "./prefetch-overview.ts";

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
  usePollForFirstEvent(sourceId);
  return (
    <InstallPrompt title="No events yet" sourceId={sourceId} awaited="event">
      Stats appear as soon as the first event arrives.
    </InstallPrompt>
  );
}
