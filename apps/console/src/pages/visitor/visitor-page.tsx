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
import { useVisitorOrigin } from "./opened-from.ts";
import { SessionHead } from "./session-head.tsx";
import {
  KINDS,
  type Subject,
  useStoredEvents,
  VISITOR_TITLES,
  type VisitorSubject,
} from "./use-stored-events.ts";
import "./visitor.css";
import { VisitorSummary } from "./visitor-summary.tsx";

interface VisitorParams extends Partial<Record<Subject["kind"], string>> {
  readonly sourceId?: string;
  /** The `eventId` of the event that a link leads to. */
  readonly event?: string;
}

export function VisitorPage() {
  const params = useSearch({ strict: false }) as VisitorParams;
  const origin = useVisitorOrigin(params.sourceId ?? "", params.name !== undefined);
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
              There are no events of the {VISITOR_TITLES[kind].toLowerCase()} “<bdi>{subject.id}</bdi>”. They
              may have been erased, have expired, or not be stored yet.
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
            {groupBySession(events).map(([sessionId, ofSession]) => (
              <Paper key={sessionId} component="section" aria-label={`Session ${sessionId}`}>
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
            <EraseSection source={source} ids={kind === "sessionId" ? ids : [{ kind, id: subject.id }]} />
          </Stack>
        );
      }}
    </QueryResult>
  );
}

/** The session that began last is first. The events of each are in order. */
const groupBySession = (events: readonly ListedEvent[]): readonly (readonly [string, ListedEvent[]])[] =>
  [...Map.groupBy(events, ({ sessionId }) => sessionId)].reverse();

/** The ids of visitors in the events. `$none` is the id of no single visitor. */
function idsOf(events: readonly ListedEvent[]): readonly ErasableId[] {
  const anonymous = new Set(events.map(({ anonymousId }) => anonymousId).filter((one) => one !== "$none"));
  const users = new Set(events.flatMap(({ userId }) => userId ?? []));
  return [
    ...[...users].map((one) => ({ kind: "userId" as const, id: one })),
    ...[...anonymous].map((one) => ({ kind: "anonymousId" as const, id: one })),
  ];
}
