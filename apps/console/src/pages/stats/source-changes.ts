/** Changes of a source's configuration that may explain a change in its stats. */
import type { AuditEntry, StatsAnswer } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { useWorkspace } from "../../workspace-context.tsx";

/** How many of the workspace's latest audit entries are searched for changes of the source. */
const AUDIT_LIMIT = 100;

interface AuditedSource {
  readonly allowedOrigins?: readonly string[];
  readonly isActive?: boolean;
}

function describeChange({ action, before, after }: AuditEntry): string | null {
  if (action === "source.key_rotated") return "Key rotated";
  if (action === "source.key_restored") return "Previous key restored";
  if (action !== "source.updated") return null;
  const [previous, current] = [(before ?? {}) as AuditedSource, (after ?? {}) as AuditedSource];
  if (String(previous.allowedOrigins) !== String(current.allowedOrigins)) return "Allowed origins changed";
  if (previous.isActive !== current.isActive) return current.isActive ? "Activated" : "Deactivated";
  return null;
}

export interface ConfigChange {
  readonly auditId: string;
  readonly at: string;
  readonly text: string;
  /** The index of the chart's point whose interval contains the change. */
  readonly pointIndex: number;
}

/** The changes within the date range of a stats answer, oldest first. Empty for users who cannot read the audit log. */
export function useSourceChanges({ sourceId, results, from, to }: StatsAnswer): ConfigChange[] {
  const { organizationId, can } = useWorkspace();
  const { data } = useQuery({
    queryKey: ["audit", organizationId, "latest"],
    queryFn: ({ signal }) => api.listAudit({ query: { organizationId, limit: AUDIT_LIMIT }, signal }),
    enabled: can("audit:read"),
  });
  const own = data?.entries.filter(({ target, at }) => target === sourceId && at >= from && at < to) ?? [];
  return own.reverse().flatMap((entry) => {
    const text = describeChange(entry);
    const pointIndex = results.findLastIndex(({ dimensions: [start] }) => String(start) <= entry.at);
    return text === null ? [] : [{ auditId: entry.auditId, at: entry.at, text, pointIndex }];
  });
}
