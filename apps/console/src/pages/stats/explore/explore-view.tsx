/** The Explore view: a table of any metrics by up to four dimensions, which the URL describes. */
import type { StatsAnswer, StatsMetric } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { api } from "../../../api.ts";
import { Dropdown, MenuItem } from "../../../ui/dropdown.tsx";
import { ErrorAlert, Loading } from "../../../ui/page-states.tsx";
import { Paper, Stack, Text } from "../../../ui/primitives/elements.tsx";
import { NativeSelect } from "../../../ui/primitives/fields.tsx";
import { Switcher } from "../../../ui/switcher.tsx";
import { ATTRIBUTIONS } from "../goals/attributions.ts";
import { NoGoals } from "../goals/goals-table.tsx";
import { useRevenue } from "../lists/use-revenue.ts";
import { NoData } from "../no-data.tsx";
import { isOfSeveral, type StatsView, useStats } from "../use-stats-view.ts";
import "./explore.css";
import { ExploreRows } from "./explore-rows.tsx";
import { FieldMenu } from "./field-menu.tsx";
import {
  DIMENSION_FIELDS,
  dimensionField,
  isMoney,
  METRIC_FIELDS,
  metricField,
  metricLabel,
  needsGoal,
  propertyDimension,
  propertyMetrics,
  type TableField,
} from "./fields.ts";
import { missingNotes } from "./notes.ts";
import { Notes } from "./notes-list.tsx";
import { type ExploreTable, hasAttribution, missingReason, readTable, tableParams } from "./table.ts";
import { READY_TABLES, type ReadyTable, readyTableParams } from "./tables.ts";

const readyTablesFor = (view: StatsView): readonly ReadyTable[] =>
  READY_TABLES.filter((table) => !isOfSeveral(view) || table.isOfSeveral);

export function ExploreView({ view }: { readonly view: StatsView }) {
  const table = readTable(view.params);
  return (
    <Stack gap="md" className="stats explore">
      {table === null ? <Gallery view={view} /> : <Explored table={table} view={view} />}
    </Stack>
  );
}

/** The tables to begin with, as cards. */
const Gallery = ({ view }: { readonly view: StatsView }) => (
  <>
    <Text size="sm" c="dimmed">
      Choose a table, then change its rows and columns. Rows can combine up to {LIMITS.maxStatsDimensions}{" "}
      dimensions.
    </Text>
    <div className="explore-gallery">
      {readyTablesFor(view).map((table) => (
        <button
          type="button"
          key={table.title}
          className="explore-card"
          onClick={() => view.update(readyTableParams(table))}
        >
          <strong>{table.title}</strong>
          <span>{table.text}</span>
        </button>
      ))}
    </div>
  </>
);

interface ExploredProps {
  readonly table: ExploreTable;
  readonly view: StatsView;
}

function Explored({ table, view }: ExploredProps) {
  const { rows, columns } = table;
  const goals = useGoalNames(view, columns.some(needsGoal) && !rows.includes("goal"));
  const currencies = useCurrencies(view, columns.some(isMoney) && !rows.includes("currency"));
  const goal = goals.names.find((name) => name === view.params.goal) ?? goals.names[0];
  const currency = currencies.names.find((name) => name === view.params.revenue) ?? currencies.names[0];
  const error = goals.error ?? currencies.error;
  const model = ATTRIBUTIONS.find(({ value }) => value === view.params.attribution) ?? ATTRIBUTIONS[0];
  return (
    <>
      <div className="explore-tools">
        <TableMenu view={view} />
        <TableFields table={table} view={view} />
        <ValueSelect
          label="Goal"
          values={goals.names}
          value={goal}
          isLoading={goals.isLoading}
          onChange={(name) => view.update({ goal: name })}
        />
        <ValueSelect
          label="Currency"
          values={currencies.names}
          value={currency}
          isLoading={currencies.isLoading}
          onChange={(code) => view.update({ revenue: code })}
        />
        {hasAttribution(table) && (
          <Switcher
            label="Attribution"
            options={ATTRIBUTIONS}
            value={model.value}
            onChange={(value) => view.update({ attribution: value })}
          />
        )}
      </div>
      <Notes texts={[...missingNotes(table), ...(hasAttribution(table) ? [model.text] : [])]} />
      {goals.isMissing && <NoGoals sourceId={view.scope.sourceId} />}
      {currencies.isMissing && (
        <NoData title="No revenue in this range" view={view}>
          Send revenue as the event property “revenue”, or add a value to a goal.
        </NoData>
      )}
      {error && <ErrorAlert error={error} withIssues />}
      {[goals, currencies].some(({ isLoading }) => isLoading) && (
        <Paper p="md">
          <Loading rows={8} />
        </Paper>
      )}
      {[goals, currencies].every(({ isReady }) => isReady) && (
        <ExploreRows
          table={table}
          view={view}
          currency={currency}
          about={{
            ...(goal !== undefined && { goal: { name: goal } }),
            ...(currency !== undefined && { currency }),
            ...(hasAttribution(table) && { attribution: { model: model.value } }),
          }}
        />
      )}
    </>
  );
}

const TableMenu = ({ view }: { readonly view: StatsView }) => (
  <Dropdown label="Tables" button="Tables">
    {(close) =>
      readyTablesFor(view).map((table) => (
        <MenuItem
          key={table.title}
          onSelect={() => {
            close();
            view.update(readyTableParams(table));
          }}
        >
          {table.title}
        </MenuItem>
      ))
    }
  </Dropdown>
);

function TableFields({ table: { rows, chosen }, view }: ExploredProps) {
  const properties = useProperties(view);
  const dimensions = DIMENSION_FIELDS.filter(({ name }) =>
    isOfSeveral(view) ? name !== "goal" && name !== "contentGroup" : name !== "site",
  );
  const labelled = (field: TableField<StatsMetric>) => ({ ...field, label: metricLabel(field.name, rows) });
  const metrics = METRIC_FIELDS.filter(
    ({ name }) =>
      chosen.includes(name) ||
      (missingReason(rows, name) === null && !(isOfSeveral(view) && needsGoal(name))),
  ).map(labelled);
  return (
    <>
      <FieldMenu
        label="Rows"
        fields={[...dimensions, ...properties.map(propertyDimension)]}
        chosen={rows.flatMap((name) => dimensionField(name) ?? [])}
        limit={LIMITS.maxStatsDimensions}
        onChange={(names) => view.update(tableParams(names, chosen))}
      />
      <FieldMenu
        label="Columns"
        fields={[...metrics, ...properties.flatMap(propertyMetrics)]}
        chosen={chosen.flatMap((name) => metricField(name) ?? []).map(labelled)}
        limit={LIMITS.maxStatsMetrics}
        onChange={(names) => view.update(tableParams(rows, names))}
      />
    </>
  );
}

interface ValueSelectProps {
  readonly label: string;
  readonly values: readonly string[];
  readonly value: string | undefined;
  /** Has its place while the values are loading. */
  readonly isLoading: boolean;
  readonly onChange: (value: string) => void;
}

/** A select; nothing when there is no choice. */
const ValueSelect = ({ label, values, value, isLoading, onChange }: ValueSelectProps) =>
  !isLoading && values.length === 0 ? null : (
    <div className="explore-select">
      <span aria-hidden className="explore-label">
        {label}:
      </span>
      <NativeSelect
        aria-label={label}
        data={isLoading ? ["…"] : [...values]}
        disabled={isLoading}
        value={value ?? "…"}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );

interface NeededNames {
  readonly names: readonly string[];
  /** Whether the table can be asked for: they are there, or it needs none. */
  readonly isReady: boolean;
  /** Whether the table needs one and there is none. */
  readonly isMissing: boolean;
  readonly isLoading: boolean;
  readonly error: Error | null;
}

/** @param isAsked whether the table needs one */
function namesIn(
  isAsked: boolean,
  {
    data,
    error,
    isPlaceholderData,
  }: Pick<UseQueryResult<StatsAnswer>, "data" | "error" | "isPlaceholderData">,
): NeededNames {
  if (!isAsked) return { names: [], isReady: true, isMissing: false, isLoading: false, error: null };
  const names = (data?.results ?? []).map(({ dimensions: [name] }) => String(name));
  const isReady = names.length > 0;
  const isMissing = data !== undefined && !isPlaceholderData && !isReady;
  return { names, isReady, isMissing, isLoading: !isReady && !isMissing && error === null, error };
}

/** The goals of the source. Visitors with a share link cannot read the source itself. */
function useGoalNames(view: StatsView, enabled: boolean): NeededNames {
  const isAsked = enabled && !isOfSeveral(view);
  const query = useStats(
    view.scope,
    { metrics: ["conversions"], dimensions: ["goal"] },
    { enabled: isAsked },
  );
  return namesIn(isAsked, query);
}

/** The currencies of the revenue, the most frequent one first. */
function useCurrencies(view: StatsView, enabled: boolean): NeededNames {
  return namesIn(enabled, useRevenue(view, enabled));
}

function useProperties(view: StatsView): string[] {
  const { scope } = view;
  const { data } = useQuery({
    queryKey: ["stats", "properties", scope],
    queryFn: ({ signal }) => api.queryProperties({ body: scope, signal }),
    enabled: !isOfSeveral(view),
    placeholderData: (previous) => previous,
  });
  return (data?.properties ?? []).map(({ name }) => name);
}
