/** A link to the latest events with one name and their visitors, for those who may read single events. */
import { TextLink } from "../../ui/links.tsx";
import { useWorkspace } from "../../workspace-context.tsx";

interface LatestEventsLinkProps {
  readonly sourceId: string;
  readonly name: string;
}

export function LatestEventsLink({ sourceId, name }: LatestEventsLinkProps) {
  const { can } = useWorkspace();
  if (!can("export:read")) return null;
  return (
    <TextLink to="/analytics/visitor" search={{ sourceId, name }} size="sm" className="wrap">
      Latest “<bdi>{name}</bdi>” events
    </TextLink>
  );
}
