/** The visits of the last 30 minutes as a stream: those who are here now, and those who have left. */
import type { StatsVisit } from "@headwater/contract";
import { pluralize } from "../../../ui/format-count.ts";
import { Paper, Text, Title } from "../../../ui/primitives/elements.tsx";
import { useNow } from "../../../ui/relative-time.tsx";
import { StatsResult } from "../stats-result.tsx";
import type { StatsView } from "../use-stats-view.ts";
import { useVisits } from "../visits/use-visits.ts";
import { VisitList } from "../visits/visit-list.tsx";

const REFETCH_MS = 10_000;
const MAX_VISITS = 50;
/** As long as the count of current visitors. */
const HERE_MS = 300_000;

export function VisitStream({ view }: { readonly view: StatsView }) {
  const query = useVisits(view, { limit: MAX_VISITS, refetchMs: REFETCH_MS });
  return (
    <Paper p="md" component="section" aria-label="Sessions" className="panel">
      <StatsResult query={query} rows={6}>
        {({ visits }) => <Stream view={view} visits={visits} />}
      </StatsResult>
    </Paper>
  );
}

interface StreamProps {
  readonly view: StatsView;
  readonly visits: readonly StatsVisit[];
}

/** A visitor may have several sessions: with both numbers the list agrees with the current visitors. */
const countOf = (visits: readonly StatsVisit[]) =>
  `${pluralize(new Set(visits.map(({ userId, anonymousId }) => userId ?? anonymousId)).size, "visitor")}, ${pluralize(visits.length, "session")}`;

function Stream({ view: { scope }, visits }: StreamProps) {
  const since = useNow() - HERE_MS;
  const { here = [], left = [] } = Object.groupBy(visits, ({ lastActiveAt }) =>
    Date.parse(lastActiveAt) >= since ? "here" : "left",
  );
  const { sourceId } = scope;
  return (
    <div className="visit-stream">
      <Title order={2} size="h5" mb="xs">
        Here now{here.length > 0 && ` · ${countOf(here)}`}
      </Title>
      {here.length > 0 ? (
        <VisitList label="Here now" sourceId={sourceId} visits={here} />
      ) : (
        <Text size="sm" c="dimmed">
          No visitors in the last five minutes. New sessions appear here automatically.
        </Text>
      )}
      {left.length > 0 && (
        <>
          <Title order={2} size="h5" mt="lg" mb="xs">
            Earlier
          </Title>
          <VisitList label="Earlier" sourceId={sourceId} visits={left} />
        </>
      )}
      {visits.length === MAX_VISITS && (
        <Text size="sm" c="dimmed" mt="sm">
          The latest {MAX_VISITS} sessions are listed.
        </Text>
      )}
    </div>
  );
}
