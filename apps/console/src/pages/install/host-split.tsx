/** Says which visitors count on two hosts of the source, and the option of the snippet that makes them one. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { pluralize } from "../../ui/format-count.ts";
import { TextLink } from "../../ui/links.tsx";
import { Alert } from "../../ui/primitives/elements.tsx";
import { TextWithCode } from "../../ui/text-with-code.tsx";
import { useWorkspace } from "../../workspace-context.tsx";

interface HostSplitProps {
  readonly sourceId: string;
}

/** The figures of a week change slowly, and the question reads all of its page views. */
const STALE_MS = 3_600_000;
const hostSplitQuery = (sourceId: string) =>
  queryOptions({
    queryKey: ["stats", "hostSplit", sourceId],
    queryFn: ({ signal }) => api.getHostSplit({ query: { sourceId }, signal }),
    staleTime: STALE_MS,
  });

/** @returns null while it is not known, and for those who cannot see the snippet */
function useHostSplit(sourceId: string): { problem: string; advice: string } | null {
  const { can } = useWorkspace();
  const enabled = can("stats:read") && can("sources:read");
  const { data } = useQuery({ ...hostSplitQuery(sourceId), enabled });
  if (!data?.split) return null;
  const { fromHost, toHost, visitors, option } = data.split;
  const amount = `${data.accuracy.exact ? "" : "about "}${pluralize(visitors, "visitor")}`;
  const advice =
    option === "crossSubdomain"
      ? "On the Install page, turn on Subdomains. Then copy the new snippet to both hosts to count each visitor once."
      : `To count each visitor once, add \`script.dataset.linkDomains = "${fromHost} ${toHost}";\` to the HTML snippet on both hosts. If your pages use a script tag, set \`data-link-domains="${fromHost} ${toHost}"\` on it instead.`;
  return {
    problem: `In the last 7 days, ${amount} went from ${fromHost} to ${toHost} and ${visitors === 1 ? "was" : "were"} counted on both.`,
    advice,
  };
}

export function HostSplitAlert({ sourceId }: HostSplitProps) {
  const split = useHostSplit(sourceId);
  if (!split) return null;
  return (
    <Alert color="yellow" title="Visitors are counted twice" role="status" className="wrap">
      {split.problem} <TextWithCode text={split.advice} />
    </Alert>
  );
}

/** Below the figures that it is about. The install page has the option. */
export function HostSplitNote({ sourceId }: HostSplitProps) {
  const split = useHostSplit(sourceId);
  if (!split) return null;
  return (
    <p className="excluded wrap">
      {split.problem} <TextWithCode text={split.advice} />{" "}
      <TextLink to="/analytics/setup/install" search={{ sourceId }} underline="always">
        Open Install
      </TextLink>
    </p>
  );
}
