/** The visits of those who stopped at a step of a funnel. */
import type { StatsVisitsBody } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { QueryResult } from "../../../ui/page-states.tsx";
import { Text } from "../../../ui/primitives/elements.tsx";
import type { StatsView } from "../use-stats-view.ts";
import { useVisits } from "./use-visits.ts";
import { VisitList } from "./visit-list.tsx";

interface StoppedVisitsProps {
  readonly view: StatsView;
  readonly funnel: NonNullable<StatsVisitsBody["funnel"]>;
}

export function StoppedVisits({ view, funnel }: StoppedVisitsProps) {
  const query = useVisits(view, { funnel, limit: LIMITS.maxPageSize });
  return (
    <QueryResult query={query} rows={6}>
      {({ visits, accuracy }) => (
        <div className="visits-found">
          <VisitList label="Sessions" sourceId={view.scope.sourceId} visits={visits} hasHeads />
          {visits.length === 0 && <Text c="dimmed">There are no visitors to list.</Text>}
          <Text size="sm" c="dimmed" mt="sm">
            {visits.length === LIMITS.maxPageSize && `The latest ${LIMITS.maxPageSize} sessions are listed. `}
            {!accuracy.exact && "The list comes from a sample of visitors. "}
            {visits.length > 0 && "Each visitor is listed with the session that contains their last step."}
          </Text>
        </div>
      )}
    </QueryResult>
  );
}
