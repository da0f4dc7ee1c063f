/** What the numbers are narrowed to, each to be taken away again. */
import { Button, Group } from "@mantine/core";
import { choose, type Search } from "./address.ts";
import { nameOf, sayValue } from "./say.ts";
import type { View } from "./view.ts";

export function FilterChips({ view: { search, chosen, change } }: { readonly view: View }) {
  if (chosen.length === 0) return null;
  const withoutAll = (): Search =>
    Object.assign({}, ...chosen.map(({ dimension }) => choose({}, dimension, undefined)));
  return (
    <Group gap="xs" role="group" aria-label="Filters">
      {chosen.map(({ dimension, value }) => (
        <Button
          key={dimension}
          size="xs"
          variant="light"
          className="wrap-button chip"
          aria-label={`Remove the filter ${nameOf(dimension)}: ${sayValue(dimension, value)}`}
          onClick={() => change(choose(search, dimension, undefined))}
          rightSection={<span aria-hidden>×</span>}
        >
          {nameOf(dimension)}: {sayValue(dimension, value)}
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
