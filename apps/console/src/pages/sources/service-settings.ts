/** The settings of the service, for the forms of a source that name what applies without a value of its own. */
import { useQuery } from "@tanstack/react-query";
import { supportQuery } from "../../queries.ts";
import { useWorkspace } from "../../workspace-context.tsx";

/** @returns the settings as texts; empty while they load, and for others than operators */
export function useServiceSettings(): Readonly<Record<string, string | undefined>> {
  const { organizationId, can } = useWorkspace();
  const { data } = useQuery({ ...supportQuery(organizationId), enabled: can("support:read") });
  return Object.fromEntries(
    Object.entries(data?.settings ?? {}).map(([name, value]) => [name, String(value)]),
  );
}
