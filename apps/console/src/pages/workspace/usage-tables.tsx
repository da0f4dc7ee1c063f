/** The usage as tables: by source, by source and day, and by month. */
import { type ReactNode, useState } from "react";
import { formatBytes, formatCount, formatWholePercent } from "../../ui/format-count.ts";
import { Button, Paper, Table } from "../../ui/primitives/elements.tsx";
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
    <th className="end">Accepted events</th>
    {beside !== undefined && <th className="end">{beside}</th>}
    <th className="end">Data received</th>
  </>
);

interface FigureCellsProps {
  readonly figures: Pick<PeriodUsage, "accepted" | "bytes">;
  /** A further cell after the events. */
  readonly beside?: ReactNode;
}

const FigureCells = ({ figures: { accepted, bytes }, beside }: FigureCellsProps) => (
  <>
    <td className="end">{formatCount(accepted)}</td>
    {beside !== undefined && <td className="end">{beside}</td>}
    <td className="end">{formatBytes(bytes)}</td>
  </>
);

/** A row for each source with its sums of the range. */
export const SourceTable = ({ usage, names }: DayTableProps) => (
  <Paper>
    <ScrollRegion label="Usage by source">
      <Table horizontalSpacing="lg" className="usage-table">
        <thead>
          <tr>
            <th>Source</th>
            <FigureHeads beside="Share" />
          </tr>
        </thead>
        <tbody>
          {sumBySource(usage).map((sums) => (
            <tr key={sums.sourceId}>
              <td>
                <SourceName sourceId={sums.sourceId} names={names} />
              </td>
              <FigureCells
                figures={sums}
                beside={usage.accepted === 0 ? "—" : formatWholePercent(sums.accepted / usage.accepted)}
              />
            </tr>
          ))}
        </tbody>
      </Table>
    </ScrollRegion>
  </Paper>
);

const SourceName = ({ sourceId, names }: Pick<DayTableProps, "names"> & { readonly sourceId: string }) => (
  <span className="clamp">{names.get(sourceId) ?? <code>{sourceId}</code>}</span>
);

/** A row for each source and day, behind a heading that opens it: the newest day and its largest source first. */
export function DayTable({ usage, names }: DayTableProps) {
  const [isWhole, setWhole] = useState(false);
  const rows = usage.days.toSorted(
    (one, other) => other.day.localeCompare(one.day) || other.accepted - one.accepted,
  );
  const shown = isWhole ? rows : rows.slice(0, FIRST_ROWS);
  const hasSources = new Set(rows.map(({ sourceId }) => sourceId)).size > 1;
  return (
    <Paper>
      <details>
        <summary className="usage-days">Show days</summary>
        <ScrollRegion label={hasSources ? "Usage by source and day" : "Usage by day"}>
          <Table horizontalSpacing="lg" className={`usage-table ${hasSources ? "usage-wide" : ""}`}>
            <thead>
              <tr>
                <th>Day</th>
                {hasSources && <th>Source</th>}
                <FigureHeads />
              </tr>
            </thead>
            <tbody>
              {shown.map(({ day, sourceId, ...figures }) => (
                <tr key={`${day} ${sourceId}`}>
                  <td>
                    <time dateTime={day}>{formatPeriod(day)}</time>
                  </td>
                  {hasSources && (
                    <td>
                      <SourceName sourceId={sourceId} names={names} />
                    </td>
                  )}
                  <FigureCells figures={figures} />
                </tr>
              ))}
            </tbody>
          </Table>
        </ScrollRegion>
        {shown.length < rows.length && (
          <Button variant="default" m="md" onClick={() => setWhole(true)}>
            Show all {formatCount(rows.length)} rows
          </Button>
        )}
      </details>
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
  <Paper>
    <ScrollRegion label="Usage by month">
      <Table horizontalSpacing="lg" className="usage-table usage-wide">
        <thead>
          <tr>
            <th>Month</th>
            <FigureHeads beside="Quota" />
          </tr>
        </thead>
        <tbody>
          {sumByMonth(usage)
            .reverse()
            .map((month) => (
              <tr key={month.period}>
                <td>
                  <time dateTime={month.period}>{formatPeriod(month.period)}</time>
                </td>
                <FigureCells
                  figures={month}
                  beside={<MonthQuota month={month} eventsPerDay={eventsPerDay} />}
                />
              </tr>
            ))}
        </tbody>
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
  if (eventsPerDay === null) return "—";
  const quota = eventsPerDay * days;
  return (
    <>
      {formatCount(quota)} <span className="dimmed">({formatWholePercent(accepted / quota)})</span>
    </>
  );
}
