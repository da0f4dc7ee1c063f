/** A panel below the chart with tabs for related breakdowns. The selected tab is kept in the URL. */

import type { StatsDimension } from "@headwater/contract";
import { STATS_GOAL_DIMENSION } from "@headwater/contract/stats-words";
import { Paper, Tabs } from "@mantine/core";
import type { ReactNode } from "react";
import { loadLater } from "../../ui/load-later.tsx";
import { Loading } from "../../ui/page-states.tsx";
import { GoalsTable } from "./goals-table.tsx";
import type { Breakdown } from "./lists/breakdown.ts";
import { BreakdownTable, LOADING_ROWS } from "./lists/breakdown-table.tsx";
import { PropertiesList } from "./properties-list.tsx";
import type { StatsView } from "./use-stats-view.ts";
import { VITAL_METRICS, WebVitals } from "./web-vitals.tsx";

const CountryMap = loadLater(async () => (await import("./lists/country-map.tsx")).CountryMap);

interface PanelTab {
  /** Its name in the URL. */
  readonly value: string;
  readonly label: string;
  render(view: StatsView): ReactNode;
}
export interface PanelDefinition {
  readonly id: string;
  readonly label: string;
  readonly tabs: readonly [PanelTab, ...PanelTab[]];
}

const table = (label: string, breakdown: Breakdown, value: string = breakdown.dimension): PanelTab => ({
  value,
  label,
  render: (view) => <BreakdownTable breakdown={breakdown} view={view} />,
});
const byVisitors = (dimension: StatsDimension, label: string): PanelTab =>
  table(label, { dimension, metrics: ["visitors", "sessions"] });

/** @param parent what the versions are of: 18 is a version of several systems */
const versions = (dimension: StatsDimension, label: string, parent: StatsDimension): PanelTab =>
  table(label, { dimension, parent, metrics: ["visitors", "sessions"] });

/** The figures cover the visitors whose page loads were measured. */
const vitalsBy = (dimension: StatsDimension, label: string): PanelTab =>
  table(label, {
    dimension,
    metrics: ["visitors", ...VITAL_METRICS],
    filter: { dimension: "event", operator: "is", value: "web_vitals" },
  });

export const PANELS: readonly PanelDefinition[] = [
  {
    id: "pages",
    label: "Pages",
    tabs: [
      table("Top pages", { dimension: "page", metrics: ["visitors", "pageviews", "timeOnPage"] }),
      table("Entry pages", { dimension: "entryPage", metrics: ["sessions", "bounceRate"] }),
      table("Exit pages", { dimension: "exitPage", metrics: ["sessions", "visitors"] }),
      table("Hosts", { dimension: "host", metrics: ["visitors", "pageviews"] }),
      table(
        "Engagement",
        {
          dimension: "page",
          metrics: ["visitors", "timeOnPage", "scrollDepth"],
          hint: "No time or scroll depth was reported. Turn on “Measure engagement” in the source's settings and install the new snippet.",
        },
        "engagement",
      ),
    ],
  },
  {
    id: "from",
    label: "Acquisition",
    tabs: [
      byVisitors("source", "Sources"),
      byVisitors("channel", "Channels"),
      byVisitors("referrer", "Referrers"),
      byVisitors("utmCampaign", "Campaigns"),
      byVisitors("utmSource", "UTM source"),
      byVisitors("utmMedium", "Medium"),
      byVisitors("utmTerm", "Term"),
      byVisitors("utmContent", "Content"),
    ],
  },
  {
    id: "with",
    label: "Devices",
    tabs: [
      byVisitors("device", "Devices"),
      byVisitors("browser", "Browsers"),
      byVisitors("os", "Systems"),
      versions("browserVersion", "Browser versions", "browser"),
      versions("osVersion", "System versions", "os"),
      byVisitors("screen", "Screens"),
    ],
  },
  {
    id: "places",
    label: "Locations",
    tabs: [
      byVisitors("country", "Countries"),
      { value: "map", label: "Map", render: (view) => <CountryMap view={view} /> },
      byVisitors("region", "Regions"),
      byVisitors("city", "Cities"),
      byVisitors("locale", "Languages"),
    ],
  },
  {
    id: "goals",
    label: "Goals",
    tabs: [
      { value: STATS_GOAL_DIMENSION, label: "Goals", render: (view) => <GoalsTable view={view} /> },
      table("Revenue", {
        dimension: "currency",
        metrics: ["events", "revenue"],
        filter: { dimension: "currency", operator: "is_not", value: null },
        hint: 'No revenue. Send it in the properties of an event: revenue: {amount: 49.9, currency: "EUR"}.',
      }),
    ],
  },
  {
    id: "events",
    label: "Events",
    tabs: [
      table("Events", { dimension: "event", metrics: ["events", "visitors"] }),
      { value: "properties", label: "Properties", render: (view) => <PropertiesList view={view} /> },
    ],
  },
  {
    id: "vitals",
    label: "Web vitals",
    tabs: [
      { value: "all", label: "Web vitals", render: (view) => <WebVitals view={view} /> },
      vitalsBy("page", "By page"),
      vitalsBy("device", "By device"),
      vitalsBy("country", "By country"),
    ],
  },
];

interface BreakdownPanelProps {
  readonly panel: PanelDefinition;
  readonly view: StatsView;
  /** False while the chart above is loading: its queries go first. */
  readonly isReady: boolean;
}

export function BreakdownPanel({ panel: { id, label, tabs }, view, isReady }: BreakdownPanelProps) {
  const [first] = tabs;
  const { value: selected } = tabs.find(({ value }) => value === view.params[id]) ?? first;
  return (
    <Paper withBorder p="md" pt="xs" radius="lg" component="section" aria-label={label} className="panel">
      <Tabs
        value={selected}
        onChange={(value) => view.update({ [id]: value === first.value ? undefined : (value ?? undefined) })}
        keepMounted={false}
      >
        <Tabs.List aria-label={label}>
          {tabs.map((tab) => (
            <Tabs.Tab key={tab.value} value={tab.value}>
              {tab.label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map((tab) => (
          <Tabs.Panel key={tab.value} value={tab.value} pt="xs">
            {tab.value === selected && (isReady ? tab.render(view) : <Loading rows={LOADING_ROWS} />)}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Paper>
  );
}
