/** One stored event, with its time, name and page. It opens to all of its members. */
import type { ListedEvent } from "@headwater/contract";
import { Text, UnstyledButton } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Icon } from "../../ui/icon.tsx";

interface EventRowProps {
  readonly event: ListedEvent;
  /** A link leads to this event: it is open and in view. */
  readonly isLinked: boolean;
  /** Whether the row has no name and no icon: those of all rows are the same, and stand above them. */
  readonly hasNoName?: boolean;
  /** Stands at the end of the row. */
  readonly children?: ReactNode;
}

const TIME = new Intl.DateTimeFormat("en", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

export function EventRow({ event, isLinked, hasNoName = false, children }: EventRowProps) {
  const [isOpen, setOpen] = useState(isLinked);
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isLinked) row.current?.scrollIntoView({ block: "center" });
  }, [isLinked]);
  const count = Object.keys(event.properties).length;
  const isPage = event.type === "page";
  const isByPath = isPage || hasNoName;
  const details = [
    isPage ? event.title : isByPath ? null : event.path,
    count === 0 ? null : count === 1 ? "1 property" : `${count} properties`,
  ];
  return (
    <li ref={row} data-linked={isLinked ? "yes" : undefined}>
      <div className="visit-row">
        <UnstyledButton className="visit-event" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <time dateTime={event.occurredAt}>{TIME.format(new Date(event.occurredAt))}</time>
          {!hasNoName && <Icon name={isPage ? "world" : "pointer"} size={16} />}
          <span className="visit-name clamp">
            <bdi>{isByPath ? (event.path ?? event.name) : event.name}</bdi>
          </span>
          <Text span size="sm" c="dimmed" className="clamp">
            {details.filter((detail) => detail !== null).join(" · ")}
          </Text>
        </UnstyledButton>
        {children}
      </div>
      {isOpen && <CodeBlock title="Stored event" text={JSON.stringify(event, null, 2)} />}
    </li>
  );
}
