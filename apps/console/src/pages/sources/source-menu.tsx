/** The sources of the workspace, each of which opens the same page of it: those opened last, then the others by name. */
import type { SourceWithHealth } from "@headwater/contract";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { sourcesQuery } from "../../queries.ts";
import { session } from "../../session.ts";
import { MenuItem, MenuTitle } from "../../ui/dropdown.tsx";
import { TextLink } from "../../ui/links.tsx";
import { TextInput } from "../../ui/primitives/fields.tsx";
import { useWorkspace } from "../../workspace-context.tsx";

/** More than these have a search, and those opened last come first. */
const MAX_PLAIN = 8;
/** A search finds the further ones. */
const MAX_SHOWN = 100;

interface SourceMenuProps {
  /** The id of the source; null: all of them. */
  readonly selected: string | null;
  readonly close: () => void;
}

const byName = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

const hostOf = ({ allowedOrigins: [origin = ""] }: SourceWithHealth) => origin.replace(/^https?:\/\//, "");

interface SourceGroup {
  readonly title: string;
  readonly sources: readonly SourceWithHealth[];
}

/**
 * @param firstIds the sources that come first without a text
 * @returns the sources whose name or host contains the text
 */
function groupSources(
  all: readonly SourceWithHealth[],
  firstIds: readonly (string | null)[],
  text: string,
): SourceGroup[] {
  const sources = all.toSorted((one, other) => byName.compare(one.name, other.name));
  const wanted = text.trim().toLowerCase();
  if (wanted !== "") {
    const found = sources.filter((source) =>
      `${source.name} ${hostOf(source)}`.toLowerCase().includes(wanted),
    );
    return [{ title: "Sources", sources: found.slice(0, MAX_SHOWN) }];
  }
  if (sources.length <= MAX_PLAIN) return [{ title: "Sources", sources }];
  const recent = firstIds.flatMap((id) => sources.find(({ sourceId }) => sourceId === id) ?? []);
  const others = sources.filter((source) => !recent.includes(source));
  return [
    { title: "Recent", sources: recent },
    { title: "Other sources", sources: others.slice(0, MAX_SHOWN) },
  ];
}

export function SourceMenu({ selected, close }: SourceMenuProps) {
  const { organizationId, can } = useWorkspace();
  // the menu waits for it, so that the focus does not go to the link at its end
  const { data: all } = useSuspenseQuery(sourcesQuery(organizationId));
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const recentIds = session.recentSources(organizationId, selected ?? "").map(({ sourceId }) => sourceId);
  const groups = groupSources(all, [...recentIds, selected], text);
  const hasSearch = all.length > MAX_PLAIN;
  const first = hasSearch
    ? groups.flatMap(({ sources }) => sources).find(({ sourceId }) => sourceId !== selected)
    : undefined;
  const open = ({ sourceId }: SourceWithHealth) => {
    close();
    void navigate({ to: selected === null ? "/analytics/stats" : ".", search: { sourceId } });
  };
  const openAll = () => {
    close();
    void navigate({ to: "/analytics/all", search: { organizationId } });
  };
  return (
    <>
      {hasSearch && (
        <div className="menu-search">
          <TextInput
            icon="search"
            data-autofocus
            aria-label="Search sources"
            placeholder="Search by name or host"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={({ key }) => key === "Enter" && first && open(first)}
          />
        </div>
      )}
      {groups.map(({ title, sources }) => (
        <div key={title}>
          {sources.length > 0 && <MenuTitle>{title}</MenuTitle>}
          {sources.map((source) => (
            <SourceItem
              key={source.sourceId}
              source={source}
              isSelected={source.sourceId === selected}
              isActive={source === first}
              onSelect={() => open(source)}
            />
          ))}
        </div>
      ))}
      {groups.every(({ sources }) => sources.length === 0) && (
        <MenuTitle>No source matches “{text}”.</MenuTitle>
      )}
      <div className="menu-foot">
        {all.length > 1 && can("stats:read") && (
          <MenuItem isSelected={selected === null} onSelect={openAll}>
            All sources
          </MenuItem>
        )}
        <TextLink to="/sources" size="sm">
          Manage sources
        </TextLink>
      </div>
    </>
  );
}

interface SourceItemProps {
  readonly source: SourceWithHealth;
  readonly isSelected: boolean;
  readonly isActive: boolean;
  readonly onSelect: () => void;
}

const SourceItem = ({ source, ...item }: SourceItemProps) => (
  <MenuItem
    {...item}
    hint={
      <>
        {source.health.status === "failing" && <FailingDot />}
        {hostOf(source)}
      </>
    }
  >
    {source.name}
  </MenuItem>
);

const FailingDot = () => (
  <span className="failing-dot" title="Failing">
    <span className="visually-hidden">Failing </span>
  </span>
);
