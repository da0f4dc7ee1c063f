/** The row above the lists: what a click does, and whether they are by visitors or by revenue. */
import { Suspense } from "react";
import { lazily } from "../../../ui/load-later.tsx";
import { Text } from "../../../ui/primitives/elements.tsx";
import { Switcher } from "../../../ui/switcher.tsx";
import type { StatsView } from "../use-stats-view.ts";
import { useRevenue } from "./use-revenue.ts";

const BY_VISITORS = "visitors";
/** More choices than these do not fit beside each other. */
const MAX_BUTTONS = 4;

// few sites have so many currencies, so the page's first script does without it
const ListsSelect = lazily(async () => (await import("./lists-select.tsx")).ListsSelect);

export function ListHeading({ view, isReady }: { readonly view: StatsView; readonly isReady: boolean }) {
  const { data } = useRevenue(view, isReady);
  const currencies = data?.results.map(({ dimensions: [currency] }) => String(currency)) ?? [];
  // the same order with every filter
  currencies.sort();
  const options = [
    { value: BY_VISITORS, label: "By visitors" },
    ...currencies.map((value) => ({ value, label: `By revenue in ${value}` })),
  ];
  const value = view.params.revenue ?? BY_VISITORS;
  const show = (chosen: string) => view.update({ revenue: chosen === BY_VISITORS ? undefined : chosen });
  return (
    <div className="list-heading">
      <Text size="sm" c="dimmed">
        Click a row to filter by it.<span className="with-alt"> Alt-click to exclude it.</span>
      </Text>
      {options.length > MAX_BUTTONS ? (
        <Suspense fallback={null}>
          <ListsSelect options={options} value={value} onChange={show} />
        </Suspense>
      ) : (
        (currencies.length > 0 || view.params.revenue !== undefined) && (
          <Switcher label="Lists" options={options} value={value} onChange={show} />
        )
      )}
    </div>
  );
}
