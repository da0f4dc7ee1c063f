/** What the numbers are narrowed to, each to be taken away again. */
import { Button, Group } from "@mantine/core";
import { dimensionLabel, formatValue } from "./format.ts";
import type { StatsView } from "./use-stats-view.ts";
import { filterParams, type ViewParams } from "./view-params.ts";

export function FilterChips({ view: { search, chosen, change } }: { readonly view: StatsView }) {
  if (chosen.length === 0) return null;
  const withoutAll = (): ViewParams =>
    Object.assign({}, ...chosen.map(({ dimension }) => filterParams({}, dimension, undefined)));
  return (
    <Group gap="xs" role="group" aria-label="Filters">
      {chosen.map(({ dimension, value }) => (
        <Button
          key={dimension}
          size="xs"
          variant="light"
          className="wrap-button chip"
          aria-label={`Remove the filter ${dimensionLabel(dimension)}: ${formatValue(dimension, value)}`}
          onClick={() => change(filterParams(search, dimension, undefined))}
          rightSection={<span aria-hidden>×</span>}
        >
          {dimensionLabel(dimension)}: {formatValue(dimension, value)}
        </Button>
      ))}
      {chosen.length > 1 && (
        <Button size="xs" variant="default" onClick={() => change(withoutAll())}>
          Clear
        </Button>
      )}
    </Group>
  );
}
