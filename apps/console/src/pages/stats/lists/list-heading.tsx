/** The row above the lists: what a click does, and whether they are by visitors or by revenue. */
import { Text } from "@mantine/core";
import { Switcher } from "../../../ui/switcher.tsx";
import type { StatsView } from "../use-stats-view.ts";
import { useRevenue } from "./use-revenue.ts";

const BY_VISITORS = "visitors";

export function ListHeading({ view, isReady }: { readonly view: StatsView; readonly isReady: boolean }) {
  const { data } = useRevenue(view, isReady);
  const currencies = data?.results.map(({ dimensions: [currency] }) => String(currency)) ?? [];
  // the same order with every filter
  currencies.sort();
  const options = [
    { value: BY_VISITORS, label: "By visitors" },
    ...currencies.map((value) => ({ value, label: `By revenue in ${value}` })),
  ];
  return (
    <div className="list-heading">
      <Text size="sm" c="dimmed">
        Click a row to filter by it.<span className="with-alt"> Alt-click to exclude it.</span>
      </Text>
      {(currencies.length > 0 || view.params.revenue !== undefined) && (
        <Switcher
          label="Lists"
          options={options}
          value={view.params.revenue ?? BY_VISITORS}
          onChange={(value) => view.update({ revenue: value === BY_VISITORS ? undefined : value })}
        />
      )}
    </div>
  );
}
