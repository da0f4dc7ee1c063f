/** The active filters, each with a button that removes it. */
import { Button, Group } from "@mantine/core";
import { dimensionLabel, formatValue } from "./format.ts";
import type { StatsView } from "./use-stats-view.ts";
import { filterParams, type ViewParams } from "./view-params.ts";

export function FilterChips({ view: { params, filters, update } }: { readonly view: StatsView }) {
  if (filters.length === 0) return null;
  const allRemoved = (): ViewParams =>
    Object.assign({}, ...filters.map(({ dimension }) => filterParams({}, dimension, undefined)));
  return (
    <Group gap="xs" role="group" aria-label="Filters">
      {filters.map(({ dimension, value }) => (
        <Button
          key={dimension}
          size="xs"
          variant="light"
          className="wrap-button chip"
          aria-label={`Remove filter ${dimensionLabel(dimension)}: ${formatValue(dimension, value)}`}
          onClick={() => update(filterParams(params, dimension, undefined))}
          rightSection={<span aria-hidden>×</span>}
        >
          {dimensionLabel(dimension)}: {formatValue(dimension, value)}
        </Button>
      ))}
      {filters.length > 1 && (
        <Button size="xs" variant="default" onClick={() => update(allRemoved())}>
          Clear all
        </Button>
      )}
    </Group>
  );
}
