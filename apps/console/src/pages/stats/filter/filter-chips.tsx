/** The active filters, each with a button that removes it. */
import { Icon } from "../../../ui/icon.tsx";
import { otherFilterParams } from "../other-filters.ts";
import { SaveSegmentButton } from "../saved/save-segment-button.tsx";
import type { StatsView } from "../use-stats-view.ts";
import { filterParams, withoutFilters } from "../view-params.ts";
import { formatFilter, formatStatsFilter } from "./filter-texts.ts";

interface ChipProps {
  readonly text: string;
  readonly onRemove: () => void;
}

const Chip = ({ text, onRemove }: ChipProps) => (
  <button type="button" className="chip" title={text} aria-label={`Remove filter ${text}`} onClick={onRemove}>
    <span className="chip-text">{text}</span>
    <Icon name="close" size={14} />
  </button>
);

export function FilterChips({ view }: { readonly view: StatsView }) {
  const { params, filters, otherFilters, update } = view;
  const count = filters.length + otherFilters.length;
  return (
    <fieldset className="chips" aria-label="Filters">
      {filters.map((filter) => {
        const text = formatFilter(filter);
        const { dimension, operator } = filter;
        const remove = () => update(filterParams(params, dimension, undefined, operator));
        return <Chip key={text} text={text} onRemove={remove} />;
      })}
      {otherFilters.map((filter) => {
        const rest = otherFilters.filter((other) => other !== filter);
        const remove = () => update(otherFilterParams(rest));
        return <Chip key={JSON.stringify(filter)} text={formatStatsFilter(filter)} onRemove={remove} />;
      })}
      {count > 1 && (
        <button
          type="button"
          className="chip chip-bare"
          onClick={() => update({ ...withoutFilters(filters), ...otherFilterParams([]) })}
        >
          Clear all
        </button>
      )}
      <SaveSegmentButton view={view} />
    </fieldset>
  );
}
