/** The sources of the workspace, each of which opens the same page of it. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api } from "../../api.ts";
import { MenuItem, MenuTitle } from "../../ui/dropdown.tsx";
import { TextLink } from "../../ui/links.tsx";
import { useWorkspace } from "../../workspace-context.tsx";

/** Further sources are on the sources page. */
const MAX_SOURCES = 12;

interface SourceMenuProps {
  /** The id of the source; null: all of them. */
  readonly selected: string | null;
  readonly close: () => void;
}

export function SourceMenu({ selected, close }: SourceMenuProps) {
  const { organizationId, can } = useWorkspace();
  const navigate = useNavigate();
  const { data } = useQuery({
    queryKey: ["sources", organizationId, "switcher"],
    queryFn: ({ signal }) => api.listSources({ query: { organizationId, limit: MAX_SOURCES }, signal }),
  });
  const sources = data?.sources ?? [];
  const open = (sourceId: string) => {
    close();
    void navigate({ to: selected === null ? "/analytics/stats" : ".", search: { sourceId } });
  };
  const openAll = () => {
    close();
    void navigate({ to: "/analytics/all", search: { organizationId } });
  };
  return (
    <>
      <MenuTitle>Sources</MenuTitle>
      {sources.length > 1 && can("stats:read") && (
        <MenuItem isSelected={selected === null} onSelect={openAll}>
          All sources
        </MenuItem>
      )}
      {sources.map(({ sourceId, name }) => (
        <MenuItem key={sourceId} isSelected={sourceId === selected} onSelect={() => open(sourceId)}>
          {name}
        </MenuItem>
      ))}
      <div className="menu-foot">
        <TextLink to="/sources" size="sm">
          Manage sources
        </TextLink>
      </div>
    </>
  );
}
