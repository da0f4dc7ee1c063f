/** What was changed of the source itself, which may be why its numbers changed. */
import type { AuditEntry, StatsAnswer } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { callApi } from "../../api.ts";
import { useWorkspace } from "../../workspace-context.tsx";

/** The workspace's latest entries, of which those of one source are some. */
const LOOKED_AT = 100;

interface Told {
  readonly allowedOrigins?: readonly string[];
  readonly isActive?: boolean;
}

function said({ action, before, after }: AuditEntry): string | null {
  if (action === "source.key_rotated") return "key rotated";
  if (action === "source.key_restored") return "old key restored";
  if (action !== "source.updated") return null;
  const [was, is] = [(before ?? {}) as Told, (after ?? {}) as Told];
  if (String(was.allowedOrigins) !== String(is.allowedOrigins)) return "origins changed";
  if (was.isActive !== is.isActive) return is.isActive ? "switched on" : "switched off";
  return null;
}

export interface SourceChange {
  readonly auditId: string;
  readonly at: string;
  readonly text: string;
  /** Of the points of the answer the one in whose time it was. */
  readonly point: number;
}

/** Of the range of that answer, oldest first; none for those who may not read the audit log. */
export function useSourceChanges({ sourceId, results, from, to }: StatsAnswer): SourceChange[] {
  const { organizationId, can } = useWorkspace();
  const { data } = useQuery({
    queryKey: ["audit", organizationId, "latest"],
    queryFn: ({ signal }) => callApi("listAudit", { query: { organizationId, limit: LOOKED_AT }, signal }),
    enabled: can("audit:read"),
  });
  const own = data?.entries.filter(({ target, at }) => target === sourceId && at >= from && at < to) ?? [];
  return own.reverse().flatMap((entry) => {
    const text = said(entry);
    const point = results.findLastIndex(({ dimensions: [start] }) => String(start) <= entry.at);
    return text === null ? [] : [{ auditId: entry.auditId, at: entry.at, text, point }];
  });
}
