/** The audit log of the workspace, newest first. */
import type { AuditEntry } from "@headwater/contract";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { browserTimeZone } from "../../time.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { formatCount } from "../../ui/format-count.ts";
import { Page } from "../../ui/page.tsx";
import { EmptyState, ErrorAlert, Loading } from "../../ui/page-states.tsx";
import { Alert, Button, Paper, Stack, Text, Title } from "../../ui/primitives/elements.tsx";
import { NativeSelect } from "../../ui/primitives/fields.tsx";
import { formatExactTime, formatRelativeTime, useNow } from "../../ui/relative-time.tsx";
import { RequirePermission } from "../../ui/require-permission.tsx";
import { ShowMoreButton } from "../../ui/show-more-button.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { EARLIEST_DAY, shiftDay, todayIn } from "../stats/view-range.ts";
import { type AuditFilters, MAX_EXPORT_ENTRIES, useAuditExport } from "./audit-export.ts";
import {
  actorName,
  describeChanges,
  formatClock,
  groupByDay,
  isUpdate,
  KINDS,
  titleOf,
} from "./audit-text.ts";
import { SearchField, useListFilters } from "./list-filters.tsx";
import { useMemberNames } from "./member-names.ts";
import { lastDays, type NamedRange, RangeDropdown, readRange } from "./range-dropdown.tsx";
import { useSourceNames } from "./source-names.ts";
import "./audit.css";

const PAGE_SIZE = 50;
const LEAD = `Who made changes, signed in or viewed personal data. Time zone: ${browserTimeZone()}.`;

const ALL = "all";

/** When a day begins in the time zone of the browser. */
const startOf = (day: string) => new Date(`${day}T00:00`).toISOString();

/** The filters in the address, what they ask of the API, and how they are changed. */
function useAuditFilters() {
  const [given, change] = useListFilters("/audit");
  const today = todayIn(browserTimeZone(), useNow());
  const yesterday = shiftDay(today, -1);
  const allTime: NamedRange = { value: ALL, label: "All time", days: [EARLIEST_DAY, today] };
  const presets = [
    { value: "today", label: "Today", days: [today, today] as const },
    { value: "yesterday", label: "Yesterday", days: [yesterday, yesterday] as const },
    ...[7, 30, 90].map((days) => lastDays(today, days)),
    allTime,
  ];
  const range = readRange(presets, given.range, allTime);
  const { search, action, userId } = given;
  const [first, last] = range.days;
  const filters: AuditFilters = {
    ...(search && { search }),
    ...(action && { action }),
    ...(userId && { userId }),
    ...(range.preset?.value !== ALL && { from: startOf(first), to: startOf(shiftDay(last, 1)) }),
  };
  return { given, change, today, presets, range, filters };
}

export function AuditPage() {
  const { can } = useWorkspace();
  const chosen = useAuditFilters();
  const names = useNames();
  const saved = useAuditExport(chosen.filters, names);
  const save = (
    <AsyncButton
      className="audit-save"
      variant="default"
      isPending={saved.isPending}
      onPress={() => saved.mutateAsync()}
    >
      Download CSV
    </AsyncButton>
  );
  return (
    <Page title="Audit log" lead={LEAD} actions={can("audit:read") && save}>
      <RequirePermission permission="audit:read">
        {saved.error && <ErrorAlert error={saved.error} />}
        {saved.data === MAX_EXPORT_ENTRIES && (
          <Alert
            color="yellow"
            title={`The file has only the newest ${formatCount(MAX_EXPORT_ENTRIES)} entries`}
          >
            For older entries, choose an earlier range, then download again.
          </Alert>
        )}
        <FilterFields {...chosen} />
        <AuditEntries {...chosen} names={names} />
      </RequirePermission>
    </Page>
  );
}

/** Names of the workspace, its members and its sources by id. */
function useNames(): ReadonlyMap<string, string> {
  const { organizationId, name, userId } = useWorkspace();
  return new Map([[organizationId, name], [userId, "You"], ...useMemberNames(), ...(useSourceNames() ?? [])]);
}

type ChosenFilters = ReturnType<typeof useAuditFilters>;

function FilterFields({ given, change, today, presets, range }: ChosenFilters) {
  const members = useMemberNames();
  return (
    <div className="list-tools audit-tools">
      <SearchField
        label="Search entries"
        placeholder="Search by action, name or value"
        value={given.search ?? ""}
        onChange={(search) => change({ search })}
      />
      <RangeDropdown
        presets={presets}
        range={range}
        today={today}
        onChoose={(text) => change({ range: text === ALL ? undefined : text })}
      />
      <NativeSelect
        aria-label="Action"
        value={given.action ?? ""}
        data={[{ value: "", label: "All actions" }, ...KINDS]}
        onChange={(event) => change({ action: event.currentTarget.value })}
      />
      <NativeSelect
        aria-label="Member"
        value={given.userId ?? ""}
        data={[
          { value: "", label: "All members" },
          ...[...members].map(([value, label]) => ({ value, label })),
        ]}
        onChange={(event) => change({ userId: event.currentTarget.value })}
      />
    </div>
  );
}

type AuditEntriesProps = Pick<ChosenFilters, "filters" | "change"> & Pick<AuditRowProps, "names">;

function AuditEntries({ filters, change, names }: AuditEntriesProps) {
  const { organizationId } = useWorkspace();
  const now = useNow();
  const query = useInfiniteQuery({
    queryKey: ["audit", organizationId, filters],
    queryFn: ({ pageParam, signal }) =>
      api.listAudit({
        query: { organizationId, limit: PAGE_SIZE, cursor: pageParam || null, ...filters },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // the entries stay while the next letter of a search is answered
    placeholderData: keepPreviousData,
  });
  if (query.isPending) return <Loading />;
  const failure = query.error && <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return failure;
  const entries = query.data.pages.flatMap((page) => page.entries);
  return (
    <Stack gap="xs">
      {entries.length > 0 ? (
        <Paper className="audit-list" aria-busy={query.isPlaceholderData}>
          {groupByDay(entries, now).map((group) => (
            <section key={group.day} aria-label={group.day}>
              <Title order={2} size="h5" className="audit-day">
                {group.day}
              </Title>
              {group.entries.map((entry) => (
                <AuditRow key={entry.auditId} entry={entry} names={names} />
              ))}
            </section>
          ))}
        </Paper>
      ) : (
        !query.error && <NoEntries filters={filters} change={change} hasMore={query.hasNextPage} />
      )}
      {failure}
      <ShowMoreButton query={query} />
    </Stack>
  );
}

type NoEntriesProps = Pick<ChosenFilters, "filters" | "change"> & { readonly hasMore: boolean };

const NoEntries = ({ filters, change, hasMore }: NoEntriesProps) =>
  hasMore ? (
    <EmptyState title="No matches so far">
      A search checks 5,000 entries at a time. To search older entries, select “Show more”.
    </EmptyState>
  ) : Object.keys(filters).length === 0 ? (
    <EmptyState title="No entries yet">
      Changes, sign-ins and access to personal data are listed here.
    </EmptyState>
  ) : (
    <EmptyState
      title="No entries match"
      action={
        <Button variant="default" onClick={() => change({ search: "", action: "", userId: "", range: "" })}>
          Clear filters
        </Button>
      }
    />
  );

interface AuditRowProps {
  readonly entry: AuditEntry;
  readonly names: ReadonlyMap<string, string>;
}

function EntryTime({ at }: { readonly at: Date }) {
  const now = Math.max(useNow(), at.getTime());
  return (
    <time
      dateTime={at.toISOString()}
      title={`${formatExactTime(at)} (${formatRelativeTime(at.getTime(), now)})`}
    >
      {formatClock(at.getTime())}
    </time>
  );
}

/** One line, which opens its details. */
function AuditRow({ entry, names }: AuditRowProps) {
  const { at, action, target, userId, tokenId } = entry;
  const changes = describeChanges(entry, names);
  return (
    <article aria-label={action}>
      <details>
        <summary className="audit-line">
          <span className="audit-title">
            <strong>{titleOf(entry, names)}</strong>
            {isUpdate(entry) && <span className="audit-changes">{changes.join(" · ")}</span>}
          </span>
          <bdi className="audit-person" title={userId ?? undefined}>
            {actorName(entry, names)}
          </bdi>
          <EntryTime at={new Date(at)} />
        </summary>
        <div className="audit-details">
          <ul className="plain-list">
            {changes.map((change) => (
              <li key={change}>{change}</li>
            ))}
          </ul>
          <Text size="sm" c="dimmed">
            <code>{action}</code> · <code>{target}</code>
            {tokenId !== null && (
              <>
                {" "}
                · token <code>{tokenId}</code>
              </>
            )}
          </Text>
        </div>
      </details>
    </article>
  );
}
