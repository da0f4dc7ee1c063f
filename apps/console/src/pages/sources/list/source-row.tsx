/** One source in the list. The whole row opens it; the reason of a failing source opens the requests that were refused for it. */
import type { SourceWithHealth } from "@headwater/contract";
import { formatCount } from "../../../ui/format-count.ts";
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
      <td className="source-state">
        <StatusInWords source={source} />
      </td>
      {weekOf && (
        <td className="source-week">
          <VisitorWeek week={weekOf(sourceId)} />
        </td>
      )}
      {hasCounts && (
        <td className="source-day">
          <DayCounts counts={source.health.last24h} />
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
          className="source-words source-reason"
        >
          {meaningOf(topCode)}
        </TextLink>
      ) : (
        <span className="source-words">
          {lastEventAt === null ? (
            "No event yet"
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

/** @param counts null: the user may not see them */
function DayCounts({ counts }: { readonly counts: SourceWithHealth["health"]["last24h"] }) {
  if (counts === null) return "—";
  const { accepted, rejected, failed } = counts;
  const problems = [
    rejected > 0 && `${formatCount(rejected)} rejected`,
    failed > 0 && `${formatCount(failed)} refused`,
  ].filter(Boolean);
  return (
    <>
      <span className="source-figure">
        {formatCount(accepted)}
        <span className="source-unit"> {accepted === 1 ? "event" : "events"} in 24 hours</span>
      </span>
      {problems.length > 0 && <span className="source-words">{problems.join(" · ")}</span>}
    </>
  );
}
