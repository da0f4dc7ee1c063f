/** A dialog with one event: what was seen of it, and its schema in the plan. */
import type { CatalogEvent, PlannedEvent, PlanVersion, Source } from "@headwater/contract";
import { Group, NativeSelect, Stack, Table, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { AsyncButton } from "../../ui/async-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatWholePercent, pluralize } from "../../ui/format-count.ts";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { LatestEventsLink } from "../visitor/latest-events-link.tsx";
import { type KnownEvent, withEvent } from "./plan-events.ts";
import { useSavePlan } from "./plan-queries.ts";

interface EventDialogProps {
  readonly source: Source;
  readonly version: PlanVersion;
  readonly event: KnownEvent;
  readonly onClose: () => void;
}

export const EventDialog = ({ source, version, event, onClose }: EventDialogProps) => (
  <Dialog opened onClose={onClose} title={event.name} isWide>
    <Stack>
      {event.seen ? (
        <>
          <SeenEvent seen={event.seen} />
          <LatestEventsLink sourceId={source.sourceId} name={event.name} />
        </>
      ) : (
        <Text>No such event was accepted yet.</Text>
      )}
      <PlanForm source={source} version={version} event={event} onClose={onClose} />
    </Stack>
  </Dialog>
);

const SeenEvent = ({ seen }: { readonly seen: CatalogEvent }) => (
  <>
    <Text className="wrap">
      {pluralize(seen.events, "event")}, first seen <RelativeTime at={seen.firstSeenAt} />, last seen{" "}
      <RelativeTime at={seen.lastSeenAt} />. Client versions: {seen.clientVersions.join(", ") || "—"}. Pages:{" "}
      {seen.pages.join(", ") || "—"}.
    </Text>
    {seen.properties.length === 0 ? (
      <Text>The events have no properties.</Text>
    ) : (
      <ScrollRegion label="Properties">
        <Table verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Property</Table.Th>
              <Table.Th>Types</Table.Th>
              <Table.Th>Coverage</Table.Th>
              <Table.Th>Examples</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {seen.properties.map(({ name, types, coverage, examples }) => (
              <Table.Tr key={name}>
                <Table.Td className="wrap">{name}</Table.Td>
                <Table.Td>{types.join(", ")}</Table.Td>
                <Table.Td>{formatWholePercent(coverage)}</Table.Td>
                <Table.Td className="wrap">{examples.join(", ") || "—"}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
    )}
  </>
);

const OWN_MODES = [
  { value: "", label: "Same as the plan" },
  { value: "off", label: "Do not check" },
  { value: "warn", label: "Warn" },
  { value: "reject", label: "Reject" },
];

/** @returns a schema for the types of the properties that were seen; a value that was always null says nothing of others */
const schemaOfSeen = (seen: CatalogEvent | null) => ({
  type: "object",
  properties: Object.fromEntries(
    (seen?.properties ?? []).map(({ name, types }) => [
      name,
      types.every((type) => type === "null") ? {} : { type: types.length === 1 ? types[0] : types },
    ]),
  ),
});

/** @returns null: the text is not a JSON object */
function parseSchema(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return value instanceof Object && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function PlanForm({ source, version, event: { name, planned, seen }, onClose }: EventDialogProps) {
  const { can } = useWorkspace();
  const [mode, setMode] = useState<string>(planned?.mode ?? "");
  const [text, setText] = useState(() => JSON.stringify(planned?.schema ?? schemaOfSeen(seen), null, 2));
  const save = useSavePlan(source, version.version);
  const schema = parseSchema(text);
  const isLocked = !can("sources:write");
  const store = (event: PlannedEvent | null) =>
    save.mutateAsync(withEvent(version.plan, name, event)).then(onClose, () => undefined);
  return (
    <>
      <NativeSelect
        label="Events that violate the schema"
        data={OWN_MODES}
        value={mode}
        disabled={isLocked}
        onChange={({ currentTarget: { value } }) => setMode(value)}
      />
      <Textarea
        label="JSON Schema of the properties"
        autosize
        minRows={4}
        maxRows={20}
        spellCheck={false}
        className="schema-field"
        value={text}
        readOnly={isLocked}
        error={schema === null && "Enter a JSON object."}
        onChange={({ currentTarget: { value } }) => setText(value)}
      />
      {save.error && <ErrorAlert error={save.error} withIssues />}
      {!isLocked && (
        <Group justify="flex-end">
          {planned && (
            <AsyncButton variant="default" isPending={save.isPending} onPress={() => store(null)}>
              Remove from plan
            </AsyncButton>
          )}
          <AsyncButton
            isPending={save.isPending}
            disabled={schema === null}
            onPress={() =>
              schema && store({ mode: ((mode || null) as PlannedEvent["mode"]) ?? null, schema })
            }
          >
            {planned ? "Save event" : "Add to plan"}
          </AsyncButton>
        </Group>
      )}
    </>
  );
}
