/** The rows of a table of the Explore view: sorted by a heading, page by page, and as a CSV file of all pages. */
import type { StatsAnswer, StatsDimension, StatsMetric, StatsRow } from "@headwater/contract";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { toCsv } from "../../../csv.ts";
import { AsyncButton } from "../../../ui/async-button.tsx";
import { downloadBlob } from "../../../ui/download-blob.ts";
import { formatCount, pluralize } from "../../../ui/format-count.ts";
import { Icon } from "../../../ui/icon.tsx";
import { ErrorAlert } from "../../../ui/page-states.tsx";
import { Group, Paper, Text, Title } from "../../../ui/primitives/elements.tsx";
import { ScrollRegion } from "../../../ui/scroll-region.tsx";
import { allRows } from "../lists/all-rows.ts";
import "../fading.css";
import { NoData } from "../no-data.tsx";
import { StatsResult } from "../stats-result.tsx";
import { type StatsQuery, type StatsView, toStatsBody, useStats } from "../use-stats-view.ts";
import { formatCell } from "./cells.ts";
import { dimensionField, metricLabel } from "./fields.ts";
import { emptyText, tableNotes } from "./notes.ts";
import { Notes } from "./notes-list.tsx";
import { RowTable } from "./row-table.tsx";
import { type ExploreTable, hasTotal, isWeek, ordersOf } from "./table.ts";
import { tableTitle } from "./tables.ts";
import { WeekGrid } from "./week-grid.tsx";

const PAGE_ROWS = 50;
/** The hours of a week, and those without a time. */
const WEEK_ROWS = 200;

interface ExploreRowsProps {
  readonly table: ExploreTable;
  readonly view: StatsView;
  /** The currency of the amounts; undefined: the rows name it. */
  readonly currency: string | undefined;
  /** The goal, currency and attribution of the figures. */
  readonly about: Pick<StatsQuery, "goal" | "currency" | "attribution">;
}

/** Another table begins with its first page. */
export const ExploreRows = (props: ExploreRowsProps) => (
  <RowPages key={JSON.stringify([props.table, props.view.scope, props.about])} {...props} />
);

function RowPages(props: ExploreRowsProps) {
  const { table, view, about } = props;
  const [offset, setOffset] = useState(0);
  const list = {
    ...about,
    metrics: [...table.columns],
    dimensions: [...table.rows],
    orderBy: ordersOf(table),
  };
  const limit = isWeek(table.rows) ? WEEK_ROWS : PAGE_ROWS;
  const query = useStats(view.scope, {
    ...list,
    pagination: { limit, offset },
    ...(hasTotal(table) && { total: true }),
  });
  const download = useMutation({
    mutationFn: async () => saveCsv(await allRows(toStatsBody(view.scope, list))),
  });
  const pageButton = (label: string, isEnd: boolean, start: number) => (
    <AsyncButton
      size="xs"
      variant="default"
      isPending={query.isPlaceholderData}
      disabled={isEnd}
      onPress={() => setOffset(start)}
    >
      {label}
    </AsyncButton>
  );
  return (
    <Paper p="md" component="section" aria-label="Table">
      {download.error && <ErrorAlert error={download.error} withIssues />}
      <StatsResult query={query} rows={8}>
        {(answer) => (
          <>
            {answer.results.length === 0 ? (
              <NoData title="No data in this range" view={view}>
                {emptyText(table)}
              </NoData>
            ) : (
              <>
                <Group justify="space-between" gap="xs" mb="xs">
                  <Title order={2} size="h5">
                    {tableTitle(table, about.attribution?.model)}
                  </Title>
                  <Text size="sm" c="dimmed">
                    {rowsText(answer, offset)}
                  </Text>
                </Group>
                <ScrollRegion label="Rows" className="explore-scroll fading">
                  {isWeek(answer.dimensions) ? (
                    <WeekGrid answer={answer} currency={props.currency ?? null} />
                  ) : (
                    <RowTable answer={answer} table={table} view={view} currency={props.currency ?? null} />
                  )}
                </ScrollRegion>
                <Notes texts={tableNotes(answer, table)} />
              </>
            )}
            <Group justify="space-between" gap="xs" mt="sm">
              <AsyncButton
                size="xs"
                variant="default"
                isPending={download.isPending}
                onPress={() => download.mutateAsync()}
              >
                <Icon name="download" /> Download CSV
              </AsyncButton>
              {(offset > 0 || answer.nextOffset !== null) && (
                <Group gap="xs">
                  {pageButton("Previous", offset === 0, Math.max(0, offset - limit))}
                  {pageButton("Next", answer.nextOffset === null, offset + limit)}
                </Group>
              )}
            </Group>
          </>
        )}
      </StatsResult>
    </Paper>
  );
}

/** @param offset how many rows stand on the pages before */
function rowsText({ results, nextOffset }: StatsAnswer, offset: number): string {
  const isWhole = offset === 0 && nextOffset === null;
  return isWhole
    ? pluralize(results.length, "row")
    : `Rows ${formatCount(offset + 1)} – ${formatCount(offset + results.length)}`;
}

function saveCsv({ results, dimensions, metrics, timezone }: StatsAnswer): void {
  const labels = [
    ...dimensions.map((name) => dimensionField(name)?.label ?? name),
    // the names are those of the query
    ...metrics.map((name) => metricLabel(name as StatsMetric, dimensions)),
  ];
  const toLine = (row: StatsRow) => [
    ...row.dimensions.map((value, at) => formatCell(dimensions[at] as StatsDimension, value, timezone)),
    ...row.metrics.map((value) => value ?? ""),
  ];
  downloadBlob(new Blob([toCsv([labels, ...results.map(toLine)])], { type: "text/csv" }), "explore.csv");
}
