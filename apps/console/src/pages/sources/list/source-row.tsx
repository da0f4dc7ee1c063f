/** One source in the list. The whole row opens it; the reason of a failing source opens the requests that were refused for it. */
import type { SourceWithHealth } from "@headwater/contract";
import { formatCount, pluralize } from "../../../ui/format-count.ts";
import { TextLink } from "../../../ui/links.tsx";
import { Text } from "../../../ui/primitives/elements.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { SourceStatusBadge } from "../../../ui/source-status.tsx";
import { meaningOf } from "../../debug/attempt-summary.ts";
import type { WeekOfVisitors } from "./source-list-query.ts";
import { VisitorWeek } from "./visitor-week.tsx";

interface SourceRowProps {
  readonly source: SourceWithHealth;
  /** undefined: the list has no column of visitors. */
  readonly weekOf: ((sourceId: string) => WeekOfVisitors | null | undefined) | undefined;
  readonly hasCounts: boolean;
  /** Another listed source has the same name, so the row shows what tells them apart. */
  readonly isNamesake: boolean;
}

export function SourceRow({ source, weekOf, hasCounts, isNamesake }: SourceRowProps) {
  const { sourceId, name, slug, allowedOrigins, lastBootstrapAt, lastEventAt } = source;
  const isNew = lastBootstrapAt === null && lastEventAt === null;
  const origins = allowedOrigins.length === 0 ? "No allowed origins" : allowedOrigins.join(", ");
  const about = `${isNamesake ? `${slug} · ` : ""}${origins.replaceAll("https://", "")}`;
  return (
    <tr>
      <td className="source-name">
        <TextLink
          to={isNew ? "/analytics/setup/install" : "/analytics/stats"}
          search={{ sourceId }}
          dir="auto"
          title={name}
          className="row-link"
        >
          {name}
        </TextLink>
        <Text size="sm" c="dimmed" className="source-about" title={about}>
          {about}
        </Text>
      </td>
      {weekOf && (
        <td className="source-week">
          <VisitorWeek week={weekOf(sourceId)} />
        </td>
      )}
      <td className="source-state">
        <StatusInWords source={source} />
      </td>
      {hasCounts && (
        <td className="source-day">
          <DayCounts source={source} />
        </td>
      )}
    </tr>
  );
}

function StatusInWords({ source }: { readonly source: SourceWithHealth }) {
  const { sourceId, lastEventAt, health } = source;
  const { status, topCode } = health;
  return (
    <>
      <SourceStatusBadge status={status} />
      {status === "failing" && topCode !== null ? (
        <TextLink
          to="/analytics/setup/debug"
          search={{ sourceId, code: topCode }}
          size="sm"
          className="source-words source-problem source-reason"
        >
          {meaningOf(topCode)}
        </TextLink>
      ) : (
        <span className="source-words">
          {lastEventAt === null ? (
            "No events yet"
          ) : (
            <>
              Last event <RelativeTime at={lastEventAt} />
            </>
          )}
        </span>
      )}
    </>
  );
}

function DayCounts({ source: { sourceId, health } }: { readonly source: SourceWithHealth }) {
  // the user may not see them
  if (health.last24h === null) return "—";
  const { accepted, rejected, failed } = health.last24h;
  return (
    <>
      <span className="source-figure">
        {formatCount(accepted)}
        <span className="source-unit"> {accepted === 1 ? "event" : "events"} in 24 hours</span>
      </span>
      {rejected + failed > 0 && (
        <span className="source-words">
          {rejected > 0 && `${formatCount(rejected)} rejected`}
          {rejected > 0 && failed > 0 && " · "}
          {failed > 0 && (
            <TextLink
              to="/analytics/setup/debug"
              search={{ sourceId, outcome: "failed" }}
              size="sm"
              className="source-problem"
            >
              {pluralize(failed, "request")} refused
            </TextLink>
          )}
        </span>
      )}
    </>
  );
}
