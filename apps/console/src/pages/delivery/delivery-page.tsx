/** The delivery page: which share of a source's events arrived, why others were lost, and what can be recovered. */
import type { DeliveryDay, DeliveryDimension, Source } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { numberFormatter } from "../../own-format.ts";
import { formatCount, pluralize } from "../../ui/format-count.ts";
import { EmptyState, QueryResult } from "../../ui/page-states.tsx";
import { Paper, Stack, Table, Text, Title } from "../../ui/primitives/elements.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { SectionHeader } from "../../ui/section-header.tsx";
import { Switcher } from "../../ui/switcher.tsx";
import { TextWithCode } from "../../ui/text-with-code.tsx";
import { DayColumns } from "../events/day-columns.tsx";
import { InstallPrompt, usePollForFirstEvent } from "../sources/install-prompt.tsx";
import { SourcePage } from "../sources/source-page.tsx";
import { formatDays } from "../stats/format.ts";
import { readDays } from "../stats/view-range.ts";
import { causeFor } from "./causes.ts";
import {
  addUp,
  type DeliveryDays,
  deliveryQuery,
  lastDays,
  lostOf,
  rateOf,
  statementDays,
  total,
  useNumbered,
} from "./delivery-query.ts";
import { OpenAlerts } from "./open-alerts.tsx";
import { Recovery } from "./recovery.tsx";
import "./delivery.css";

const RANGES = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
];
const formatPercent = numberFormatter({ style: "percent", maximumFractionDigits: 2 });

export const DeliveryPage = () => (
  <SourcePage title="Delivery" permission="sources:read">
    {(source) =>
      source.lastEventAt === null ? <NoEventsYet source={source} /> : <Delivery source={source} />
    }
  </SourcePage>
);

/** Rejected events can be kept before one is accepted. */
function NoEventsYet({ source }: { readonly source: Source }) {
  const { sourceId } = source;
  usePollForFirstEvent(sourceId);
  return (
    <Stack>
      <OpenAlerts sourceId={sourceId} />
      <InstallPrompt title="No events yet" sourceId={sourceId} awaited="event">
        The numbers of accepted, rejected and lost events appear here after the first accepted event.
      </InstallPrompt>
      <Recovery source={source} days={[]} />
    </Stack>
  );
}

/** The parameter `days` has the days that a link leads to, such as `2026-11-01..2026-11-30`. */
function Delivery({ source }: { readonly source: Source }) {
  const { sourceId } = source;
  const search = useSearch({ strict: false }) as { days?: string };
  const linked = readDays(search.days);
  const [range, setRange] = useState(linked ? "linked" : "7");
  const days = linked && range === "linked" ? statementDays(linked) : lastDays(Number(range));
  const options = linked
    ? [{ value: "linked", label: formatDays(statementDays(linked), "short") }, ...RANGES]
    : RANGES;
  const query = useQuery(deliveryQuery(sourceId, days));
  return (
    <Stack>
      <OpenAlerts sourceId={sourceId} />
      <div>
        <Switcher label="Range" options={options} value={range} onChange={setRange} />
      </div>
      <QueryResult query={query} rows={6}>
        {(statement) =>
          rateOf(statement.days) === null ? (
            <>
              <EmptyState title="No events">
                No events were accepted or lost in this range. Choose another range.
              </EmptyState>
              <Recovery source={source} days={[]} />
            </>
          ) : (
            <>
              <Rate sourceId={sourceId} range={days} days={statement.days} />
              <div className="delivery-cards">
                <LostCauses days={statement.days} />
                <div className="delivery-side">
                  <RejectedCauses days={statement.days} />
                  <Recovery source={source} days={statement.days} />
                </div>
                <Worst sourceId={sourceId} days={days} by="page" title="Pages with the most lost events" />
                <Worst
                  sourceId={sourceId}
                  days={days}
                  by="browser"
                  title="Browsers with the most lost events"
                />
                <Whereabouts days={statement.days} />
              </div>
            </>
          )
        }
      </QueryResult>
    </Stack>
  );
}

interface DaysProps {
  readonly days: readonly DeliveryDay[];
}

const sumOf = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, events) => sum + events, 0);

interface RateProps extends DaysProps {
  readonly sourceId: string;
  readonly range: DeliveryDays;
}

/**
 * @param all events that arrived or were lost
 * @param numbered how many of them have numbers, so that their losses can be counted; undefined: it is not known yet
 */
function shareOf(lost: number, all: number, numbered: number | undefined): string {
  const ofAll = `${formatPercent(lost / all)} of all events`;
  if (!numbered || numbered >= all) return ofAll;
  return `${ofAll}, ${formatPercent(lost / numbered)} of the ${formatCount(numbered)} numbered ones`;
}

function Rate({ sourceId, range, days }: RateProps) {
  const numbered = useNumbered(sourceId, range);
  const lost = days.map((day) => ({ day: day.day, count: lostOf(day) }));
  const allLost = total(days, lostOf);
  const accepted = total(days, (day) => day.accepted);
  const rejected = total(days, (day) => sumOf(day.rejected));
  return (
    <Paper p="lg" component="section" aria-label="Rate">
      <div className="delivery-sums">
        <Sum name="Accepted" events={accepted} hint="In this range" />
        <Sum
          name="Lost"
          events={allLost}
          hint={
            allLost === 0 ? "No lost events were reported" : shareOf(allLost, accepted + allLost, numbered)
          }
          isBad={allLost > 0}
        />
        {rejected > 0 && <Sum name="Rejected" events={rejected} hint="Reported by clients" isBad />}
      </div>
      <Text size="sm" c="dimmed">
        Losses can be counted only for clients that number their events, as Headwater’s own clients do.
      </Text>
      {allLost > 0 && (
        <div className="delivery-days">
          <Title order={2} size="h5" mb="xs">
            Lost events by UTC day
          </Title>
          <DayColumns
            label="Lost events by UTC day"
            days={lost}
            describe={(count) => pluralize(count, "lost event")}
          />
        </div>
      )}
    </Paper>
  );
}

interface SumProps {
  readonly name: string;
  readonly events: number;
  readonly hint: ReactNode;
  /** Something is to be done. */
  readonly isBad?: boolean;
}

const Sum = ({ name, events, hint, isBad = false }: SumProps) => (
  <div data-color={isBad ? "red" : undefined}>
    <Text size="sm" c="dimmed">
      {name}
    </Text>
    <Text size="xl" fw={650} className="delivery-sum">
      {formatCount(events)}
    </Text>
    <Text size="sm" c="dimmed">
      {hint}
    </Text>
  </div>
);

interface CausesProps {
  readonly title: string;
  readonly causes: readonly (readonly [code: string, events: number])[];
}

/** Why events are not in the stats, the most frequent cause first. */
function Causes({ title, causes }: CausesProps) {
  const rows = causes.filter(([, events]) => events > 0).toSorted(([, one], [, other]) => other - one);
  const most = Math.max(...rows.map(([, events]) => events));
  if (rows.length === 0) return null;
  return (
    <Figures title={title} hint="The causes, and what to do about each.">
      {rows.map(([code, events]) => {
        const { title: name, advice } = causeFor(code);
        return (
          <tr key={code}>
            <td>
              {name}
              <span className="figures-bar" aria-hidden>
                <span style={{ width: `${(events / most) * 100}%` }} />
              </span>
              <Text size="sm" c="dimmed">
                <TextWithCode text={advice} />
              </Text>
            </td>
            <td>{formatCount(events)}</td>
          </tr>
        );
      })}
    </Figures>
  );
}

const LostCauses = ({ days }: DaysProps) => (
  <Causes
    title={`Lost: ${formatCount(total(days, lostOf))}`}
    causes={[
      ...addUp(days.map(({ dropped }) => dropped)),
      ["missing", total(days, ({ missing }) => missing)],
    ]}
  />
);

const RejectedCauses = ({ days }: DaysProps) => (
  <Causes
    title={`Rejected: ${formatCount(total(days, (day) => sumOf(day.rejected)))}`}
    causes={addUp(days.map(({ rejected }) => rejected))}
  />
);

const PLACES = [
  ["In the warehouse", "inWarehouse"],
  ["Missing from the warehouse", "lostInWarehouse"],
  ["Erased with the visitor’s data", "erased"],
  ["Deleted after the retention period", "expired"],
  ["On their way to the warehouse", "waiting"],
] as const;

const Whereabouts = ({ days }: DaysProps) => (
  <Figures title="Accepted" hint="Where the accepted events are now.">
    {PLACES.map(([label, name]) => (
      <tr key={name}>
        <td>{label}</td>
        <td>{formatCount(total(days, (day) => day[name]))}</td>
      </tr>
    ))}
  </Figures>
);

interface WorstProps {
  readonly sourceId: string;
  readonly days: DeliveryDays;
  readonly by: DeliveryDimension;
  readonly title: string;
}

function Worst({ sourceId, days, by, title }: WorstProps) {
  const { data } = useQuery(deliveryQuery(sourceId, days, by));
  const worst = (data?.values ?? []).filter(({ lost }) => lost > 0);
  if (worst.length === 0) return null;
  const heads = (
    <tr>
      <th>{by === "page" ? "Page" : "Browser"}</th>
      <th>Lost</th>
      <th>Numbered</th>
    </tr>
  );
  return (
    <Figures title={title} hint="Counts only events that clients numbered." heads={heads}>
      {worst.map(({ value, accepted, lost }) => (
        <tr key={value}>
          <td className="wrap">{value ?? "Unknown"}</td>
          <td>{formatCount(lost)}</td>
          <td>{formatCount(accepted + lost)}</td>
        </tr>
      ))}
    </Figures>
  );
}

interface DeliveryFiguresProps {
  readonly title: string;
  readonly hint: string;
  readonly heads?: ReactNode;
  readonly children: ReactNode;
}

const Figures = ({ title, hint, heads, children }: DeliveryFiguresProps) => (
  <Paper p="lg" component="section" aria-label={title}>
    <SectionHeader title={title}>{hint}</SectionHeader>
    <ScrollRegion label={`${title}: figures`}>
      <Table className="figures">
        {heads && <thead>{heads}</thead>}
        <tbody>{children}</tbody>
      </Table>
    </ScrollRegion>
  </Paper>
);
