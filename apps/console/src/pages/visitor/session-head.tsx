/** The heading of a session among the events of a visitor: its times, length, and where it came from. */
import type { ListedEvent } from "@headwater/contract";
import { dateFormat } from "../../own-format.ts";
import { pluralize } from "../../ui/format-count.ts";
import { Group, Text } from "../../ui/primitives/elements.tsx";
import { formatMetric } from "../stats/format.ts";
import { formatValue } from "../stats/lists/value-names.ts";
import type { VisitorSubject } from "./use-stored-events.ts";
import { VisitorLink } from "./visitor-link.tsx";

const range = dateFormat({ dateStyle: "medium", timeStyle: "short" });

interface SessionHeadProps {
  readonly sourceId: string;
  readonly sessionId: string;
  readonly events: readonly ListedEvent[];
  readonly kind: VisitorSubject["kind"];
}

export function SessionHead({ sourceId, sessionId, events, kind }: SessionHeadProps) {
  const first = new Date(events[0]?.occurredAt ?? "");
  const last = new Date(events.at(-1)?.occurredAt ?? "");
  const details = [
    pluralize(events.filter(({ type }) => type === "page").length, "page view"),
    pluralize(events.length, "event"),
    `lasted ${formatMetric("sessionDuration", (last.getTime() - first.getTime()) / 1000)}`,
    `from ${formatValue("source", events[0]?.source ?? null)}`,
  ];
  return (
    <Group className="visit-head" gap="sm">
      <Text fw={600} size="sm">
        {range().formatRange(first, last)}
      </Text>
      <Text size="sm" c="dimmed" className="clamp">
        {details.join(" · ")}
      </Text>
      {kind !== "sessionId" && (
        <VisitorLink search={{ sourceId, sessionId }} className="visit-open">
          Open session
        </VisitorLink>
      )}
    </Group>
  );
}
