/** A panel below the chart with tabs for related breakdowns. The selected tab is kept in the URL. */

import type { StatsDimension } from "@headwater/contract";
import { STATS_GOAL_DIMENSION } from "@headwater/contract/stats-words";
import type { ReactNode } from "react";
import { loadLater } from "../../ui/load-later.tsx";
import { Loading } from "../../ui/page-states.tsx";
import { Paper } from "../../ui/primitives/elements.tsx";
import { GoalsTable } from "./goals/goals-table.tsx";
import type { Breakdown } from "./lists/breakdown.ts";
import { BreakdownTable, LOADING_ROWS } from "./lists/breakdown-table.tsx";
import { PanelTabs, type TabName } from "./lists/panel-tabs.tsx";
import { VITAL_METRICS } from "./lists/vital-ratings.ts";
import { isOfSeveral, type StatsView } from "./use-stats-view.ts";
import { RatingLegend, VitalsNote, WebVitals } from "./web-vitals.tsx";

const CountryMap = loadLater(async () => (await import("./lists/country-map.tsx")).CountryMap);
const PropertiesList = loadLater(async () => (await import("./properties-list.tsx")).PropertiesList);

interface PanelTab extends TabName {
  render(view: StatsView): ReactNode;
}
type TabList = readonly [PanelTab, ...PanelTab[]];
interface PanelDefinition {
  readonly id: string;
  readonly label: string;
  readonly tabs: TabList;
  /** How many rows its first list usually has, if it is a short one. */
  readonly rows?: number;
}

const table = (label: string, breakdown: Breakdown, value: string = breakdown.dimension): PanelTab => ({
  value,
  label,
  render: (view) => <BreakdownTable breakdown={breakdown} view={view} title={label} />,
});
const byVisitors = (dimension: StatsDimension, label: string): PanelTab =>
  table(label, { dimension, metrics: ["visitors", "sessions"] });
const ofMenu = (menu: string, tab: PanelTab): PanelTab => ({ ...tab, menu });
/** Tabs that share one tab with a menu. */
const menuOf = (menu: string, [first, ...others]: TabList): TabList => [
  ofMenu(menu, first),
  ...others.map((tab) => ofMenu(menu, tab)),
];

/** A tab with a menu. @param parent what the versions are of: 18 is a version of several systems */
const withVersions = (parent: StatsDimension, dimension: StatsDimension, labels: [string, string]) => [
  ofMenu(parent, byVisitors(parent, labels[0])),
  ofMenu(parent, table(labels[1], { dimension, parent, metrics: ["visitors", "sessions"] })),
];

const byViews = (dimension: StatsDimension, label: string): PanelTab =>
  table(label, { dimension, metrics: ["visitors", "pageviews"] });
const PAGES: TabList = [
  {
    ...table("Top pages", { dimension: "page", metrics: ["visitors", "pageviews", "timeOnPage"] }),
    short: "Pages",
  },
  byViews("folder:1", "Folders"),
  byViews("folder:2", "Folders (2 levels)"),
  byViews("contentGroup", "Content groups"),
];
const SOURCES: TabList = [
  { ...byVisitors("source", "Traffic sources"), short: "Traffic" },
  byVisitors("referrer", "Referrers"),
];
const byFirstVisit = (dimension: StatsDimension, label: string): PanelTab =>
  table(label, { dimension, metrics: ["visitors", "newVisitors"] });
const FIRST_VISITS: TabList = [
  { ...byVisitors("visitorType", "New visitors"), short: "New" },
  byFirstVisit("firstSource", "First traffic source"),
  byFirstVisit("firstChannel", "First channel"),
  byFirstVisit("firstUtmCampaign", "First campaign"),
  byFirstVisit("firstEntryPage", "First entry page"),
];
const CAMPAIGNS: TabList = [
  byVisitors("utmCampaign", "Campaigns"),
  byVisitors("utmSource", "UTM source"),
  byVisitors("utmMedium", "UTM medium"),
  byVisitors("utmTerm", "UTM term"),
  byVisitors("utmContent", "UTM content"),
];

/** The figures cover the visitors whose page loads were measured. */
function vitalsBy(dimension: StatsDimension, label: string): PanelTab {
  const tab = table(`Web vitals ${label.toLowerCase()}`, {
    dimension,
    metrics: ["visitors", ...VITAL_METRICS],
    filter: { dimension: "event", operator: "is", value: "web_vitals" },
    hint: "No web vitals in this range. To measure them, go to the Install page, turn on Web vitals and copy the new snippet to your site.",
  });
  return {
    ...tab,
    label,
    render: (view) => (
      <>
        <VitalsNote />
        <RatingLegend />
        {tab.render(view)}
      </>
    ),
  };
}

/** Two beside each other, so lists of about the same length are neighbours. */
const PANELS: readonly PanelDefinition[] = [
  {
    id: "pages",
    label: "Pages",
    tabs: [
      ...menuOf("pages", PAGES),
      {
        ...table("Entry pages", { dimension: "entryPage", metrics: ["sessions", "bounceRate"] }),
        short: "Entry",
      },
      { ...table("Exit pages", { dimension: "exitPage", metrics: ["sessions", "visitors"] }), short: "Exit" },
      table("Hosts", { dimension: "host", metrics: ["visitors", "pageviews"] }),
      table(
        "Engagement",
        {
          dimension: "page",
          metrics: ["visitors", "timeOnPage", "scrollDepth"],
          hint: "No time or scroll depth was reported. Check that “Measure engagement” is on in the source’s settings and that the site has the current snippet.",
        },
        "engagement",
      ),
    ],
  },
  {
    id: "from",
    label: "Acquisition",
    tabs: [
      ...menuOf("sources", SOURCES),
      byVisitors("channel", "Channels"),
      ...menuOf("campaigns", CAMPAIGNS),
      ...menuOf("first", FIRST_VISITS),
    ],
  },
  {
    id: "goals",
    label: "Goals",
    rows: 3,
    tabs: [
      { value: STATS_GOAL_DIMENSION, label: "Goals", render: (view) => <GoalsTable view={view} /> },
      table("Revenue", {
        dimension: "currency",
        metrics: ["events", "revenue"],
        changed: "revenue",
        hasAverage: true,
        filter: { dimension: "currency", operator: "is_not", value: null },
        hint: 'No revenue in this range. Send it as an event property, such as revenue: {amount: 49.9, currency: "EUR"}.',
      }),
    ],
  },
  {
    id: "with",
    label: "Devices",
    rows: 3,
    tabs: [
      byVisitors("device", "Devices"),
      ...withVersions("browser", "browserVersion", ["Browsers", "Browser versions"]),
      ...withVersions("os", "osVersion", ["OS", "OS versions"]),
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

const SITES: PanelDefinition = {
  id: "sites",
  label: "Sources",
  tabs: [table("Sources", { dimension: "site", metrics: ["visitors", "sessions"] })],
};
/** Panels and tabs that belong to one source: goals, the way to turn on web vitals, properties and content groups. */
const OF_ONE_SOURCE: ReadonlySet<string> = new Set(["goals", "vitals", "properties", "contentGroup"]);
const PANELS_OF_SEVERAL: readonly PanelDefinition[] = [
  SITES,
  ...PANELS.filter(({ id }) => !OF_ONE_SOURCE.has(id)).map(
    ({ tabs: [first, ...others], ...panel }): PanelDefinition => ({
      ...panel,
      tabs: [first, ...others.filter(({ value }) => !OF_ONE_SOURCE.has(value))],
    }),
  ),
];
export const panelsFor = (view: StatsView) => (isOfSeveral(view) ? PANELS_OF_SEVERAL : PANELS);

interface BreakdownPanelProps {
  readonly panel: PanelDefinition;
  readonly view: StatsView;
  /** False while the chart above is loading: its queries go first. */
  readonly isReady: boolean;
}

export function BreakdownPanel({ panel, view, isReady }: BreakdownPanelProps) {
  const { id, label, tabs, rows = LOADING_ROWS } = panel;
  const [first] = tabs;
  const shown = tabs.find(({ value }) => value === view.params[id]) ?? first;
  const { value: selected } = shown;
  const select = (value: string) => {
    if (value !== selected) view.update({ [id]: value === first.value ? undefined : value });
  };
  return (
    <Paper p="md" pt="xs" component="section" aria-label={label} className="panel">
      <PanelTabs label={label} tabs={tabs} selected={selected} onSelect={select}>
        {isReady ? shown.render(view) : <Loading rows={rows} />}
      </PanelTabs>
    </Paper>
  );
}
