/** One stored event, with its time, name, page and properties. It opens to all of its members. */
import type { ListedEvent } from "@headwater/contract";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { dateFormat } from "../../own-format.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ValueIcon } from "../stats/lists/value-icon.tsx";
import { formatPath, formatValue } from "../stats/lists/value-names.ts";
import { propertiesOf } from "./property-list.ts";

interface EventRowProps {
  readonly event: ListedEvent;
  /** A link leads to this event: it is open and in view. */
  readonly isLinked: boolean;
  /** Whether the row has no name and no icon, because all rows have the same ones and the heading shows them. */
  readonly hasNoName?: boolean;
  /** Stands at the end of the row. */
  readonly children?: ReactNode;
}

const time = dateFormat({ timeStyle: "medium" });

export function EventRow({ event, isLinked, hasNoName = false, children }: EventRowProps) {
  const [isOpen, setOpen] = useState(isLinked);
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isLinked) row.current?.scrollIntoView({ block: "center" });
  }, [isLinked]);
  const isPage = event.type === "page";
  const isByPath = isPage || hasNoName;
  const path = event.path === null ? null : formatPath(event.path);
  const name = isByPath ? (path ?? event.name) : event.name;
  const place = isPage ? event.title : isByPath ? null : path;
  return (
    <li ref={row} data-linked={isLinked ? "yes" : undefined}>
      <div className="visit-row">
        <button
          type="button"
          className="visit-event"
          data-named={hasNoName ? undefined : "yes"}
          data-passive={event.passive ? "yes" : undefined}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <time dateTime={event.occurredAt}>{time().format(new Date(event.occurredAt))}</time>
          <span className="visit-name" title={name}>
            {!hasNoName && <Icon name={isPage ? "world" : "pointer"} size={16} />}
            <bdi>{name}</bdi>
          </span>
          {hasNoName ? (
            <EventOrigin event={event} />
          ) : (
            <span className="visit-place" title={place ?? undefined}>
              {place !== null && <bdi>{place}</bdi>}
            </span>
          )}
          <EventProperties properties={event.properties} />
          <Icon name="chevronRight" size={14} />
        </button>
        {children}
      </div>
      {isOpen && <CodeBlock title="Stored event" text={JSON.stringify(event, null, 2)} />}
    </li>
  );
}

/** The flag of the country, and the source of the visit. */
const EventOrigin = ({ event: { country, source } }: Pick<EventRowProps, "event">) => (
  <span className="visit-place visit-fact" title={formatValue("country", country)}>
    <ValueIcon dimension="country" value={country} />
    <bdi>{formatValue("source", source)}</bdi>
  </span>
);

/** On one line: `value 49.00 · currency EUR`. */
const EventProperties = ({ properties }: Pick<ListedEvent, "properties">) => (
  <span className="visit-properties">
    {propertiesOf(properties).map(({ name, value }, index) => (
      <span key={name}>
        {index > 0 && " · "}
        <span className="fact-name">{name}</span> <bdi>{value}</bdi>
      </span>
    ))}
  </span>
);
