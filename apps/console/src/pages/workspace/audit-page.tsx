/** The audit log of the workspace, newest first. */
import type { AuditEntry } from "@headwater/contract";
import { useState } from "react";
import { api } from "../../api.ts";
import { browserTimeZone } from "../../time.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, ErrorAlert, Loading } from "../../ui/page-states.tsx";
import { usePagedQuery } from "../../ui/paged-table.tsx";
import { Alert, Paper, Stack, Text } from "../../ui/primitives/elements.tsx";
import { NativeSelect } from "../../ui/primitives/fields.tsx";
import { formatExactTime, formatRelativeTime, useNow } from "../../ui/relative-time.tsx";
import { RequirePermission } from "../../ui/require-permission.tsx";
import { ShowMoreButton } from "../../ui/show-more-button.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { type AuditFilters, MAX_EXPORT_ENTRIES, useAuditExport } from "./audit-export.ts";
import { actorName, describeChanges, formatMinute, isUpdate, KINDS, titleOf } from "./audit-text.ts";
import { useMemberNames } from "./member-names.ts";
import { useSourceNames } from "./source-names.ts";
import "./audit.css";

const PAGE_SIZE = 50;
const LEAD = `Changes, sign-ins and reads of personal data, and who made them. Time zone: ${browserTimeZone()}.`;

export function AuditPage() {
  const { can } = useWorkspace();
  const [filters, setFilters] = useState<AuditFilters>({});
  const names = useNames();
  const saved = useAuditExport(filters, names);
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
          <Alert color="yellow" title="The file has only the newest 5,000 changes" />
        )}
        <FilterFields filters={filters} onChange={setFilters} />
        <AuditEntries filters={filters} names={names} />
      </RequirePermission>
    </Page>
  );
}

/** Names of the workspace, its members and its sources by id. */
function useNames(): ReadonlyMap<string, string> {
  const { organizationId, name, userId } = useWorkspace();
  return new Map([[organizationId, name], [userId, "You"], ...useMemberNames(), ...(useSourceNames() ?? [])]);
}

interface FilterFieldsProps {
  readonly filters: AuditFilters;
  readonly onChange: (filters: AuditFilters) => void;
}

function FilterFields({ filters, onChange }: FilterFieldsProps) {
  const members = useMemberNames();
  return (
    <div className="audit-filters">
      <NativeSelect
        label="Change"
        value={filters.action ?? ""}
        data={[{ value: "", label: "All changes" }, ...KINDS]}
        onChange={(event) => onChange({ ...filters, action: event.currentTarget.value || undefined })}
      />
      <NativeSelect
        label="Member"
        value={filters.userId ?? ""}
        data={[
          { value: "", label: "All members" },
          ...[...members].map(([value, label]) => ({ value, label })),
        ]}
        onChange={(event) => onChange({ ...filters, userId: event.currentTarget.value || undefined })}
      />
    </div>
  );
}

interface AuditEntriesProps {
  readonly filters: AuditFilters;
  readonly names: ReadonlyMap<string, string>;
}

function AuditEntries({ filters, names }: AuditEntriesProps) {
  const { organizationId } = useWorkspace();
  const query = usePagedQuery(["audit", organizationId, filters], (cursor, signal) =>
    api.listAudit({ query: { organizationId, limit: PAGE_SIZE, cursor, ...filters }, signal }),
  );
  if (query.isPending) return <Loading />;
  const failure = query.error && <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return failure;
  const entries = query.data.pages.flatMap((page) => page.entries);
  if (entries.length === 0) return <EmptyState title="No changes match" />;
  return (
    <Stack gap="xs">
      <Paper className="audit-list">
        {entries.map((entry) => (
          <AuditRow key={entry.auditId} entry={entry} names={names} />
        ))}
      </Paper>
      {failure}
      <ShowMoreButton query={query} />
    </Stack>
  );
}

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
      {formatMinute(at.getTime())}
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
