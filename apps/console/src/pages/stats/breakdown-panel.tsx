/** A panel below the chart with tabs for related breakdowns. The selected tab is kept in the URL. */

import type { StatsDimension, StatsMetric } from "@headwater/contract";
import { Paper, Tabs } from "@mantine/core";
import { BreakdownTable } from "./breakdown-table.tsx";
import { PropertiesList } from "./properties-list.tsx";
import type { StatsView } from "./use-stats-view.ts";

interface Breakdown {
  readonly dimension: StatsDimension;
  readonly label: string;
  /** The rows are sorted by the first metric. */
  readonly metrics: readonly [StatsMetric, StatsMetric];
}
export interface PanelDefinition {
  readonly id: string;
  readonly label: string;
  readonly breakdowns: readonly [Breakdown, ...Breakdown[]];
}

const byVisitors = (dimension: StatsDimension, label: string): Breakdown => ({
  dimension,
  label,
  metrics: ["visitors", "sessions"],
});

export const PANELS: readonly PanelDefinition[] = [
  {
    id: "pages",
    label: "Pages",
    breakdowns: [
      { dimension: "page", label: "Top pages", metrics: ["visitors", "pageviews"] },
      { dimension: "entryPage", label: "Entry pages", metrics: ["sessions", "bounceRate"] },
      { dimension: "exitPage", label: "Exit pages", metrics: ["sessions", "visitors"] },
    ],
  },
  {
    id: "from",
    label: "Acquisition",
    breakdowns: [
      byVisitors("referrer", "Referrers"),
      byVisitors("utmCampaign", "Campaigns"),
      byVisitors("utmSource", "Sources"),
      byVisitors("utmMedium", "Mediums"),
    ],
  },
  {
    id: "with",
    label: "Devices",
    breakdowns: [
      byVisitors("device", "Devices"),
      byVisitors("browser", "Browsers"),
      byVisitors("os", "Operating systems"),
    ],
  },
  {
    id: "places",
    label: "Locations",
    breakdowns: [byVisitors("country", "Countries"), byVisitors("locale", "Languages")],
  },
  {
    id: "events",
    label: "Events",
    breakdowns: [{ dimension: "event", label: "Events", metrics: ["events", "visitors"] }],
  },
];

/** An additional tab of the events panel. */
const PROPERTIES = "properties";

interface BreakdownPanelProps {
  readonly panel: PanelDefinition;
  readonly view: StatsView;
}

export function BreakdownPanel({ panel, view }: BreakdownPanelProps) {
  const { id, label, breakdowns } = panel;
  const hasProperties = id === "events";
  const [first] = breakdowns;
  const values = [...breakdowns.map(({ dimension }) => dimension), ...(hasProperties ? [PROPERTIES] : [])];
  const requested = view.params[id] ?? "";
  const selected = values.includes(requested) ? requested : first.dimension;
  return (
    <Paper withBorder p="md" component="section" aria-label={label} className="panel">
      <Tabs
        value={selected}
        onChange={(value) =>
          view.update({ [id]: value === first.dimension ? undefined : (value ?? undefined) })
        }
        keepMounted={false}
      >
        <Tabs.List aria-label={label}>
          {breakdowns.map(({ dimension, label: name }) => (
            <Tabs.Tab key={dimension} value={dimension}>
              {name}
            </Tabs.Tab>
          ))}
          {hasProperties && <Tabs.Tab value={PROPERTIES}>Properties</Tabs.Tab>}
        </Tabs.List>
        {breakdowns.map(({ dimension, metrics }) => (
          <Tabs.Panel key={dimension} value={dimension} pt="xs">
            <BreakdownTable dimension={dimension} metrics={metrics} view={view} />
          </Tabs.Panel>
        ))}
        {hasProperties && (
          <Tabs.Panel value={PROPERTIES} pt="xs">
            <PropertiesList view={view} />
          </Tabs.Panel>
        )}
      </Tabs>
    </Paper>
  );
}
