/** A session with one event, on one line: when, what, from where, and the link to the session. */
import type { ListedEvent } from "@headwater/contract";
import { dateFormat } from "../../own-format.ts";
import { Text } from "../../ui/primitives/elements.tsx";
import { formatPath, formatValue } from "../stats/lists/value-names.ts";
import { VisitorLink } from "./visitor-link.tsx";

const time = dateFormat({ dateStyle: "medium", timeStyle: "short" });

interface SessionLineProps {
  readonly sourceId: string;
  readonly event: ListedEvent;
}

export const SessionLine = ({ sourceId, event }: SessionLineProps) => {
  const { occurredAt, type, path, name, source, sessionId } = event;
  const what = type === "page" && path !== null ? formatPath(path) : name;
  return (
    <li className="visit-head session-line">
      <Text fw={600} size="sm" component="span">
        {time().format(new Date(occurredAt))}
      </Text>
      <Text size="sm" c="dimmed" component="span" className="clamp">
        <bdi>{what}</bdi> · from {formatValue("source", source)}
      </Text>
      <VisitorLink search={{ sourceId, sessionId }} className="visit-open">
        Open session
      </VisitorLink>
    </li>
  );
};
