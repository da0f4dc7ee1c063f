/** All values of a dimension: searched, sorted, page by page, and as a CSV file of all pages. */
import type { StatsAnswer, StatsMetric } from "@headwater/contract";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { toCsv } from "../../../csv.ts";
import { AsyncButton } from "../../../ui/async-button.tsx";
import { downloadBlob } from "../../../ui/download-blob.ts";
import { formatCount } from "../../../ui/format-count.ts";
import { Icon } from "../../../ui/icon.tsx";
import { ErrorAlert, Loading } from "../../../ui/page-states.tsx";
import { Alert, Button, Group, Text } from "../../../ui/primitives/elements.tsx";
import { TextInput } from "../../../ui/primitives/fields.tsx";
import { ScrollRegion } from "../../../ui/scroll-region.tsx";
import { tableParams } from "../explore/table.ts";
import { StatsResult } from "../stats-result.tsx";
import { type StatsView, toStatsBody, useStats } from "../use-stats-view.ts";
import { allRows } from "./all-rows.ts";
import {
  type Breakdown,
  dimensionsOf,
  formatRowValue,
  metricName,
  rowValueOf,
  scopeOf,
} from "./breakdown.ts";
import "./breakdown-details.css";
import "../fading.css";
import { BreakdownRows } from "./breakdown-rows.tsx";
import { searchFilters } from "./search-filters.ts";
import { dimensionLabel } from "./value-names.ts";

const PAGE_ROWS = 25;
/** Metrics whose best values are first when the list is sorted by them. */
const LOWER_IS_BETTER: ReadonlySet<StatsMetric> = new Set(["bounceRate", "p75:lcp", "p75:inp", "p75:cls"]);

const EXIT_RATE_METRICS: readonly StatsMetric[] = ["exits", "exitRate", "pageviews", "entrances"];

interface BreakdownDetailsProps {
  readonly breakdown: Breakdown;
  readonly view: StatsView;
  readonly total: number | null;
  readonly onClose: () => void;
}

interface Order {
  readonly field: StatsMetric;
  readonly direction: "asc" | "desc";
}

export function BreakdownDetails({ breakdown, view, total, onClose }: BreakdownDetailsProps) {
  const { metrics } = breakdown;
  const [search, setSearch] = useState("");
  const [offset, setOffset] = useState(0);
  const [order, setOrder] = useState<Order>({ field: metrics[0], direction: "desc" });
  const scope = scopeOf(view, breakdown);
  const found = { ...scope, filters: [...scope.filters, ...searchFilters(breakdown, search)] };
  const list = { metrics: [...metrics], dimensions: dimensionsOf(breakdown), orderBy: [order] };
  const { request: comparison } = view.comparison;
  const query = useStats(found, { ...list, pagination: { limit: PAGE_ROWS, offset }, comparison });
  const download = useMutation({
    mutationFn: async () => {
      const answer = await allRows(toStatsBody(found, { ...list, comparison }));
      saveCsv(answer, breakdown);
      return answer;
    },
  });
  const sortBy = (field: StatsMetric) => {
    setOffset(0);
    const first = LOWER_IS_BETTER.has(field) ? "asc" : "desc";
    const second = first === "asc" ? "desc" : "asc";
    setOrder({ field, direction: order.field === field && order.direction === first ? second : first });
  };
  return (
    <div className="details">
      <Group justify="space-between" gap="sm" mb="sm" className="details-tools">
        <TextInput
          className="details-search"
          placeholder="Search"
          aria-label="Search"
          maxLength={MAX_SEARCH_LENGTH}
          icon="search"
          value={search}
          onChange={(event) => {
            setOffset(0);
            setSearch(event.currentTarget.value);
          }}
        />
        <Button
          variant="default"
          onClick={() => {
            onClose();
            view.update({ view: "explore", ...tableParams(dimensionsOf(breakdown), metrics) });
          }}
        >
          Explore
        </Button>
        {breakdown.dimension === "exitPage" && (
          <Button
            variant="default"
            onClick={() => {
              onClose();
              view.update({ view: "explore", ...tableParams(["page"], EXIT_RATE_METRICS) });
            }}
          >
            Exit rates
          </Button>
        )}
        <AsyncButton variant="default" isPending={download.isPending} onPress={() => download.mutateAsync()}>
          <Icon name="download" /> <span className="details-long">Download CSV</span>
        </AsyncButton>
      </Group>
      {download.error && <ErrorAlert error={download.error} withIssues />}
      {download.data && download.data.nextOffset !== null && (
        <Alert
          color="yellow"
          title={`The file has only the first ${formatCount(download.data.results.length)} rows`}
        >
          To get the other rows, search or filter, then download again.
        </Alert>
      )}
      <StatsResult query={query} rows={8}>
        {(answer) => (
          <div className="details-rows">
            {answer.results.length === 0 ? (
              <NoRows search={search} isPending={query.isPlaceholderData} />
            ) : (
              <ScrollRegion label="Rows" className="details-table fading fading-wide">
                <BreakdownRows
                  answer={answer}
                  breakdown={breakdown}
                  view={view}
                  total={total}
                  changed={order.field}
                  onFilter={onClose}
                  heading={(metric, name) => (
                    <button type="button" className="sort-button" onClick={() => sortBy(metric)}>
                      {name}
                      {order.field === metric && (
                        <Icon name={order.direction === "desc" ? "arrowDown" : "arrowUp"} size={13} />
                      )}
                    </button>
                  )}
                />
              </ScrollRegion>
            )}
            <Group justify="flex-end" gap="xs" mt="sm">
              <Text size="sm" c="dimmed">
                {placeOf(answer, offset)}
              </Text>
              <AsyncButton
                size="xs"
                variant="default"
                isPending={query.isPlaceholderData}
                disabled={offset === 0}
                onPress={() => setOffset(Math.max(0, offset - PAGE_ROWS))}
              >
                Previous
              </AsyncButton>
              <AsyncButton
                size="xs"
                variant="default"
                isPending={query.isPlaceholderData}
                disabled={answer.nextOffset === null}
                onPress={() => setOffset(offset + PAGE_ROWS)}
              >
                Next
              </AsyncButton>
            </Group>
          </div>
        )}
      </StatsResult>
    </div>
  );
}

/** @returns for example `26–50`, or `51–63 of 63`: only the last page tells how many rows there are */
function placeOf({ results, nextOffset }: StatsAnswer, offset: number): string {
  if (results.length === 0) return "";
  const last = formatCount(offset + results.length);
  return `${formatCount(offset + 1)}–${last}${nextOffset === null ? ` of ${last}` : ""}`;
}

/** As a pattern it is shorter than the API's limit. */
const MAX_SEARCH_LENGTH = 200;

/** @param isPending whether the rows are those of the search before */
const NoRows = ({ search, isPending }: { readonly search: string; readonly isPending: boolean }) =>
  isPending ? (
    <Loading rows={8} />
  ) : (
    <Text c="dimmed">
      {search === ""
        ? "No values in this range."
        : `No value contains “${search}”. Change or clear the search.`}
    </Text>
  );

function saveCsv({ results, comparison }: StatsAnswer, breakdown: Breakdown): void {
  const { dimension, metrics } = breakdown;
  const names = metrics.map((metric) => metricName(metric, dimension));
  const compared = comparison === null ? [] : names.map((name) => `${name} (compared period)`);
  const rows = results.map(({ dimensions, metrics: values, comparison: before }) => [
    formatRowValue(breakdown, rowValueOf(breakdown, dimensions)),
    ...[...values, ...(before ?? compared.map(() => null))].map((one) => one ?? ""),
  ]);
  downloadBlob(
    new Blob([toCsv([[dimensionLabel(dimension), ...names, ...compared], ...rows])], { type: "text/csv" }),
    `${dimension.replace(":", "-")}.csv`,
  );
}
