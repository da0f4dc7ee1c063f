/** The properties of the events, or the values of the selected property. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { formatAmount, formatCount, formatFigure } from "../../ui/format-count.ts";
import { Icon } from "../../ui/icon.tsx";
import { Button, Group, Text } from "../../ui/primitives/elements.tsx";
import { EstimateMark } from "./estimate-mark.tsx";
import { formatDays } from "./format.ts";
import type { Breakdown } from "./lists/breakdown.ts";
import { BreakdownTable, ROWS } from "./lists/breakdown-table.tsx";
import { useRevenue } from "./lists/use-revenue.ts";
import { StatsResult } from "./stats-result.tsx";
import { type StatsView, useStats } from "./use-stats-view.ts";

/** How many metrics a query can have. The properties are sorted by frequency. */
const MAX_AVERAGES = 12;

/** The amounts of the revenue. They are in several currencies, so they have no sum. */
const AMOUNT = "revenue.amount";

const metricsOf = (name: string): Breakdown["metrics"] =>
  name === AMOUNT ? ["events", "visitors"] : ["events", "visitors", `sum:${name}`];

export function PropertiesList({ view }: { readonly view: StatsView }) {
  const { params, update } = view;
  const selected = params.property ?? "";
  if (selected === "") return <PropertyNames view={view} />;
  return (
    <>
      <Group gap="sm" mb="xs">
        <Button size="xs" variant="default" onClick={() => update({ property: undefined })}>
          All properties
        </Button>
        <Text size="sm" fw={600} className="wrap">
          {selected}
        </Text>
      </Group>
      {selected !== AMOUNT && <PropertyNumbers name={selected} view={view} />}
      <BreakdownTable
        key={selected}
        breakdown={{ dimension: `property:${selected}`, metrics: metricsOf(selected) }}
        view={view}
      />
    </>
  );
}

/** The average and percentiles of a property's numbers; nothing when it has none. */
function PropertyNumbers({ name, view }: { readonly name: string; readonly view: StatsView }) {
  const { data } = useStats(view.scope, { metrics: [`avg:${name}`, `median:${name}`, `p90:${name}`] });
  const [average = null, median = null, p90 = null] = data?.results[0]?.metrics ?? [];
  if (average === null || median === null || p90 === null) return null;
  return (
    <Text size="sm" c="dimmed" mb="xs">
      Average {formatFigure(average)} · Median {formatFigure(median)} · 90th percentile {formatFigure(p90)}
      <EstimateMark accuracy={data?.accuracy} />
    </Text>
  );
}

function PropertyNames({ view }: { readonly view: StatsView }) {
  const [isOpen, setOpen] = useState(false);
  const { scope, params, update } = view;
  const query = useQuery({
    queryKey: ["stats", "properties", scope],
    queryFn: ({ signal }) => api.queryProperties({ body: scope, signal }),
    placeholderData: (previous) => previous,
  });
  // values of passive events are no one's action
  const used = (query.data?.properties ?? []).filter(({ events }) => events > 0);
  const names = used.map(({ name }) => name);
  const averaged = names.filter((name) => name !== AMOUNT).slice(0, MAX_AVERAGES);
  const answer = useStats(
    scope,
    { metrics: averaged.map((name) => `avg:${name}` as const) },
    { enabled: averaged.length > 0 },
  );
  // the averages of other properties stay until those of these arrive
  const [row] = answer.isPlaceholderData ? [] : (answer.data?.results ?? []);
  const figures = new Map(
    averaged.map((name, at) => {
      const average = row?.metrics[at] ?? null;
      // texts have none
      return [name, average === null ? [] : [`avg ${formatFigure(average)}`]];
    }),
  );
  const revenue = useRevenue(view, names.includes(AMOUNT));
  const amounts = revenue.isPlaceholderData ? [] : (revenue.data?.results ?? []);
  figures.set(
    AMOUNT,
    amounts.map(
      ({ dimensions: [currency], metrics: [sum] }) => `sum ${formatAmount(sum ?? 0, String(currency))}`,
    ),
  );
  return (
    <StatsResult query={query}>
      {() => (
        <>
          <Text size="sm" c="dimmed">
            {params.event === undefined
              ? "Properties of all events. Select an event on the Events tab to see only its properties."
              : "Properties of the selected event."}
          </Text>
          {used.length === 0 ? (
            <Text size="sm" c="dimmed" py="md">
              No properties in this range. Send properties with your events to see them here.
            </Text>
          ) : (
            <PropertyTable
              properties={used.slice(0, ROWS)}
              figures={figures}
              onSelect={(property) => update({ property })}
            />
          )}
          {used.length > ROWS && (
            <button type="button" className="details-button" onClick={() => setOpen(true)}>
              <Icon name="maximize" size={14} />
              Details
            </button>
          )}
          <Dialog
            title={`Properties · ${formatDays(view.range.days)}`}
            isWide
            opened={isOpen}
            onClose={() => setOpen(false)}
          >
            <PropertyTable
              properties={used}
              figures={figures}
              onSelect={(property) => {
                setOpen(false);
                update({ property });
              }}
            />
          </Dialog>
        </>
      )}
    </StatsResult>
  );
}

interface PropertyTableProps {
  readonly properties: readonly { readonly name: string; readonly events: number }[];
  /** The averages of the numbers of the most frequent ones, as texts: of the revenue, the sum in each currency. */
  readonly figures: ReadonlyMap<string, readonly string[]>;
  readonly onSelect: (name: string) => void;
}

function PropertyTable({ properties, figures, onSelect }: PropertyTableProps) {
  const highest = Math.max(...properties.map(({ events }) => events), 1);
  return (
    <table className="ranking">
      <thead>
        <tr>
          <th>Property</th>
          <th className="ranking-figure">Events</th>
          <th className="ranking-figure ranking-money">Value</th>
        </tr>
      </thead>
      <tbody>
        {properties.map(({ name, events }) => (
          // the button of the row is for the keyboard: its clicks arrive here too
          <tr key={name} className="ranking-row" onClick={() => onSelect(name)}>
            <td className="ranking-name">
              <span className="ranking-bar" style={{ width: `${(events / highest) * 100}%` }} />
              <button type="button" title={name}>
                {name}
              </button>
            </td>
            <td className="ranking-figure">{formatCount(events)}</td>
            <td className="ranking-figure ranking-money">
              {(figures.get(name) ?? []).length === 0 && "—"}
              {figures.get(name)?.map((figure) => (
                <div key={figure}>{figure}</div>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
