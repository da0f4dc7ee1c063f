/** The events page: what a source sends (its event catalogue), and what it should send (its tracking plan). */
import type { DebugData, EventCatalog, PlanVersion, Source } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { alertsQuery, healthQuery } from "../../queries.ts";
import { formatCount, pluralize } from "../../ui/format-count.ts";
import { Icon } from "../../ui/icon.tsx";
import { EmptyState, QueryResult } from "../../ui/page-states.tsx";
import { Badge, Paper, Stack, Table, Text } from "../../ui/primitives/elements.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { InstallPrompt } from "../sources/install-prompt.tsx";
import { SourcePage } from "../sources/source-page.tsx";
import { EventDialog } from "./event-dialog.tsx";
import "./events.css";
import { type KnownEvent, knownEvents, modeOf, unplannedText } from "./plan-events.ts";
import { PlanPanel } from "./plan-panel.tsx";
import { eventCatalogQuery, planQuery } from "./plan-queries.ts";
import { readRows } from "./plan-table.ts";

/** How often the catalogue of a source without events is polled. */
const FIRST_EVENT_POLL_MS = 3_000;

export const EventsPage = () => (
  <SourcePage title="Events" permission="debug:read">
    {(source) => <Events source={source} />}
  </SourcePage>
);

function Events({ source }: { readonly source: Source }) {
  const catalog = useQuery({
    ...eventCatalogQuery(source.sourceId),
    refetchInterval: ({ state }) => state.data?.events.length === 0 && FIRST_EVENT_POLL_MS,
  });
  const plan = useQuery(planQuery(source.sourceId));
  return (
    <QueryResult query={catalog} rows={8}>
      {(seen) => (
        <QueryResult query={plan} rows={8}>
          {(version) => <LoadedEvents source={source} catalog={seen} version={version} />}
        </QueryResult>
      )}
    </QueryResult>
  );
}

interface LoadedEventsProps {
  readonly source: Source;
  readonly catalog: EventCatalog;
  readonly version: PlanVersion;
}

function LoadedEvents({ source, catalog, version }: LoadedEventsProps) {
  const [openedName, setOpenedName] = useState<string | null>(null);
  const events = knownEvents(catalog.events, version.plan);
  const opened = events.find(({ name }) => name === openedName);
  const { data: health } = useQuery(healthQuery(source.sourceId));
  const violationsOf = (event: string) =>
    health?.planViolations.filter((violation) => violation.event === event) ?? [];
  const { data: open } = useQuery(alertsQuery(source.sourceId));
  const stopped = open?.alerts.flatMap(({ stoppedEvents }) => stoppedEvents) ?? [];
  const close = () => setOpenedName(null);
  if (events.length === 0 && version.version === 0)
    return (
      <InstallPrompt title="No events yet" sourceId={source.sourceId} awaited="event">
        Accepted events and their properties appear here within a few seconds.
      </InstallPrompt>
    );
  return (
    <Stack gap="md">
      <PlanPanel
        source={source}
        version={version}
        violations={health ? countOf(health.planViolations) : null}
      />
      {events.length === 0 ? (
        <EmptyState title="No events yet">
          Accepted and planned events appear here. Open your site to send the first one.
        </EmptyState>
      ) : (
        <EventTable
          events={events}
          version={version}
          violationsOf={violationsOf}
          stopped={stopped}
          onOpen={setOpenedName}
        />
      )}
      {catalog.otherEvents > 0 && (
        <Text size="sm" c="dimmed">
          The list holds at most {LIMITS.maxCatalogEvents} names. {pluralize(catalog.otherEvents, "event")}{" "}
          with other names {catalog.otherEvents === 1 ? "is" : "are"} not listed.
        </Text>
      )}
      {opened && (
        <EventDialog
          key={opened.name}
          source={source}
          version={version}
          event={opened}
          violations={violationsOf(opened.name)}
          onClose={close}
        />
      )}
    </Stack>
  );
}

interface EventTableProps {
  readonly events: readonly KnownEvent[];
  readonly version: PlanVersion;
  readonly violationsOf: (event: string) => DebugData["planViolations"];
  /** The names of events that came every such weekday and come no more. */
  readonly stopped: readonly string[];
  readonly onOpen: (name: string) => void;
}

/** @returns for example `3, 1 not in the plan`; the properties of events that are not in the plan are only counted */
function describeProperties({ planned, seen }: KnownEvent): string {
  const rows = readRows(planned?.schema ?? {}, seen);
  const missing = planned ? rows.filter(({ isPlanned }) => !isPlanned).length : 0;
  return missing > 0 ? `${rows.length}, ${missing} not in the plan` : String(rows.length);
}

const EventTable = ({ events, version, violationsOf, stopped, onOpen }: EventTableProps) => (
  <Paper>
    <ScrollRegion label="Events">
      <Table className="events-table" verticalSpacing="sm" horizontalSpacing="lg">
        <thead>
          <tr>
            <th>Event</th>
            <th title="Imported events are not counted.">Accepted, all time</th>
            <th>Last received</th>
            <th>Properties</th>
            <th>Violations, all time</th>
            <th>Plan</th>
            <th>
              <span className="visually-hidden">Details</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            // a click on the button in the row is a click on the row, too
            <tr key={event.name} onClick={() => onOpen(event.name)}>
              <td title={event.name}>
                <button type="button" className="event-name">
                  <span className="clamp">{event.name}</span>
                </button>
              </td>
              <td>{event.seen ? formatCount(event.seen.events) : "—"}</td>
              <td>
                <RelativeTime at={event.seen?.lastSeenAt ?? null} />{" "}
                {stopped.includes(event.name) && <Badge color="yellow">Stopped</Badge>}
              </td>
              <td>{describeProperties(event)}</td>
              <td>
                <ViolationCount violations={violationsOf(event.name)} />
              </td>
              <td>
                <PlanBadge
                  event={event}
                  version={version}
                  isViolated={countOf(violationsOf(event.name)) > 0}
                />
              </td>
              <td>
                <Icon name="chevronRight" />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </ScrollRegion>
  </Paper>
);

const countOf = (violations: DebugData["planViolations"]): number =>
  violations.reduce((sum, { events }) => sum + events, 0);

function ViolationCount({ violations }: { readonly violations: DebugData["planViolations"] }) {
  const count = countOf(violations);
  return <span className={count === 0 ? "dimmed" : undefined}>{formatCount(count)}</span>;
}

/** What the plan did with events that violated it. */
const VIOLATED = {
  off: null,
  warn: { label: "Warns", color: "yellow" },
  reject: { label: "Rejects violations", color: "red" },
} as const;

interface PlanBadgeProps {
  readonly event: KnownEvent;
  readonly version: PlanVersion;
  /** Only events that violated the plan have a colour. */
  readonly isViolated: boolean;
}

function PlanBadge({ event, version, isViolated }: PlanBadgeProps) {
  const mode = modeOf(event, version.plan);
  const badge = mode && isViolated ? VIOLATED[mode] : null;
  if (badge) return <Badge color={badge.color}>{badge.label}</Badge>;
  return (
    <Text component="span" size="sm" c="dimmed">
      {mode === null ? unplannedText(event.name) : mode === "off" ? "Not checked" : "Planned"}
    </Text>
  );
}
