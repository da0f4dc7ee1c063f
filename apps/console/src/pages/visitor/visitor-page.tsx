/** The stored events of one session or one visitor, in order, and the erasure of the visitor; or the latest events of one name. */
import type { ListedEvent, Source, VisitorKind } from "@headwater/contract";
import { Badge, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { pluralize } from "../../ui/format-count.ts";
import { TextLink } from "../../ui/links.tsx";
import { EmptyState, QueryResult } from "../../ui/page-states.tsx";
import { ShowMoreButton } from "../../ui/show-more-button.tsx";
import { SourcePage } from "../sources/source-page.tsx";
import { formatValue } from "../stats/format.ts";
import { EraseButton } from "./erase-button.tsx";
import { EventRow } from "./event-row.tsx";
import { LatestEvents } from "./latest-events.tsx";
import { KINDS, type Subject, useStoredEvents } from "./use-stored-events.ts";
import "./visitor.css";

export const VisitorPage = () => (
  <SourcePage title="Visitor" permission="export:read">
    {(source) => <Visitor source={source} />}
  </SourcePage>
);

const TITLES = { sessionId: "Session", anonymousId: "Visitor", userId: "User" } as const;
/** The beginning of the ids that visitors without browser storage get for a day. */
const DAILY_ID = "$none.";

interface VisitorParams extends Partial<Record<Subject["kind"], string>> {
  /** The `eventId` of the event that a link leads to. */
  readonly event?: string;
}

type VisitorSubject = Subject<keyof typeof TITLES>;

function Visitor({ source }: { readonly source: Source }) {
  const params = useSearch({ strict: false }) as VisitorParams;
  const kind = KINDS.find((name) => params[name] !== undefined);
  const id = kind === undefined ? undefined : params[kind];
  if (kind === undefined || id === undefined)
    return (
      <EmptyState title="No visitor selected">
        Open a session or a visitor from the details of a request on the Debug page.
      </EmptyState>
    );
  if (kind === "name") return <LatestEvents key={id} source={source} name={id} />;
  const linked = params.event ?? null;
  return <Events key={`${kind} ${id}`} source={source} subject={{ kind, id }} linked={linked} />;
}

interface EventsProps {
  readonly source: Source;
  readonly subject: VisitorSubject;
  readonly linked: string | null;
}

function Events({ source, subject: { kind, id }, linked }: EventsProps) {
  const { sourceId } = source;
  const query = useStoredEvents(source.sourceId, { kind, id });
  return (
    <QueryResult query={query} rows={6}>
      {({ pages }) => {
        const events = pages.flatMap((page) => page.events);
        const [first] = events;
        if (!first)
          return (
            <EmptyState title="No stored events">
              There are no events of this {TITLES[kind].toLowerCase()}. They may have been erased, be past
              their retention, or not be in the warehouse yet.
            </EmptyState>
          );
        return (
          <Stack gap="md" maw={960}>
            <Summary source={source} subject={{ kind, id }} events={events} hasMore={query.hasNextPage} />
            {groupBySession(events).map(([sessionId, ofSession]) => (
              <Paper key={sessionId} withBorder component="section" aria-label={`Session ${sessionId}`}>
                <SessionHead sourceId={sourceId} sessionId={sessionId} events={ofSession} kind={kind} />
                <ol className="visit-events">
                  {ofSession.map((event) => (
                    <EventRow
                      key={event.analyticsEventId}
                      event={event}
                      isLinked={event.eventId === linked}
                    />
                  ))}
                </ol>
              </Paper>
            ))}
            <ShowMoreButton query={query} />
          </Stack>
        );
      }}
    </QueryResult>
  );
}

/** Sessions in the order of their first event. */
const groupBySession = (events: readonly ListedEvent[]): readonly (readonly [string, ListedEvent[]])[] => [
  ...Map.groupBy(events, ({ sessionId }) => sessionId),
];

interface SummaryProps {
  readonly source: Source;
  readonly subject: VisitorSubject;
  readonly events: readonly ListedEvent[];
  readonly hasMore: boolean;
}

/** The values that the latest event has. */
function factsOf(events: readonly ListedEvent[]): readonly (readonly [string, string])[] {
  const last = (member: "country" | "city" | "device" | "os" | "browser" | "channel") =>
    events.findLast((event) => event[member] !== null)?.[member] ?? null;
  const country = last("country");
  const place = [last("city"), country && formatValue("country", country)].filter(Boolean).join(", ");
  const device = [last("browser"), last("os"), last("device")].filter((part) => part !== null).join(" · ");
  const facts = [
    ["Place", place || "Unknown"],
    ["Device", device || "Unknown"],
    ["Source", events[0]?.source ?? "Direct / unknown"],
    ["Channel", last("channel") ?? "—"],
  ] as const;
  return facts;
}

function Summary({ source, subject: { kind, id }, events, hasMore }: SummaryProps) {
  const erasable = erasableIds(events, kind === "sessionId" ? null : { kind, id });
  const { sourceId } = source;
  return (
    <Paper withBorder p="md" component="section" aria-label={TITLES[kind]}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <div>
            <Title order={2} size="h5">
              {TITLES[kind]} <bdi className="wrap">{id}</bdi>
            </Title>
            <Text size="sm" c="dimmed">
              {hasMore ? "The first " : ""}
              {pluralize(events.length, "event")}
              {events.some(({ isBot }) => isBot) && " · bot"}
            </Text>
          </div>
          <EraseButton source={source} ids={erasable} />
        </Group>
        {events.some(({ anonymousId }) => anonymousId.startsWith(DAILY_ID)) && (
          <Text size="sm">
            This visitor’s browser stores nothing. The id is of one day: visits on other days cannot be
            connected.
          </Text>
        )}
        <dl className="facts visit-facts">
          {factsOf(events).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
          {erasable
            .filter((one) => one.kind !== kind)
            .map((one) => (
              <div key={`${one.kind} ${one.id}`}>
                <dt>{TITLES[one.kind]}</dt>
                <dd>
                  <TextLink to="/analytics/visitor" search={{ sourceId, [one.kind]: one.id }} size="sm">
                    {one.id}
                  </TextLink>
                </dd>
              </div>
            ))}
        </dl>
      </Stack>
    </Paper>
  );
}

/** The ids of the visitor by which the data can be erased. `$none` is the id of no single visitor. */
function erasableIds(
  events: readonly ListedEvent[],
  named: { readonly kind: VisitorKind; readonly id: string } | null,
): readonly { readonly kind: VisitorKind; readonly id: string }[] {
  if (named !== null) return [named];
  const anonymous = new Set(events.map(({ anonymousId }) => anonymousId).filter((id) => id !== "$none"));
  const users = new Set(events.flatMap(({ userId }) => userId ?? []));
  return [
    ...[...users].map((id) => ({ kind: "userId" as const, id })),
    ...[...anonymous].map((id) => ({ kind: "anonymousId" as const, id })),
  ];
}

interface SessionHeadProps {
  readonly sourceId: string;
  readonly sessionId: string;
  readonly events: readonly ListedEvent[];
  readonly kind: VisitorSubject["kind"];
}

function SessionHead({ sourceId, sessionId, events, kind }: SessionHeadProps) {
  const [first] = events;
  return (
    <Group className="visit-head" gap="sm">
      <Text fw={600} size="sm">
        {first &&
          new Date(first.occurredAt).toLocaleString("en", {
            dateStyle: "medium",
            timeStyle: "short",
            hourCycle: "h23",
          })}
      </Text>
      <Badge variant="light" color="gray" tt="none">
        {pluralize(events.length, "event")}
      </Badge>
      {kind !== "sessionId" && (
        <TextLink to="/analytics/visitor" search={{ sourceId, sessionId }} size="sm">
          Open session
        </TextLink>
      )}
    </Group>
  );
}
