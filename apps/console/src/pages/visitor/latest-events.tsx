/** The latest events with one name, each with the visitor that it is of. */
import type { ListedEvent, Source } from "@headwater/contract";
import { dateFormat } from "../../own-format.ts";
import { EmptyState, QueryResult } from "../../ui/page-states.tsx";
import { Paper, Stack, Title } from "../../ui/primitives/elements.tsx";
import { ShowMoreButton } from "../../ui/show-more-button.tsx";
import { EventRow } from "./event-row.tsx";
import { shortenId, useStoredEvents } from "./use-stored-events.ts";
import { VisitorLink } from "./visitor-link.tsx";

interface LatestEventsProps {
  readonly source: Source;
  readonly name: string;
}

const PAGE_EVENTS = 25;
const fullDay = dateFormat({ dateStyle: "full" });
const formatDay = ({ occurredAt }: ListedEvent) => fullDay().format(new Date(occurredAt));

export function LatestEvents({ source: { sourceId }, name }: LatestEventsProps) {
  const query = useStoredEvents(sourceId, { kind: "name", id: name }, PAGE_EVENTS);
  return (
    <QueryResult query={query} rows={6}>
      {({ pages }) => {
        const events = pages.flatMap((page) => page.events);
        if (events.length === 0)
          return (
            <EmptyState title="No stored events">
              Events named “<bdi>{name}</bdi>” may have been erased, may have expired, or may not have reached
              the warehouse yet.
            </EmptyState>
          );
        return (
          <Stack gap="md">
            <Title order={2} size="h5" className="clamp" title={name}>
              Latest “<bdi>{name}</bdi>” events
            </Title>
            <Paper className="latest-events">
              <div className="visit-event visit-columns" aria-hidden>
                <span>Time</span>
                <span>Page</span>
                <span>From</span>
                <span>Properties</span>
                <span>Visitor</span>
              </div>
              {[...Map.groupBy(events, formatDay)].map(([day, ofDay]) => (
                <section key={day} aria-label={day}>
                  <div className="visit-day">{day}</div>
                  <ol className="visit-events">
                    {ofDay.map((event) => (
                      <EventRow key={event.analyticsEventId} event={event} isLinked={false} hasNoName>
                        <VisitorLink
                          search={{ sourceId, sessionId: event.sessionId, event: event.eventId }}
                          className="visit-link"
                          title={event.userId ?? event.anonymousId}
                        >
                          {shortenId(event.userId ?? event.anonymousId)}
                        </VisitorLink>
                      </EventRow>
                    ))}
                  </ol>
                </section>
              ))}
            </Paper>
            <ShowMoreButton query={query} />
          </Stack>
        );
      }}
    </QueryResult>
  );
}
