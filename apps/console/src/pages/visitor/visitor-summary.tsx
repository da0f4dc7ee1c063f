/** The card of a visitor: their figures, place, device, and other ids. */
import type { ListedEvent } from "@headwater/contract";
import { CopyButton } from "../../ui/copy-button.tsx";
import { type Fact, FactList } from "../../ui/fact-list.tsx";
import { formatCount, pluralize } from "../../ui/format-count.ts";
import { Badge, Group, Paper, Stack, Text, Title } from "../../ui/primitives/elements.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { formatMetric } from "../stats/format.ts";
import { ValueIcon } from "../stats/lists/value-icon.tsx";
import { dimensionLabel, formatValue } from "../stats/lists/value-names.ts";
import type { ErasableId } from "./erase-section.tsx";
import { shortenId, VISITOR_TITLES, type VisitorSubject } from "./use-stored-events.ts";
import { VisitorLink } from "./visitor-link.tsx";

/** The beginning of the ids that visitors without browser storage get for a day. */
const DAILY_ID = "$none.";

interface VisitorSummaryProps {
  readonly sourceId: string;
  readonly subject: VisitorSubject;
  readonly events: readonly ListedEvent[];
  /** Whether there are more: later ones of a session, earlier ones of a visitor. */
  readonly hasMore: boolean;
  /** The ids of the visitor in the events. */
  readonly ids: readonly ErasableId[];
}

function figuresOf(events: readonly ListedEvent[], kind: VisitorSubject["kind"], hasMore: boolean): Fact[] {
  const first = events[0]?.occurredAt ?? null;
  const last = events.at(-1)?.occurredAt ?? null;
  const pages = events.filter(({ type }) => type === "page").length;
  // reports of engagement and web vitals are nothing that the visitor did
  const custom = events.filter(({ type, passive }) => type !== "page" && !passive).length;
  const isSession = kind === "sessionId";
  const sessions = new Set(events.map(({ sessionId }) => sessionId)).size;
  const seconds = first && last ? (Date.parse(last) - Date.parse(first)) / 1000 : null;
  return [
    ...(isSession ? [] : [["Sessions", formatCount(sessions)] as const]),
    ["Page views", formatCount(pages)],
    ["Custom events", formatCount(custom)],
    ...(isSession && !hasMore ? [["Duration", formatMetric("sessionDuration", seconds)] as const] : []),
    // the first events of a visitor are on a later page
    ...(hasMore && !isSession
      ? []
      : [[isSession ? "Started" : "First seen", <RelativeTime key="first" at={first} />] as const]),
    ...(isSession ? [] : [["Last seen", <RelativeTime key="last" at={last} />] as const]),
  ];
}

const PARTS = ["country", "device", "browser", "os"] as const;

/** The values that the latest event has. */
function factsOf(events: readonly ListedEvent[], isSession: boolean, hasMore: boolean): Fact[] {
  const last = (member: "country" | "city" | "device" | "os" | "browser") =>
    events.findLast((event) => event[member] !== null)?.[member] ?? null;
  const parts = PARTS.map((dimension): Fact => {
    const name = dimensionLabel(dimension);
    const value = last(dimension);
    if (value === null) return [name, formatValue(dimension, null)];
    const text = formatValue(dimension, value);
    const city = dimension === "country" ? last("city") : null;
    return [
      name,
      <span key={name} className="visit-fact">
        <ValueIcon dimension={dimension} value={value} />
        {city === null ? text : `${city}, ${text}`}
      </span>,
    ];
  });
  // the first visit of a visitor is on a later page
  if (hasMore && !isSession) return parts;
  const source = formatValue("source", events[0]?.source ?? null);
  return [
    ...parts,
    [
      isSession ? "Traffic source" : "First traffic source",
      <span key="source" className="clamp" title={source}>
        {source}
      </span>,
    ],
    [isSession ? "Channel" : "First channel", events[0]?.channel ?? "—"],
  ];
}

/** @returns for example `Visitor from Spain, Firefox on Windows` */
function titleFor({ kind }: VisitorSubject, events: readonly ListedEvent[]): string {
  const last = (member: "country" | "os" | "browser") =>
    events.findLast((event) => event[member] !== null)?.[member] ?? null;
  const [country, browser, os] = [last("country"), last("browser"), last("os")];
  const place = country === null ? "" : ` from ${formatValue("country", country)}`;
  const client = [browser, os].filter((part) => part !== null).join(" on ");
  return `${VISITOR_TITLES[kind]}${place}${client && (place ? `, ${client}` : ` with ${client}`)}`;
}

export function VisitorSummary({ sourceId, subject, events, hasMore, ids }: VisitorSummaryProps) {
  const { kind, id } = subject;
  const otherIds = Map.groupBy(
    ids.filter((one) => one.kind !== kind),
    (one) => one.kind,
  );
  const idFacts = [...otherIds].map(
    ([ofKind, some]): Fact => [
      VISITOR_TITLES[ofKind],
      some.map((one) => (
        <VisitorLink key={one.id} search={{ sourceId, [ofKind]: one.id }} className="visit-other">
          {one.id}
        </VisitorLink>
      )),
    ],
  );
  return (
    <Paper p="lg" component="section" aria-label={VISITOR_TITLES[kind]}>
      <Stack gap="md">
        <Group gap="sm">
          <Title order={2} size="h4" className="wrap">
            {titleFor(subject, events)}
          </Title>
          <code className="code" title={id}>
            {shortenId(id)}
          </code>
          <CopyButton text={id} label="Copy ID" />
          {events.some(({ isBot }) => isBot) && <Badge color="gray">Bot</Badge>}
        </Group>
        <FactList className="visit-figures" facts={figuresOf(events, kind, hasMore)} />
        <FactList
          className="facts visit-facts"
          facts={[...factsOf(events, kind === "sessionId", hasMore), ...idFacts]}
        />
        {hasMore && (
          <Text size="sm" c="dimmed">
            These details cover the {kind === "sessionId" ? "first" : "latest"}{" "}
            {pluralize(events.length, "event")}. To load more, select “Show more” at the end of the page.
          </Text>
        )}
        {events.some(({ anonymousId }) => anonymousId.startsWith(DAILY_ID)) && (
          <Text size="sm">
            This visitor’s browser stores nothing, so the visitor ID changes every day. Only a user ID can
            link sessions on different days.
          </Text>
        )}
      </Stack>
    </Paper>
  );
}
