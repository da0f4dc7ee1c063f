/** The active filters, each with a button that removes it. */
import { UnstyledButton } from "@mantine/core";
import { Icon } from "../../ui/icon.tsx";
import { formatFilter } from "./format.ts";
import { SaveSegmentButton } from "./saved/segments.tsx";
import type { StatsView } from "./use-stats-view.ts";
import { filterParams, withoutFilters } from "./view-params.ts";

export function FilterChips({ view }: { readonly view: StatsView }) {
  const { params, filters, update } = view;
  if (filters.length === 0) return null;
  return (
    <fieldset className="chips" aria-label="Filters">
      {filters.map((filter) => {
        const text = formatFilter(filter);
        return (
          <UnstyledButton
            key={text}
            className="chip"
            aria-label={`Remove filter ${text}`}
            onClick={() => update(filterParams(params, filter.dimension, undefined, filter.operator))}
          >
            <span className="wrap">{text}</span>
            <Icon name="close" size={14} />
          </UnstyledButton>
        );
      })}
      {filters.length > 1 && (
        <UnstyledButton className="chip chip-bare" onClick={() => update(withoutFilters(filters))}>
          Clear all
        </UnstyledButton>
      )}
      <SaveSegmentButton view={view} />
    </fieldset>
  );
}
