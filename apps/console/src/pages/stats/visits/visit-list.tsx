/** Visits one below the other: when, the page, who came from where, and for how long. Each leads to its events. */
import type { StatsVisit } from "@headwater/contract";
import { pluralize } from "../../../ui/format-count.ts";
import { Icon } from "../../../ui/icon.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { VisitorLink } from "../../visitor/visitor-link.tsx";
import { formatDuration } from "../format.ts";
import { ValueIcon } from "../lists/value-icon.tsx";
import { formatPath, formatValue } from "../lists/value-names.ts";
import "./visit-list.css";

interface VisitListProps {
  readonly label: string;
  readonly sourceId: string;
  readonly visits: readonly StatsVisit[];
  /** Names the columns where there is room for them. */
  readonly hasHeads?: boolean;
}

const HEADS = ["Last seen", "Last page", "Location", "Browser", "Traffic source", "Pages · time"];

export const VisitList = ({ label, sourceId, visits, hasHeads = false }: VisitListProps) => (
  <ul className="visit-list" aria-label={label}>
    {hasHeads && visits.length > 0 && (
      <li className="visit-line visit-heads" aria-hidden>
        {HEADS.map((head) => (
          <span key={head}>{head}</span>
        ))}
      </li>
    )}
    {visits.map((visit) => (
      <li key={visit.sessionId}>
        <VisitorLink search={{ sourceId, sessionId: visit.sessionId }} className="visit-line">
          <RelativeTime at={visit.lastActiveAt} isShort />
          <VisitPage {...visit} />
          <VisitPlace {...visit} />
          <VisitDevice {...visit} />
          <span className="visit-cell" title="Traffic source">
            <ValueIcon dimension="source" value={visit.source} />
            <bdi>{formatValue("source", visit.source)}</bdi>
          </span>
          <span className="visit-figures-short">
            {pluralize(visit.pageviews, "page")}
            {visit.seconds >= 1 && ` · ${formatDuration(visit.seconds)}`}
          </span>
        </VisitorLink>
      </li>
    ))}
  </ul>
);

/** The last page, and what the visitor did on it. */
function VisitPage({ lastPage, entryPage, lastEvent }: StatsVisit) {
  const page = lastPage === null ? lastEvent : formatPath(lastPage);
  const details = [
    ...(lastEvent === "page_view" || lastPage === null ? [] : [lastEvent]),
    ...(entryPage === null || entryPage === lastPage ? [] : [`entered at ${formatPath(entryPage)}`]),
  ];
  return (
    <span className="visit-on" title={[page, ...details].join("\n")}>
      <bdi className="visit-text" dir={lastPage === null ? "auto" : "ltr"}>
        {page}
      </bdi>
      {details.length > 0 && (
        <span className="visit-did visit-text">
          {details.map((detail, at) => (
            <span key={detail}>
              {at > 0 && " · "}
              <bdi>{detail}</bdi>
            </span>
          ))}
        </span>
      )}
    </span>
  );
}

function VisitPlace({ country, city }: StatsVisit) {
  const name = formatValue("country", country);
  return (
    <span className="visit-cell" title={city === null ? name : `${city}, ${name}`}>
      <ValueIcon dimension="country" value={country} />
      <bdi>{city ?? name}</bdi>
    </span>
  );
}

function VisitDevice({ device, browser, os }: StatsVisit) {
  const names = [formatValue("device", device), browser, os].filter((name) => name !== null).join(", ");
  return (
    <span className="visit-cell visit-device" title={names}>
      {device === null ? <Icon name="desktop" /> : <ValueIcon dimension="device" value={device} />}
      <bdi>{browser ?? formatValue("device", device)}</bdi>
    </span>
  );
}
