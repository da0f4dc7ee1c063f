/** The audit log as a CSV file. */
import type { AuditEntry } from "@headwater/contract";
import { useMutation } from "@tanstack/react-query";
import { type ApiInput, api } from "../../api.ts";
import { toCsv } from "../../csv.ts";
import { downloadBlob } from "../../ui/download-blob.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { auditRows } from "./audit-text.ts";

const EXPORT_PAGE_SIZE = 100;
/** A file has the newest entries. */
export const MAX_EXPORT_ENTRIES = 5000;

export type AuditFilters = Pick<
  NonNullable<ApiInput<"listAudit">["query"]>,
  "action" | "userId" | "search" | "from" | "to"
>;

/** Reads the newest entries that satisfy the filters. */
async function readEntries(organizationId: string, filters: AuditFilters): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  let cursor: string | null = null;
  while (entries.length < MAX_EXPORT_ENTRIES) {
    const query: ApiInput<"listAudit">["query"] = { organizationId, limit: EXPORT_PAGE_SIZE, ...filters };
    const answer = await api.listAudit({ query: cursor === null ? query : { ...query, cursor } });
    entries.push(...answer.entries);
    if (answer.nextCursor === null) break;
    cursor = answer.nextCursor;
  }
  return entries;
}

/** Downloads the entries that satisfy the filters. Its data is the number of entries. */
export function useAuditExport(filters: AuditFilters, names: ReadonlyMap<string, string>) {
  const { organizationId } = useWorkspace();
  return useMutation({
    mutationFn: async () => {
      const entries = await readEntries(organizationId, filters);
      const csv = new Blob([toCsv(auditRows(entries, names))], { type: "text/csv" });
      downloadBlob(csv, `audit-${new Date().toISOString().slice(0, 10)}.csv`);
      return entries.length;
    },
  });
}
