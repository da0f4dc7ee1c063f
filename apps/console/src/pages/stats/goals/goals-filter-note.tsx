/** Says that a filter of events, such as a page, also selects the events that count as goals, and offers a filter of visits instead. */
import { STATS_EVENT_DIMENSIONS } from "@headwater/contract/stats-words";
import { Text } from "../../../ui/primitives/elements.tsx";
import { formatFilter } from "../filter/filter-texts.ts";
import type { StatsView } from "../use-stats-view.ts";
import { type ActiveFilter, filterParams } from "../view-params.ts";

const isOfEvents = ({ dimension, operator }: ActiveFilter): boolean =>
  operator !== "had" &&
  (dimension.startsWith("property:") || STATS_EVENT_DIMENSIONS.some((name) => name === dimension));

export function GoalsFilterNote({ view: { params, filters, update } }: { readonly view: StatsView }) {
  const filter = filters.find(isOfEvents);
  if (!filter) return null;
  const { dimension, operator, value } = filter;
  // a filter of visits compares texts
  const canBeOfVisits = operator === "is" && typeof value === "string" && !dimension.startsWith("property:");
  const countVisits = () =>
    update({
      ...filterParams(params, dimension, undefined, operator),
      ...filterParams(params, dimension, value, "had"),
    });
  return (
    <Text size="sm" c="dimmed" className="wrap">
      Only events that match “{formatFilter(filter)}” count toward goals.{" "}
      {canBeOfVisits && (
        <button type="button" className="text-button" onClick={countVisits}>
          Count whole sessions
        </button>
      )}
    </Text>
  );
}
