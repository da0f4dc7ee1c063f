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
  useKept,
} from "./delivery-query.ts";
import { OpenAlerts } from "./open-alerts.tsx";
import { KeptEventsLink, Recovery } from "./recovery.tsx";
import "./delivery.css";

const RANGES = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
];
const formatPercent = numberFormatter({ style: "percent", maximumFractionDigits: 2 });
/** A rate below 100 % is never rounded to it. */
const formatRate = (rate: number) => formatPercent(rate < 1 ? Math.min(rate, 0.9999) : rate);

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
        Accepted, rejected and lost events are counted here from the first event on.
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
                No events arrived in this range. Choose a longer range.
              </EmptyState>
              <Recovery source={source} days={[]} />
            </>
          ) : (
            <>
              <Rate source={source} days={statement.days} />
              <div className="delivery-cards">
                <Losses days={statement.days} />
                <Recovery source={source} days={statement.days} />
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
  readonly source: Source;
}

function Rate({ source, days }: RateProps) {
  const lost = days.map((day) => ({ day: day.day, count: lostOf(day) }));
  const all = total(days, lostOf);
  return (
    <Paper p="lg" component="section" aria-label="Rate">
      <div className="delivery-sums">
        <Sum name="Accepted" events={total(days, ({ accepted }) => accepted)} hint="In this range" />
        <Rejected source={source} rejected={total(days, (day) => sumOf(day.rejected))} />
        <Sum
          name="Lost"
          events={all}
          hint={
            all === 0 ? "No lost events were reported" : `${formatRate(rateOf(days) ?? 1)} of events arrived`
          }
          isBad={all > 0}
        />
      </div>
      <Text size="sm" c="dimmed">
        Headwater can count losses only for clients that send sequence numbers, as its own do.
      </Text>
      {all > 0 && (
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
  <div data-color={isBad ? "yellow" : undefined}>
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

interface RejectedProps {
  readonly source: Source;
  /** Events of the range that the service rejected, as their clients report them. */
  readonly rejected: number;
}

/** The rejected events of the range, and below them the kept ones of all days, which may have come in refused requests. */
function Rejected({ source: { sourceId }, rejected }: RejectedProps) {
  const kept = useKept(sourceId)?.events ?? 0;
  const hint =
    kept === 0 ? (
      "In this range"
    ) : (
      <>
        {pluralize(kept, "kept event")}, including refused requests. <KeptEventsLink sourceId={sourceId} />
      </>
    );
  return <Sum name="Rejected" events={rejected} hint={hint} isBad={rejected > 0} />;
}

function Losses({ days }: DaysProps) {
  const rows = [
    ...addUp(days.map(({ dropped }) => dropped)),
    ["missing", total(days, ({ missing }) => missing)] as const,
    ...addUp(days.map(({ rejected }) => rejected)),
    ["stillPossible", total(days, ({ stillPossible }) => stillPossible)] as const,
  ]
    .filter(([, events]) => events > 0)
    .sort(([, one], [, other]) => other - one);
  if (rows.length === 0) return null;
  return (
    <Figures title="Lost and rejected" hint="The reported causes, and what to do.">
      {rows.map(([code, events]) => {
        const { title, advice } = causeFor(code);
        return (
          <tr key={code}>
            <td>
              {title}
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

const PLACES = [
  ["In the warehouse", "inWarehouse"],
  ["Lost in the warehouse", "lostInWarehouse"],
  ["Erased with a visitor", "erased"],
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
  return (
    <Figures title={title} hint="Lost events, and the share of events that arrived.">
      {worst.map(({ value, accepted, lost }) => (
        <tr key={value}>
          <td className="wrap">{value ?? "Unknown"}</td>
          <td>
            {formatCount(lost)} · {formatRate(accepted / (accepted + lost))}
          </td>
        </tr>
      ))}
    </Figures>
  );
}

interface DeliveryFiguresProps {
  readonly title: string;
  readonly hint: string;
  readonly children: ReactNode;
}

const Figures = ({ title, hint, children }: DeliveryFiguresProps) => (
  <Paper p="lg" component="section" aria-label={title}>
    <SectionHeader title={title}>{hint}</SectionHeader>
    <ScrollRegion label={`${title}: figures`}>
      <Table className="figures">
        <tbody>{children}</tbody>
      </Table>
    </ScrollRegion>
  </Paper>
);
