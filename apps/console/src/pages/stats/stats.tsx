/** What a source's events come to: numbers over time, who came from where, funnels, and who comes back. */
import type { Source } from "@headwater/contract";
import { Group, SegmentedControl, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { sourceQuery } from "../../queries.ts";
import { ButtonLink } from "../../ui/link.tsx";
import { Empty } from "../../ui/states.tsx";
import { SourcePage } from "../sources/source-page.tsx";
import { FilterChips } from "./filter-chips.tsx";
import { Funnel } from "./funnel.tsx";
import { Live } from "./live.tsx";
import { Overview } from "./overview.tsx";
import { Retention } from "./retention.tsx";
import "./stats.css";
import { Toolbar } from "./toolbar.tsx";
import { useView } from "./view.ts";

const VIEWS = [
  { value: "overview", label: "Overview", View: Overview },
  { value: "funnel", label: "Funnel", View: Funnel },
  { value: "retention", label: "Retention", View: Retention },
] as const;

/** A first event is looked for this often. */
const FIRST_EVENT_MS = 3_000;

export const StatsPage = () => (
  <SourcePage title="What the events come to" permission="stats:read">
    {(source) =>
      source.lastEventAt === null ? <NoEvents sourceId={source.sourceId} /> : <Stats source={source} />
    }
  </SourcePage>
);

function NoEvents({ sourceId }: { readonly sourceId: string }) {
  useQuery({ ...sourceQuery(sourceId), refetchInterval: FIRST_EVENT_MS });
  return (
    <Empty
      title="No event yet"
      action={
        <ButtonLink to="/analytics/setup/install" search={{ sourceId }}>
          Install the snippet
        </ButtonLink>
      }
    >
      The numbers are here as soon as the first event has come.
    </Empty>
  );
}

function Stats({ source: { sourceId } }: { readonly source: Source }) {
  const view = useView(sourceId);
  const shown = VIEWS.find(({ value }) => value === view.search.view) ?? VIEWS[0];
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="md">
        <SegmentedControl
          aria-label="View"
          data={VIEWS.map(({ value, label }) => ({ value, label }))}
          value={shown.value}
          onChange={(value) => view.change({ view: value === "overview" ? undefined : value })}
        />
        <Live sourceId={sourceId} />
      </Group>
      <Toolbar view={view} canCompare={shown.value === "overview"} />
      <FilterChips view={view} />
      <shown.View view={view} />
    </Stack>
  );
}
