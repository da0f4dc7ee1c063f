/** The delivery page: which share of a source's events arrived, what was lost and why, and where the accepted ones are. */
import type { DeliveryDay, DeliveryDimension } from "@headwater/contract";
import { EVENT_CODES, LOSS_CAUSES } from "@headwater/contract/event-codes";
import { Box, Paper, SimpleGrid, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { formatCount, numberFormatter, pluralize } from "../../ui/format-count.ts";
import { EmptyState, QueryResult } from "../../ui/page-states.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { SectionHeader } from "../../ui/section-header.tsx";
import { Switcher } from "../../ui/switcher.tsx";
import { DayColumns } from "../events/day-columns.tsx";
import { SourcePage } from "../sources/source-page.tsx";
import { addUp, deliveryQuery, lostOf, rateOf } from "./delivery-query.ts";
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
    {({ sourceId }) => <Delivery sourceId={sourceId} />}
  </SourcePage>
);

interface DeliveryProps {
  readonly sourceId: string;
}

function Delivery({ sourceId }: DeliveryProps) {
  const [days, setDays] = useState("7");
  const query = useQuery(deliveryQuery(sourceId, Number(days)));
  return (
    <Stack>
      <div>
        <Switcher label="Range" options={RANGES} value={days} onChange={setDays} />
      </div>
      <QueryResult query={query} rows={6}>
        {(statement) =>
          rateOf(statement.days) === null ? (
            <EmptyState title="No events">No event of these days is known.</EmptyState>
          ) : (
            <>
              <Rate days={statement.days} />
              <SimpleGrid cols={{ base: 1, md: 2 }}>
                <Losses days={statement.days} />
                <Whereabouts days={statement.days} />
                <Worst sourceId={sourceId} days={Number(days)} by="page" title="Worst pages" />
                <Worst sourceId={sourceId} days={Number(days)} by="browser" title="Worst browsers" />
              </SimpleGrid>
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

function Rate({ days }: DaysProps) {
  const lost = days.map((day) => ({ day: day.day, count: lostOf(day) }));
  return (
    <Paper withBorder p="lg" component="section" aria-label="Rate">
      <Text size="xl" fw={650}>
        {formatRate(rateOf(days) ?? 1)} of events arrived
      </Text>
      <Text size="sm" c="dimmed">
        Losses are known for clients that number their events. Lost events by UTC day:
      </Text>
      <Box mt="md">
        <DayColumns
          label="Lost events by day"
          days={lost}
          describe={(count) => pluralize(count, "lost event")}
        />
      </Box>
    </Paper>
  );
}

const total = (days: readonly DeliveryDay[], read: (day: DeliveryDay) => number) =>
  days.reduce((sum, day) => sum + read(day), 0);

const MEANINGS: Readonly<Record<string, string>> = { ...LOSS_CAUSES, ...EVENT_CODES };

function Losses({ days }: DaysProps) {
  const rows = [
    ...addUp(days.map(({ dropped }) => dropped)),
    ...addUp(days.map(({ rejected }) => rejected)),
    ["missing", total(days, ({ missing }) => missing)] as const,
    ["still possible", total(days, ({ stillPossible }) => stillPossible)] as const,
  ];
  const meanings = {
    ...MEANINGS,
    missing: "Nobody has reported why the event did not arrive.",
    "still possible": "The event may still wait in the queue of its client.",
  };
  return (
    <Figures title="Not arrived" hint="What clients report, and the numbers that are not there.">
      {rows.map(([cause, events]) => (
        <Table.Tr key={cause}>
          <Table.Td>
            {cause}
            <Text size="sm" c="dimmed">
              {meanings[cause as keyof typeof meanings]}
            </Text>
          </Table.Td>
          <Table.Td>{formatCount(events)}</Table.Td>
        </Table.Tr>
      ))}
    </Figures>
  );
}

const PLACES = [
  ["In the warehouse", "inWarehouse"],
  ["Lost in the warehouse", "lostInWarehouse"],
  ["Erased with their visitors", "erased"],
  ["Expired", "expired"],
  ["On their way", "waiting"],
] as const;

const Whereabouts = ({ days }: DaysProps) => (
  <Figures title="Accepted" hint="Where the accepted events are.">
    {PLACES.map(([label, name]) => (
      <Table.Tr key={name}>
        <Table.Td>{label}</Table.Td>
        <Table.Td>{formatCount(total(days, (day) => day[name]))}</Table.Td>
      </Table.Tr>
    ))}
  </Figures>
);

interface WorstProps extends DeliveryProps {
  readonly days: number;
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
        <Table.Tr key={value}>
          <Table.Td className="wrap">{value ?? "Unknown"}</Table.Td>
          <Table.Td>
            {formatCount(lost)} · {formatRate(accepted / (accepted + lost))}
          </Table.Td>
        </Table.Tr>
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
  <Paper withBorder p="lg" component="section" aria-label={title}>
    <SectionHeader title={title}>{hint}</SectionHeader>
    <ScrollRegion label={`${title}: figures`}>
      <Table className="figures">
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </ScrollRegion>
  </Paper>
);
