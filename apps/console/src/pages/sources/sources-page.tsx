/** The list of the workspace's sources. The API searches, sorts and filters it, so that the most urgent source is the first. */
import {
  SOURCE_LIST_STATUSES,
  SOURCE_ORDERS,
  type SourceListStatus,
  type SourceOrder,
} from "@headwater/contract/source-status";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { formatCount } from "../../ui/format-count.ts";
import { ButtonLink } from "../../ui/links.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, ErrorAlert, Loading } from "../../ui/page-states.tsx";
import { Group, Paper, Text } from "../../ui/primitives/elements.tsx";
import { NativeSelect, TextInput } from "../../ui/primitives/fields.tsx";
import { ShowMoreButton } from "../../ui/show-more-button.tsx";
import { STATUSES } from "../../ui/source-status.tsx";
import { Switcher } from "../../ui/switcher.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { type SourceListFilters, useSourceList, useVisitors } from "./list/source-list-query.ts";
import { SourceRow } from "./list/source-row.tsx";
import "./list/source-list.css";
import { FirstSteps, isSetUp, SetupChecklist, useOnboarding } from "./setup-checklist.tsx";

/** From how many sources on there are a search, an order and the statuses. */
const MIN_SEARCHED = 5;

const ORDER_LABELS: Readonly<Record<SourceOrder, string>> = {
  status: "Failing first",
  created: "Newest first",
  name: "By name",
  lastEvent: "By last event",
};

/** The filters are in the address, so that Back and a bookmark lead to the same list. */
function useFilters(): [SourceListFilters, (changes: Partial<SourceListFilters>) => void] {
  // the address can have any text
  const given = useSearch({ strict: false }) as Readonly<Record<string, string | undefined>>;
  const navigate = useNavigate();
  const filters = {
    search: given.search ?? "",
    status: SOURCE_LIST_STATUSES.find((status) => status === given.status),
    order: SOURCE_ORDERS.find((order) => order === given.order) ?? "status",
  };
  const change = (changes: Partial<SourceListFilters>) => {
    const { search, status, order } = { ...filters, ...changes };
    void navigate({
      to: "/sources",
      search: {
        ...(search !== "" && { search }),
        ...(status && { status }),
        ...(order !== "status" && { order }),
      },
      // a step for each status, none for each letter
      replace: changes.search !== undefined,
    });
  };
  return [filters, change];
}

export function SourcesPage() {
  const { can } = useWorkspace();
  const onboarding = useOnboarding();
  const [filters, change] = useFilters();
  const query = useSourceList(filters);
  const [first] = query.data?.pages ?? [];
  const create = can("sources:write") && <ButtonLink to="/sources/new">Create source</ButtonLink>;
  // the checklist above the list loads first, so that the list does not move
  if (query.isPending || onboarding.isLoading)
    return (
      <Page title="Sources" actions={null}>
        <Loading />
      </Page>
    );
  const count = Object.values(first?.statuses ?? {}).reduce((sum, one) => sum + one, 0);
  const isEmpty = count === 0 && filters.search === "";
  const { steps: allSteps, completed = true } = onboarding.data ?? {};
  const steps = !completed && allSteps && !isSetUp(allSteps) ? allSteps : null;
  // a search may find nothing
  const firstId = first?.sources[0]?.sourceId;
  return (
    <Page title="Sources" actions={!isEmpty && <PageActions hasSeveral={count > 1}>{create}</PageActions>}>
      {steps && firstId && <SetupChecklist steps={steps} sourceId={firstId} />}
      {query.error && <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />}
      {first && isEmpty && (can("sources:write") ? <FirstSteps /> : <NoSources />)}
      {first && !isEmpty && <SourceList {...{ filters, change, query, count }} />}
    </Page>
  );
}

const NoSources = () => (
  <EmptyState title="No sources yet">
    Your role cannot create sources. Ask a developer in this workspace to create one.
  </EmptyState>
);

function PageActions({ hasSeveral, children }: { hasSeveral: boolean; children: React.ReactNode }) {
  const { organizationId, can } = useWorkspace();
  return (
    <Group gap="xs">
      {hasSeveral && can("stats:read") && (
        <ButtonLink to="/analytics/all" search={{ organizationId }} variant="default">
          Stats for all sources
        </ButtonLink>
      )}
      {children}
    </Group>
  );
}

interface SourceListProps {
  readonly filters: SourceListFilters;
  readonly change: (changes: Partial<SourceListFilters>) => void;
  readonly query: ReturnType<typeof useSourceList>;
  /** How many sources the search finds, with any status. */
  readonly count: number;
}

function SourceList({ filters, change, query, count }: SourceListProps) {
  const pages = query.data?.pages ?? [];
  const { search, status } = filters;
  const isSearched = count >= MIN_SEARCHED || search !== "" || status !== undefined;
  const shown = pages.flatMap(({ sources }) => sources);
  return (
    <>
      {isSearched && <ListTools {...{ filters, change, count }} statuses={pages[0]?.statuses} />}
      {shown.length === 0 && (
        <Text c="dimmed">
          {search === ""
            ? "No source has this status. Choose another status."
            : status === undefined
              ? `No source matches “${search}”. Change or clear the search.`
              : `No source with this status matches “${search}”. Change the search or the status.`}
        </Text>
      )}
      {shown.length > 0 && <SourceTable pages={pages.map(({ sources }) => sources)} />}
      <ShowMoreButton query={query} />
    </>
  );
}

type ListToolsProps = Pick<SourceListProps, "filters" | "change" | "count"> & {
  readonly statuses: Readonly<Record<SourceListStatus, number>> | undefined;
};

function ListTools({ filters, change, count, statuses }: ListToolsProps) {
  const listed = SOURCE_LIST_STATUSES.filter((status) => statuses?.[status] || status === filters.status);
  return (
    <div className="list-tools">
      <TextInput
        aria-label="Search sources"
        placeholder="Search by name, origin or key"
        icon="search"
        value={filters.search}
        onChange={(event) => change({ search: event.currentTarget.value })}
      />
      <NativeSelect
        aria-label="Order"
        data={SOURCE_ORDERS.map((value) => ({ value, label: ORDER_LABELS[value] }))}
        value={filters.order}
        // the options are orders
        onChange={(event) => change({ order: event.currentTarget.value as SourceOrder })}
      />
      <Switcher
        label="Status"
        options={[
          { value: "all", label: `All ${formatCount(count)}` },
          ...listed.map((value) => ({
            value,
            label: `${STATUSES[value].label} ${formatCount(statuses?.[value] ?? 0)}`,
          })),
        ]}
        value={filters.status ?? "all"}
        onChange={(value) => change({ status: value === "all" ? undefined : value })}
      />
    </div>
  );
}

function SourceTable({ pages }: { readonly pages: Parameters<typeof useVisitors>[0] }) {
  const { can } = useWorkspace();
  const weekOf = useVisitors(pages) ?? undefined;
  const sources = pages.flat();
  const hasCounts = can("debug:read");
  const namesakes = Map.groupBy(sources, ({ name }) => name.toLowerCase());
  return (
    <Paper>
      <table className="source-table">
        <thead>
          <tr>
            <th>Source</th>
            {weekOf && <th className="source-week">Visitors, 7 days</th>}
            <th>Status</th>
            {hasCounts && <th className="source-day">Events, 24 hours</th>}
          </tr>
        </thead>
        <tbody>
          {sources.map((source) => (
            <SourceRow
              key={source.sourceId}
              source={source}
              weekOf={weekOf}
              hasCounts={hasCounts}
              isNamesake={(namesakes.get(source.name.toLowerCase())?.length ?? 0) > 1}
            />
          ))}
        </tbody>
      </table>
    </Paper>
  );
}
