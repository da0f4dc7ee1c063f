/** One of the lists below the chart: what it ranks is chosen by its tabs, which stand in the address too. */

import type { StatsDimension, StatsMetric } from "@headwater/contract";
import { Paper, Tabs } from "@mantine/core";
import { BreakdownTable } from "./breakdown-table.tsx";
import { PropertiesList } from "./properties-list.tsx";
import type { StatsView } from "./use-stats-view.ts";

interface Ranked {
  readonly dimension: StatsDimension;
  readonly label: string;
  /** The first one ranks. */
  readonly metrics: readonly [StatsMetric, StatsMetric];
}
export interface PanelDefinition {
  readonly id: string;
  readonly label: string;
  readonly lists: readonly Ranked[];
}

const ofSessions = (dimension: StatsDimension, label: string): Ranked => ({
  dimension,
  label,
  metrics: ["visitors", "sessions"],
});

export const PANELS: readonly PanelDefinition[] = [
  {
    id: "pages",
    label: "Pages",
    lists: [
      { dimension: "page", label: "Top pages", metrics: ["visitors", "pageviews"] },
      { dimension: "entryPage", label: "Entry pages", metrics: ["sessions", "bounceRate"] },
      { dimension: "exitPage", label: "Exit pages", metrics: ["sessions", "visitors"] },
    ],
  },
  {
    id: "from",
    label: "Where from",
    lists: [
      ofSessions("referrer", "Referrers"),
      ofSessions("utmCampaign", "Campaigns"),
      ofSessions("utmSource", "Sources"),
      ofSessions("utmMedium", "Mediums"),
    ],
  },
  {
    id: "with",
    label: "Devices",
    lists: [ofSessions("device", "Devices"), ofSessions("browser", "Browsers"), ofSessions("os", "Systems")],
  },
  {
    id: "places",
    label: "Places",
    lists: [ofSessions("country", "Countries"), ofSessions("locale", "Languages")],
  },
  {
    id: "events",
    label: "Events",
    lists: [{ dimension: "event", label: "Events", metrics: ["events", "visitors"] }],
  },
];

/** Beside the lists of events. */
const PROPERTIES = "properties";

export function BreakdownPanel({
  panel,
  view,
}: {
  readonly panel: PanelDefinition;
  readonly view: StatsView;
}) {
  const { id, label, lists } = panel;
  const hasProperties = id === "events";
  const [first] = lists;
  const values = [...lists.map(({ dimension }) => dimension), ...(hasProperties ? [PROPERTIES] : [])];
  const asked = view.search[id] ?? "";
  const shown = values.includes(asked) ? asked : first!.dimension;
  return (
    <Paper withBorder p="md" component="section" aria-label={label} className="panel">
      <Tabs
        value={shown}
        onChange={(value) =>
          view.change({ [id]: value === first!.dimension ? undefined : (value ?? undefined) })
        }
        keepMounted={false}
      >
        <Tabs.List aria-label={label}>
          {lists.map(({ dimension, label: name }) => (
            <Tabs.Tab key={dimension} value={dimension}>
              {name}
            </Tabs.Tab>
          ))}
          {hasProperties && <Tabs.Tab value={PROPERTIES}>Properties</Tabs.Tab>}
        </Tabs.List>
        {lists.map(({ dimension, metrics }) => (
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
