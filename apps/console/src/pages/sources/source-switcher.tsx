/** Opens the same page of another source of the workspace. */
import type { Source } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api } from "../../api.ts";
import { Dropdown, MenuItem, MenuTitle } from "../../ui/dropdown.tsx";
import { Icon } from "../../ui/icon.tsx";
import { TextLink } from "../../ui/links.tsx";
import { useWorkspace } from "../../workspace-context.tsx";

/** Further sources are on the sources page. */
const MAX_SOURCES = 12;

export function SourceSwitcher({ source }: { readonly source: Source }) {
  return (
    <Dropdown label="Switch source" isBare button={<Icon name="chevronDown" size={18} />}>
      {(close) => <SourceMenu source={source} close={close} />}
    </Dropdown>
  );
}

function SourceMenu({ source, close }: { readonly source: Source; readonly close: () => void }) {
  const { organizationId } = useWorkspace();
  const navigate = useNavigate();
  const { data } = useQuery({
    queryKey: ["sources", organizationId, "switcher"],
    queryFn: ({ signal }) => api.listSources({ query: { organizationId, limit: MAX_SOURCES }, signal }),
  });
  const open = (sourceId: string) => {
    close();
    void navigate({ to: ".", search: { sourceId } });
  };
  return (
    <>
      <MenuTitle>Sources</MenuTitle>
      {(data?.sources ?? [source]).map(({ sourceId, name }) => (
        <MenuItem key={sourceId} isSelected={sourceId === source.sourceId} onSelect={() => open(sourceId)}>
          {name}
        </MenuItem>
      ))}
      <div className="menu-foot">
        <TextLink to="/sources" size="sm">
          All sources
        </TextLink>
      </div>
    </>
  );
}
