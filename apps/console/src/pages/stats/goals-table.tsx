/** The goals of a source with their visitors and conversions, and the sources of a goal. Amounts in different currencies are listed, never added. */
import type { StatsDimension, StatsRow, StatsScalar } from "@headwater/contract";
import { STATS_GOAL_DIMENSION } from "@headwater/contract/stats-words";
import { Button, Group, NativeSelect, Text, UnstyledButton } from "@mantine/core";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { ApiAnswer } from "../../api.ts";
import { sourceQuery } from "../../queries.ts";
import { formatMoney } from "../../ui/format-count.ts";
import { Icon } from "../../ui/icon.tsx";
import { Switcher } from "../../ui/switcher.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { LatestEventsLink } from "../visitor/latest-events-link.tsx";
import { dimensionLabel, formatMetric, formatValue } from "./format.ts";
import { GoalsFilterNote } from "./goals-filter-note.tsx";
import { StatsResult } from "./stats-result.tsx";
import { type StatsView, useStats } from "./use-stats-view.ts";
import { filterParams } from "./view-params.ts";

type RevenueQuery = Pick<UseQueryResult<ApiAnswer<"queryStats">>, "data" | "isPlaceholderData">;
/** The amounts of each value of the first dimension, as texts. Null while they are loading. */
type RevenueTexts = ReadonlyMap<StatsScalar, readonly string[]> | null;

/** @param query its second dimension is the currency */
function revenueTexts({ data, isPlaceholderData }: RevenueQuery): RevenueTexts {
  if (data === undefined || isPlaceholderData) return null;
  const texts = new Map<StatsScalar, string[]>();
  for (const { dimensions, metrics } of data.results) {
    const [value = null, currency = null] = dimensions;
    const [revenue = null] = metrics;
    if (typeof currency !== "string" || revenue === null) continue;
    texts.set(value, [...(texts.get(value) ?? []), formatMoney(revenue, currency)]);
  }
  return texts;
}

/** All goals, or the goal that the URL names by source, channel or campaign. */
export function GoalsTable({ view }: { readonly view: StatsView }) {
  const { goal } = view.params;
  return (
    <>
      <GoalsFilterNote view={view} />
      {goal === undefined ? <AllGoals view={view} /> : <OneGoal name={goal} view={view} />}
    </>
  );
}

function AllGoals({ view }: { readonly view: StatsView }) {
  const query = useStats(view.scope, {
    metrics: ["visitors", "conversions", "conversionRate"],
    dimensions: [STATS_GOAL_DIMENSION],
  });
  const revenue = useStats(
    view.scope,
    { metrics: ["revenue"], dimensions: [STATS_GOAL_DIMENSION, "currency"] },
    { isExact: true },
  );
  const amounts = revenueTexts(revenue);
  return (
    <StatsResult query={query}>
      {({ results }) =>
        results.length === 0 ? (
          <Text size="sm" c="dimmed" py="md">
            This source has no goals. Add them on its page Goals &amp; data.
          </Text>
        ) : (
          <ConversionsTable
            label="Goal"
            rows={results.map(({ dimensions: [goal = null], metrics: [visitors, conversions, rate] }) => ({
              name: String(goal),
              visitors: visitors ?? null,
              conversions: conversions ?? null,
              rate: rate ?? null,
              revenue: amounts && (amounts.get(goal) ?? []),
            }))}
            onSelect={(goal) => view.update({ goal })}
          />
        )
      }
    </StatsResult>
  );
}

const DETAILS = [
  { value: "source", label: "Sources" },
  { value: "channel", label: "Channels" },
  { value: "utmCampaign", label: "Campaigns" },
] as const;
const MODELS = [
  { value: "session", label: "Session" },
  { value: "firstTouch", label: "First touch" },
] as const;
const MAX_ROWS = 50;

function OneGoal({ name, view }: { readonly name: string; readonly view: StatsView }) {
  const { params, scope, update } = view;
  const { value: dimension } = DETAILS.find(({ value }) => value === params.goalBy) ?? DETAILS[0];
  const { value: model } = MODELS.find(({ value }) => value === params.attribution) ?? MODELS[0];
  const about = { goal: { name }, attribution: { model } };
  const query = useStats(scope, {
    ...about,
    metrics: ["conversions", "conversionRate", "visitors"],
    dimensions: [dimension],
    pagination: { limit: MAX_ROWS },
  });
  const revenue = useStats(
    scope,
    { ...about, metrics: ["revenue"], dimensions: [dimension, "currency"] },
    { isExact: true },
  );
  const amounts = revenueTexts(revenue);
  return (
    <>
      <Group justify="space-between" gap="xs" pb="xs">
        <Button size="compact-sm" variant="subtle" onClick={() => update({ goal: undefined })}>
          ← All goals
        </Button>
        <Text size="sm" fw={600} className="goal-name">
          {name}
        </Text>
        <GoalActions name={name} view={view} />
        <Group gap="xs">
          <NativeSelect
            size="xs"
            aria-label="Conversions by"
            data={[...DETAILS]}
            value={dimension}
            onChange={(event) => update({ goalBy: event.currentTarget.value })}
          />
          <Switcher
            label="Attribution"
            options={MODELS}
            value={model}
            onChange={(value) => update({ attribution: value })}
          />
        </Group>
      </Group>
      <StatsResult query={query}>
        {({ results, dimensions }) => {
          const by = DETAILS.find(({ value }) => value === dimensions[0])?.value ?? dimension;
          const converted = results.filter(({ metrics: [conversions] }) => conversions !== 0);
          return converted.length === 0 ? (
            <Text size="sm" c="dimmed" py="md">
              No conversions
            </Text>
          ) : (
            <ConversionsTable
              label={dimensionLabel(by)}
              rows={converted.map((row) => toRowOf(by, row, amounts))}
            />
          );
        }}
      </StatsResult>
    </>
  );
}

interface GoalActionsProps {
  readonly name: string;
  readonly view: StatsView;
}

/** Leads to the latest events of a goal, and filters the view by the sessions that reached it. */
function GoalActions({ name, view: { params, scope, update } }: GoalActionsProps) {
  const { can } = useWorkspace();
  const { data } = useQuery({ ...sourceQuery(scope.sourceId), enabled: can("sources:read") });
  const goal = data?.goals.find((one) => one.name === name);
  if (!goal) return null;
  const [dimension, value] =
    goal.event === null ? (["page", goal.path] as const) : (["event", goal.event] as const);
  const change = filterParams(params, dimension, value ?? undefined, "had");
  return (
    <>
      {goal.event !== null && <LatestEventsLink sourceId={scope.sourceId} name={goal.event} />}
      {
        // a filter of sessions cannot express conditions on the properties of one event
        goal.conditions.length === 0 && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<Icon name="filter" size={14} />}
            onClick={() => update({ ...change, goal: undefined })}
          >
            Filter by goal
          </Button>
        )
      }
    </>
  );
}

interface ConversionsRow {
  readonly name: string;
  /** Those who reached the goal. */
  readonly visitors: number | null;
  readonly conversions: number | null;
  /** The share of all visitors who reached the goal. */
  readonly rate: number | null;
  /** Null while it is loading. */
  readonly revenue: readonly string[] | null;
}

/** A row of one goal. The visitors of its answer are all of the row's, of whom the rate reached the goal. */
function toRowOf(
  dimension: StatsDimension,
  { dimensions: [value = null], metrics: [conversions = null, rate = null, all = null] }: StatsRow,
  amounts: RevenueTexts,
): ConversionsRow {
  return {
    name: formatValue(dimension, value),
    visitors: rate === null || all === null ? null : Math.round(rate * all),
    conversions,
    rate,
    revenue: amounts && (amounts.get(value) ?? []),
  };
}

interface ConversionsTableProps {
  readonly label: string;
  readonly rows: readonly ConversionsRow[];
  readonly onSelect?: (name: string) => void;
}

function ConversionsTable({ label, rows, onSelect }: ConversionsTableProps) {
  const highest = Math.max(...rows.map(({ visitors }) => visitors ?? 0), 1);
  return (
    <table className="ranking goals-table">
      <thead>
        <tr>
          <th>{label}</th>
          <th className="ranking-figure goals-visitors" title="Visitors who reached the goal">
            Visitors
          </th>
          <th className="ranking-figure goals-conversions">Conversions</th>
          <th className="ranking-figure goals-rate" title="Visitors who reached the goal ÷ all visitors">
            Rate
          </th>
          <th className="ranking-figure ranking-money">Revenue</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, visitors, conversions, rate, revenue }) => (
          <tr
            key={name}
            className={onSelect && "ranking-row"}
            // the button of the row is for the keyboard: its clicks arrive here too
            onClick={() => onSelect?.(name)}
          >
            <td className="ranking-name">
              <span className="ranking-bar" style={{ width: `${((visitors ?? 0) / highest) * 100}%` }} />
              {onSelect ? (
                <UnstyledButton title={name}>{name}</UnstyledButton>
              ) : (
                <Text size="sm" span>
                  {name}
                </Text>
              )}
            </td>
            <td className="ranking-figure goals-visitors">{formatMetric("visitors", visitors)}</td>
            <td className="ranking-figure goals-conversions">{formatMetric("conversions", conversions)}</td>
            <td className="ranking-figure goals-rate">{formatMetric("conversionRate", rate)}</td>
            <td className="ranking-figure ranking-money">
              {revenue === null && "…"}
              {revenue?.length === 0 && "—"}
              {revenue?.map((amount) => (
                <div key={amount}>{amount}</div>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
