/** Notes that may explain a change in the stats: changes of the source's configuration, and what members noted. */
import type { AuditEntry, SourceFieldName, StatsAnswer } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../../api.ts";
import { useWorkspace } from "../../../workspace-context.tsx";
import { timeFormatter } from "../format.ts";
import { useSavedItems } from "../saved/use-saved-items.ts";
import { todayIn } from "../view-range.ts";

/** How many of the workspace's latest audit entries are searched for changes of the source. */
const AUDIT_LIMIT = 100;

/** The fields of a source that change what the stats count, as the list names them. null: the others. */
const SETTING_NAMES: Readonly<Record<Exclude<SourceFieldName, "isActive">, string | null>> = {
  name: null,
  slug: null,
  frameworkHint: null,
  embedOrigins: null,
  keepRejected: null,
  limits: null,
  allowedOrigins: "Allowed origins",
  requireOrigin: "Require an Origin header",
  goals: "Goals",
  contentGroups: "Content groups",
  bots: "Bots",
  excludedPaths: "Excluded paths",
  excludedAddresses: "Excluded IP addresses",
  queryParameters: "Query parameters",
  pathRules: "Page URLs",
  channelRules: "Traffic sources and channels",
  engagement: "Measure engagement",
  privacy: "Privacy",
  retentionDays: "Data retention",
};

const fieldOf = (values: unknown, name: string): unknown =>
  typeof values === "object" && values !== null ? Reflect.get(values, name) : undefined;

function describeUpdate({ before, after }: AuditEntry): string | null {
  if (fieldOf(before, "isActive") !== fieldOf(after, "isActive"))
    return fieldOf(after, "isActive") === true ? "Activated" : "Deactivated";
  const names = Object.entries(SETTING_NAMES).flatMap(([field, name]) =>
    name === null || JSON.stringify(fieldOf(before, field)) === JSON.stringify(fieldOf(after, field))
      ? []
      : [name],
  );
  return names.length === 0 ? null : `${names.map((name) => `“${name}”`).join(", ")} changed`;
}

function describeChange(entry: AuditEntry): string | null {
  switch (entry.action) {
    case "source.key_rotated":
      return "Key rotated";
    case "source.key_restored":
      return "Old key restored";
    case "source.plan_saved":
      return `Tracking plan version ${String(fieldOf(entry.after, "planVersion"))} saved`;
    case "source.updated":
      return describeUpdate(entry);
    default:
      return null;
  }
}

/** Something that happened, at the point of the chart whose interval contains it. */
export interface ChartNote {
  readonly id: string;
  readonly text: string;
  /** When, as the list below the chart writes it. */
  readonly when: string;
  readonly pointIndex: number;
  /** Deletes an annotation; null for changes of the source and what others saved. */
  readonly remove: (() => Promise<unknown>) | null;
}

/** The changes within the date range of a stats answer, oldest first. Empty for users who cannot read the audit log. */
function useSourceChanges({ sourceId, results, from, to, timezone }: StatsAnswer): ChartNote[] {
  const { organizationId, can } = useWorkspace();
  const { data } = useQuery({
    queryKey: ["audit", organizationId, "latest"],
    queryFn: ({ signal }) => api.listAudit({ query: { organizationId, limit: AUDIT_LIMIT }, signal }),
    enabled: can("audit:read"),
  });
  const formatTime = timeFormatter(timezone, "hour");
  const own = data?.entries.filter(({ target, at }) => target === sourceId && at >= from && at < to) ?? [];
  return own.reverse().flatMap((entry) => {
    const text = describeChange(entry);
    const pointIndex = results.findLastIndex(({ dimensions: [start] }) => String(start) <= entry.at);
    return text === null
      ? []
      : [{ id: entry.auditId, when: formatTime(entry.at), text, pointIndex, remove: null }];
  });
}

/** What members noted about days within the date range of a stats answer. */
function useAnnotations({ sourceId, results, from, to, timezone }: StatsAnswer): ChartNote[] {
  const { items, canDelete, remove } = useSavedItems(sourceId);
  const dayOf = (time: unknown) => todayIn(timezone, Date.parse(String(time)));
  const formatDay = timeFormatter("UTC", "day");
  const lastDay = dayOf(new Date(Date.parse(to) - 1).toISOString());
  return items.flatMap((item) => {
    const { savedId, name, day } = item;
    if (day === null || day < dayOf(from) || day > lastDay) return [];
    // a note on a day stands at the first point of that day, or in the longer interval that contains it
    const sameDay = results.findIndex(({ dimensions: [start] }) => dayOf(start) === day);
    const pointIndex =
      sameDay === -1 ? results.findLastIndex(({ dimensions: [start] }) => dayOf(start) <= day) : sameDay;
    const removal = canDelete(item) ? () => remove(savedId) : null;
    return [{ id: savedId, when: formatDay(day), text: name, pointIndex, remove: removal }];
  });
}

/** The chart of several sources has none: each note belongs to one. */
export function useChartNotes(given: StatsAnswer): ChartNote[] {
  const answer = given.sources === null ? given : { ...given, sourceId: "" };
  const changes = useSourceChanges(answer);
  const annotations = useAnnotations(answer);
  return [...changes, ...annotations].toSorted((a, b) => a.pointIndex - b.pointIndex);
}
