/** The properties of the events, or the values of the selected property. */
import { Button, Group, Table, Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { formatCount } from "../../ui/format-count.ts";
import { QueryResult } from "../../ui/page-states.tsx";
import { BreakdownTable } from "./breakdown-table.tsx";
import type { StatsView } from "./use-stats-view.ts";

export function PropertiesList({ view }: { readonly view: StatsView }) {
  const { params, update } = view;
  const selected = params.property ?? "";
  if (selected === "") return <PropertyNames view={view} />;
  return (
    <>
      <Group gap="sm" mb="xs">
        <Button size="xs" variant="default" onClick={() => update({ property: undefined })}>
          All properties
        </Button>
        <Text size="sm" fw={600} className="wrap">
          {selected}
        </Text>
      </Group>
      <BreakdownTable
        key={selected}
        dimension={`property:${selected}`}
        metrics={["events", "visitors"]}
        view={view}
      />
    </>
  );
}

function PropertyNames({ view: { scope, params, update } }: { readonly view: StatsView }) {
  const query = useQuery({
    queryKey: ["stats", "properties", scope],
    queryFn: ({ signal }) => api.queryProperties({ body: scope, signal }),
    placeholderData: (previous) => previous,
  });
  return (
    <QueryResult query={query}>
      {({ properties }) => (
        <>
          <Text size="sm" c="dimmed">
            {params.event === undefined
              ? "Properties of all events. Select an event to see only its properties."
              : "Properties of the selected event."}
          </Text>
          {properties.length === 0 ? (
            <Text size="sm" c="dimmed" py="md">
              No properties in this period
            </Text>
          ) : (
            <PropertyTable properties={properties} onSelect={(property) => update({ property })} />
          )}
        </>
      )}
    </QueryResult>
  );
}

interface PropertyTableProps {
  readonly properties: readonly { readonly name: string; readonly events: number }[];
  readonly onSelect: (name: string) => void;
}

function PropertyTable({ properties, onSelect }: PropertyTableProps) {
  const highest = Math.max(...properties.map(({ events }) => events), 1);
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
              <span className="ranking-bar" style={{ width: `${(events / highest) * 100}%` }} />
              <UnstyledButton title={name} onClick={() => onSelect(name)}>
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
