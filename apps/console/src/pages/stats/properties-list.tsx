/** Which properties the events carry, and the values of one of them. */
import { Button, Group, Table, Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { callApi } from "../../api.ts";
import { formatCount } from "../../ui/format-count.ts";
import { QueryResult } from "../../ui/page-states.tsx";
import { BreakdownTable } from "./breakdown-table.tsx";
import type { StatsView } from "./use-stats-view.ts";

export function PropertiesList({ view }: { readonly view: StatsView }) {
  const { search, change } = view;
  const asked = search.property ?? "";
  if (asked === "") return <PropertyNames view={view} />;
  return (
    <>
      <Group gap="sm" mb="xs">
        <Button size="xs" variant="default" onClick={() => change({ property: undefined })}>
          All properties
        </Button>
        <Text size="sm" fw={600} className="wrap">
          {asked}
        </Text>
      </Group>
      <BreakdownTable
        key={asked}
        dimension={`property:${asked}`}
        metrics={["events", "visitors"]}
        view={view}
      />
    </>
  );
}

function PropertyNames({ view: { asked, search, change } }: { readonly view: StatsView }) {
  const query = useQuery({
    queryKey: ["stats", "properties", asked],
    queryFn: ({ signal }) => callApi("queryProperties", { body: asked, signal }),
    placeholderData: (before) => before,
  });
  return (
    <QueryResult query={query}>
      {({ properties }) => (
        <>
          <Text size="sm" c="dimmed">
            {search.event === undefined
              ? "Of all events; choose one in the list of events to see its own."
              : "Of the chosen event."}
          </Text>
          {properties.length === 0 ? (
            <Text size="sm" c="dimmed" py="md">
              No event of these days carries any.
            </Text>
          ) : (
            <PropertyTable properties={properties} onChoose={(property) => change({ property })} />
          )}
        </>
      )}
    </QueryResult>
  );
}

interface PropertyTableProps {
  readonly properties: readonly { readonly name: string; readonly events: number }[];
  readonly onChoose: (name: string) => void;
}

function PropertyTable({ properties, onChoose }: PropertyTableProps) {
  const most = Math.max(...properties.map(({ events }) => events), 1);
  return (
    <Table className="ranking" verticalSpacing={4} horizontalSpacing="xs" withRowBorders={false}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Property</Table.Th>
          <Table.Th className="ranking-figure">Events</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {properties.map(({ name, events }) => (
          <Table.Tr key={name}>
            <Table.Td className="ranking-name">
              <span className="ranking-bar" style={{ width: `${(events / most) * 100}%` }} />
              <UnstyledButton title={name} onClick={() => onChoose(name)}>
                {name}
              </UnstyledButton>
            </Table.Td>
            <Table.Td className="ranking-figure">{formatCount(events)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
