/** The usage as tables: by source, by source and day, and by month. */
import { Button, Paper, Table, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { formatBytes, formatCount, formatWholePercent } from "../../ui/format-count.ts";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import {
  formatPeriod,
  type PeriodUsage,
  sumByMonth,
  sumBySource,
  type WorkspaceUsage,
} from "./usage-rows.ts";
import "./usage.css";

/** How many rows are shown at first. */
const FIRST_ROWS = 60;

interface DayTableProps {
  readonly usage: WorkspaceUsage;
  /** Names by source id; deleted sources are missing. */
  readonly names: ReadonlyMap<string, string>;
}

/** The headings of `FigureCells`. */
const FigureHeads = ({ beside }: { readonly beside?: string }) => (
  <>
    <Table.Th ta="right">Events</Table.Th>
    {beside !== undefined && <Table.Th ta="right">{beside}</Table.Th>}
    <Table.Th ta="right" className="minor">
      Visit starts
    </Table.Th>
    <Table.Th ta="right">Data received</Table.Th>
  </>
);

interface FigureCellsProps {
  readonly figures: Pick<PeriodUsage, "accepted" | "bootstraps" | "bytes">;
  /** A further cell after the events. */
  readonly beside?: ReactNode;
}

const FigureCells = ({ figures: { accepted, bootstraps, bytes }, beside }: FigureCellsProps) => (
  <>
    <Table.Td ta="right">{formatCount(accepted)}</Table.Td>
    {beside !== undefined && <Table.Td ta="right">{beside}</Table.Td>}
    <Table.Td ta="right" className="minor">
      {formatCount(bootstraps)}
    </Table.Td>
    <Table.Td ta="right">{formatBytes(bytes)}</Table.Td>
  </>
);

/** A row for each source with its sums of the range. */
export const SourceTable = ({ usage, names }: DayTableProps) => (
  <Paper withBorder>
    <ScrollRegion label="Usage by source">
      <Table horizontalSpacing="lg" className="usage-table">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Source</Table.Th>
            <FigureHeads beside="Share" />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sumBySource(usage).map((sums) => (
            <Table.Tr key={sums.sourceId}>
              <Table.Td>
                <SourceName sourceId={sums.sourceId} names={names} />
              </Table.Td>
              <FigureCells
                figures={sums}
                beside={usage.accepted === 0 ? "—" : formatWholePercent(sums.accepted / usage.accepted)}
              />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  </Paper>
);

const SourceName = ({ sourceId, names }: Pick<DayTableProps, "names"> & { readonly sourceId: string }) => (
  <span className="clamp">{names.get(sourceId) ?? <code>{sourceId}</code>}</span>
);

/** A row for each source and day: the newest day and its largest source first. */
export function DayTable({ usage, names }: DayTableProps) {
  const [isWhole, setWhole] = useState(false);
  const rows = usage.days.toSorted(
    (one, other) => other.day.localeCompare(one.day) || other.accepted - one.accepted,
  );
  const shown = isWhole ? rows : rows.slice(0, FIRST_ROWS);
  return (
    <Paper withBorder>
      <ScrollRegion label="Usage by source and day">
        <Table horizontalSpacing="lg" className="usage-table">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Day</Table.Th>
              <Table.Th>Source</Table.Th>
              <FigureHeads />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map(({ day, sourceId, ...figures }) => (
              <Table.Tr key={`${day} ${sourceId}`}>
                <Table.Td>
                  <time dateTime={day}>{formatPeriod(day)}</time>
                </Table.Td>
                <Table.Td>
                  <SourceName sourceId={sourceId} names={names} />
                </Table.Td>
                <FigureCells figures={figures} />
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
      {shown.length < rows.length && (
        <Button variant="default" m="md" onClick={() => setWhole(true)}>
          Show all {formatCount(rows.length)} rows
        </Button>
      )}
    </Paper>
  );
}

interface MonthTableProps {
  readonly usage: WorkspaceUsage;
  /** The events that the workspace can store in a day; null: no limit. */
  readonly eventsPerDay: number | null;
}

/** The metered usage of each month and its quota, the newest first. */
export const MonthTable = ({ usage, eventsPerDay }: MonthTableProps) => (
  <Paper withBorder>
    <ScrollRegion label="Usage by month">
      <Table horizontalSpacing="lg" className="usage-table">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Month</Table.Th>
            <FigureHeads beside="Quota" />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sumByMonth(usage)
            .reverse()
            .map((month) => (
              <Table.Tr key={month.period}>
                <Table.Td>
                  <time dateTime={month.period}>{formatPeriod(month.period)}</time>
                </Table.Td>
                <FigureCells
                  figures={month}
                  beside={<MonthQuota month={month} eventsPerDay={eventsPerDay} />}
                />
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  </Paper>
);

interface MonthQuotaProps {
  readonly month: PeriodUsage;
  readonly eventsPerDay: number | null;
}

/** The daily quota times the days of the month, of the current month so far. */
function MonthQuota({ month: { days, accepted }, eventsPerDay }: MonthQuotaProps) {
  if (eventsPerDay === null) return "No limit";
  const quota = eventsPerDay * days;
  return (
    <>
      {formatCount(quota)}{" "}
      <Text span inherit c="dimmed">
        ({formatWholePercent(accepted / quota)})
      </Text>
    </>
  );
}
