/** A link to the latest events with one name and their visitors, for those who may read single events. */
import { useWorkspace } from "../../workspace-context.tsx";
import { VisitorLink } from "./visitor-link.tsx";

interface LatestEventsLinkProps {
  readonly sourceId: string;
  readonly name: string;
}

export function LatestEventsLink({ sourceId, name }: LatestEventsLinkProps) {
  const { can } = useWorkspace();
  if (!can("export:read")) return null;
  return (
    <VisitorLink search={{ sourceId, name }} className="wrap">
      Latest “<bdi>{name}</bdi>” events
    </VisitorLink>
  );
}
