/** The sources of the workspace, each of which opens the same page of it. */
import { keepPreviousData, queryOptions, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api.ts";
import { MenuItem, MenuTitle } from "../../ui/dropdown.tsx";
import { TextLink } from "../../ui/links.tsx";
import { TextInput } from "../../ui/primitives/fields.tsx";
import { useWorkspace } from "../../workspace-context.tsx";

/** A search finds the further ones. */
const MAX_SOURCES = 12;

interface SourceMenuProps {
  /** The id of the source; null: all of them. */
  readonly selected: string | null;
  readonly close: () => void;
}

export function SourceMenu({ selected, close }: SourceMenuProps) {
  const { organizationId, can } = useWorkspace();
  const navigate = useNavigate();
  const [search, setSearch] = useState("");
  const page = (text: string) =>
    queryOptions({
      queryKey: ["sources", organizationId, "switcher", text],
      queryFn: ({ signal }) =>
        api.listSources({
          query: { organizationId, limit: MAX_SOURCES, ...(text !== "" && { search: text }) },
          signal,
        }),
    });
  // the menu waits for it, so that the focus does not go to the link at its end
  const { data: first } = useSuspenseQuery(page(""));
  const { data: found = first } = useQuery({ ...page(search), placeholderData: keepPreviousData });
  const { sources } = found;
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
      {first.nextCursor !== null && (
        <TextInput
          data-autofocus
          aria-label="Search sources"
          placeholder="Search by name"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      {search === "" && first.sources.length > 1 && can("stats:read") && (
        <MenuItem isSelected={selected === null} onSelect={openAll}>
          All sources
        </MenuItem>
      )}
      {sources.map(({ sourceId, name }) => (
        <MenuItem key={sourceId} isSelected={sourceId === selected} onSelect={() => open(sourceId)}>
          {name}
        </MenuItem>
      ))}
      {sources.length === 0 && <MenuTitle>No source matches “{search}”.</MenuTitle>}
      <div className="menu-foot">
        <TextLink to="/sources" size="sm">
          Manage sources
        </TextLink>
      </div>
    </>
  );
}
