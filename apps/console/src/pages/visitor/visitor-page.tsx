/** The stored events of one session or one visitor, in order, and the erasure of the visitor; or the latest events of one name. */
import type { ListedEvent, Source } from "@headwater/contract";
import { useSearch } from "@tanstack/react-router";
import { TextLink } from "../../ui/links.tsx";
import { EmptyState, QueryResult } from "../../ui/page-states.tsx";
import { Paper, Stack } from "../../ui/primitives/elements.tsx";
import { ShowMoreButton } from "../../ui/show-more-button.tsx";
import { SourcePage } from "../sources/source-page.tsx";
import { BackLink } from "./back-link.tsx";
import { type ErasableId, EraseSection } from "./erase-section.tsx";
import { EventRow } from "./event-row.tsx";
import { FindVisitor } from "./find-visitor.tsx";
import { LatestEvents } from "./latest-events.tsx";
import { useVisitorOrigin, type VisitorAddress } from "./opened-from.ts";
import { SessionHead } from "./session-head.tsx";
import { SessionLine } from "./session-line.tsx";
import { KINDS, useStoredEvents, VISITOR_TITLES, type VisitorSubject } from "./use-stored-events.ts";
import "./visitor.css";
import { VisitorSummary } from "./visitor-summary.tsx";

interface VisitorParams extends VisitorAddress, Partial<Record<VisitorSubject["kind"], string>> {
  /** The `eventId` of the event that a link leads to. */
  readonly event?: string;
}

export function VisitorPage() {
  const params = useSearch({ strict: false }) as VisitorParams;
  const origin = useVisitorOrigin(params);
  return (
    <SourcePage title="Visitor" permission="export:read" {...(origin && { tab: origin.tab })}>
      {(source) => (
        <Stack gap="md">
          {origin && <BackLink origin={origin} />}
          <Visitor source={source} params={params} />
        </Stack>
      )}
    </SourcePage>
  );
}

function Visitor({ source, params }: { readonly source: Source; readonly params: VisitorParams }) {
  const kind = KINDS.find((name) => params[name] !== undefined);
  const id = kind === undefined ? undefined : params[kind];
  if (kind === undefined || id === undefined) return <FindVisitor sourceId={source.sourceId} />;
  if (kind === "name") return <LatestEvents key={id} source={source} name={id} />;
  const linked = params.event ?? null;
  return <Events key={`${kind} ${id}`} source={source} subject={{ kind, id }} linked={linked} />;
}

interface EventsProps {
  readonly source: Source;
  readonly subject: VisitorSubject;
  readonly linked: string | null;
}

function Events({ source, subject, linked }: EventsProps) {
  const { sourceId } = source;
  const { kind } = subject;
  const query = useStoredEvents(sourceId, subject);
  return (
    <QueryResult query={query} rows={6}>
      {({ pages }) => {
        const loaded = pages.flatMap((page) => page.events);
        // the figures and the rows of a session are of events in the order in which they happened
        const events = kind === "sessionId" ? loaded : loaded.toReversed();
        if (events.length === 0)
          return (
            <EmptyState
              title="No stored events"
              action={
                <TextLink to="/analytics/visitor" search={{ sourceId }} size="sm">
                  Find another visitor
                </TextLink>
              }
            >
              No events from the {VISITOR_TITLES[kind].toLowerCase()} “<bdi>{subject.id}</bdi>” were found.
              The ID may be wrong, or the events were erased, have expired or are not stored yet.
            </EmptyState>
          );
        const ids = idsOf(events);
        return (
          <Stack gap="md">
            <VisitorSummary
              sourceId={sourceId}
              subject={subject}
              events={events}
              hasMore={query.hasNextPage}
              ids={ids}
            />
            {groupBySession(events, kind).map((sessions) => (
              <Sessions key={sessions[0]?.[0]} {...{ sourceId, kind, linked, sessions }} />
            ))}
            <ShowMoreButton query={query} />
            <EraseSection source={source} ids={kind === "sessionId" ? ids : [{ kind, id: subject.id }]} />
          </Stack>
        );
      }}
    </QueryResult>
  );
}

type SessionEvents = readonly [sessionId: string, events: readonly ListedEvent[]];

interface SessionsProps {
  readonly sourceId: string;
  readonly kind: VisitorSubject["kind"];
  readonly linked: string | null;
  /** One session, or several with one event each. */
  readonly sessions: readonly SessionEvents[];
}

function Sessions({ sourceId, kind, linked, sessions }: SessionsProps) {
  if (isShort(sessions[0], kind))
    return (
      <Paper component="section" aria-label="Sessions with one event">
        <ol className="visit-events">
          {sessions.map(
            ([sessionId, [event]]) =>
              event && <SessionLine key={sessionId} sourceId={sourceId} event={event} />,
          )}
        </ol>
      </Paper>
    );
  return sessions.map(([sessionId, events]) => (
    <Paper key={sessionId} component="section" aria-label={`Session ${sessionId}`}>
      <SessionHead sourceId={sourceId} sessionId={sessionId} events={events} kind={kind} />
      <ol className="visit-events">
        {events.map((event) => (
          <EventRow key={event.analyticsEventId} event={event} isLinked={event.eventId === linked} />
        ))}
      </ol>
    </Paper>
  ));
}

const isShort = (session: SessionEvents | undefined, kind: VisitorSubject["kind"]): boolean =>
  kind !== "sessionId" && session?.[1].length === 1;

/** The session that began last is first. The events of each are in order. Those with one event that follow one another are together. */
function groupBySession(events: readonly ListedEvent[], kind: VisitorSubject["kind"]): SessionEvents[][] {
  const groups: SessionEvents[][] = [];
  for (const session of [...Map.groupBy(events, ({ sessionId }) => sessionId)].reverse()) {
    const last = groups.at(-1);
    if (last && isShort(session, kind) && isShort(last[0], kind)) last.push(session);
    else groups.push([session]);
  }
  return groups;
}

/** The ids of visitors in the events. `$none` is the id of no single visitor. */
function idsOf(events: readonly ListedEvent[]): readonly ErasableId[] {
  const anonymous = new Set(events.map(({ anonymousId }) => anonymousId).filter((one) => one !== "$none"));
  const users = new Set(events.flatMap(({ userId }) => userId ?? []));
  return [
    ...[...users].map((one) => ({ kind: "userId" as const, id: one })),
    ...[...anonymous].map((one) => ({ kind: "anonymousId" as const, id: one })),
  ];
}
