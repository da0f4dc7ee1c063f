/** The conversions of the goal that the URL names, by source, place or another property of its visits. */
import type { StatsDimension, StatsRow } from "@headwater/contract";
import { STATS_ATTRIBUTION_DIMENSIONS, STATS_SESSION_DIMENSIONS } from "@headwater/contract/stats-words";
import { useQuery } from "@tanstack/react-query";
import { sourceQuery } from "../../../queries.ts";
import { Icon } from "../../../ui/icon.tsx";
import { Button, Group, Stack, Text } from "../../../ui/primitives/elements.tsx";
import { NativeSelect } from "../../../ui/primitives/fields.tsx";
import { Switcher } from "../../../ui/switcher.tsx";
import { useWorkspace } from "../../../workspace-context.tsx";
import { LatestEventsLink } from "../../visitor/latest-events-link.tsx";
import { DIMENSION_FIELDS } from "../explore/fields.ts";
import { dimensionLabel, formatValue } from "../lists/value-names.ts";
import { StatsResult } from "../stats-result.tsx";
import { type StatsView, useStats } from "../use-stats-view.ts";
import { filterParams } from "../view-params.ts";
import { ATTRIBUTIONS } from "./attributions.ts";
import {
  type ConversionsRow,
  ConversionsTable,
  type RevenueTexts,
  revenueTexts,
} from "./conversions-table.tsx";

const DETAILS = [
  { value: "source", label: "Traffic sources" },
  { value: "channel", label: "Channels" },
  { value: "utmCampaign", label: "Campaigns" },
  { value: "entryPage", label: "Entry pages" },
  { value: "country", label: "Countries" },
  { value: "device", label: "Devices" },
] as const;
const MORE_DETAILS = DIMENSION_FIELDS.filter(
  ({ name }) =>
    STATS_SESSION_DIMENSIONS.some((one) => one === name) && !DETAILS.some(({ value }) => value === name),
).map(({ name, label }) => ({ value: name, label }));
const ALL_DETAILS = [...DETAILS, ...MORE_DETAILS];
const MAX_ROWS = 50;

export function OneGoal({ name, view }: { readonly name: string; readonly view: StatsView }) {
  const { params, scope, update } = view;
  const { value: dimension } = ALL_DETAILS.find(({ value }) => value === params.goalBy) ?? DETAILS[0];
  // places and devices are those of the event's own session
  const hasModels = STATS_ATTRIBUTION_DIMENSIONS.some((name) => name === dimension);
  const chosen = hasModels ? ATTRIBUTIONS.find(({ value }) => value === params.attribution) : undefined;
  const { value: model, text } = chosen ?? ATTRIBUTIONS[0];
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
      <Stack gap="xs" pb="xs">
        <Group justify="space-between" gap="xs">
          <Group gap="xs" className="goal-head">
            <Button size="xs" variant="default" onClick={() => update({ goal: undefined })}>
              All goals
            </Button>
            <Text size="sm" fw={600} className="goal-name">
              {name}
            </Text>
          </Group>
          <Group gap="xs">
            <GoalActions name={name} view={view} />
          </Group>
        </Group>
        <Group gap="xs">
          <NativeSelect
            aria-label="Conversions by"
            data={[...DETAILS, { group: "More", items: MORE_DETAILS }]}
            value={dimension}
            onChange={(event) => update({ goalBy: event.currentTarget.value })}
          />
          {hasModels && (
            <Switcher
              label="Attribution"
              options={ATTRIBUTIONS}
              value={model}
              onChange={(value) => update({ attribution: value })}
            />
          )}
        </Group>
      </Stack>
      {hasModels && (
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      )}
      <StatsResult query={query}>
        {({ results, dimensions }) => {
          const by = ALL_DETAILS.find(({ value }) => value === dimensions[0])?.value ?? dimension;
          const converted = results.filter(({ metrics: [conversions] }) => conversions !== 0);
          return converted.length === 0 ? (
            <Text size="sm" c="dimmed" py="md">
              No conversions
            </Text>
          ) : (
            <ConversionsTable
              label={dimensionLabel(by)}
              isSortable
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
          <Button size="xs" variant="default" onClick={() => update({ ...change, goal: undefined })}>
            <Icon name="filter" size={14} /> Filter by goal
          </Button>
        )
      }
    </>
  );
}

/** A row of one goal. `visitors` of the answer counts all visitors of the row; `rate` is the share that reached the goal. */
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
    allVisitors: all,
    revenue: amounts && (amounts.get(value) ?? []),
  };
}
