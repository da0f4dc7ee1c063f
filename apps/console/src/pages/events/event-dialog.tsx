/** A dialog with one event: what was seen of it, and its properties in the plan, as a table or as a JSON Schema. */
import type { CatalogEvent, DebugData, PlannedEvent, PlanVersion, Source } from "@headwater/contract";
import { useState } from "react";
import { AsyncButton } from "../../ui/async-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FactList } from "../../ui/fact-list.tsx";
import { formatCount } from "../../ui/format-count.ts";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { Button, Group, Stack, Text } from "../../ui/primitives/elements.tsx";
import { NativeSelect, Textarea, TextInput } from "../../ui/primitives/fields.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { useConfirmLeave, useUnsavedChanges } from "../../ui/unsaved-changes.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { LatestEventsLink } from "../visitor/latest-events-link.tsx";
import { type KnownEvent, withEvent } from "./plan-events.ts";
import { useSavePlan } from "./plan-queries.ts";
import { addProperty, type EventSchema, isTable, otherKeywords, readRows, seenType } from "./plan-table.ts";
import { PropertyTable } from "./property-table.tsx";

interface EventDialogProps {
  readonly source: Source;
  readonly version: PlanVersion;
  readonly event: KnownEvent;
  /** Those of this event. */
  readonly violations: DebugData["planViolations"];
  readonly onClose: () => void;
}

export const EventDialog = (props: EventDialogProps) => {
  const { source, event, onClose } = props;
  const confirmLeave = useConfirmLeave();
  const leave = async () => {
    if (await confirmLeave()) onClose();
  };
  return (
    <Dialog opened onClose={() => void leave()} title={event.name} isWide>
      <Stack>
        {event.seen ? (
          <>
            <SeenEvent seen={event.seen} />
            <LatestEventsLink sourceId={source.sourceId} name={event.name} />
          </>
        ) : (
          <Text>No event with this name has been accepted yet.</Text>
        )}
        <PlanForm {...props} />
      </Stack>
    </Dialog>
  );
};

const NO_PAGES =
  "A page is listed once three sessions have sent the event from it. Paths longer than 100 characters are not listed.";

const SeenEvent = ({ seen }: { readonly seen: CatalogEvent }) => (
  <FactList
    className="facts seen-facts"
    facts={[
      ["Events", formatCount(seen.events)],
      ["First received", <RelativeTime key="first" at={seen.firstSeenAt} />],
      ["Last received", <RelativeTime key="last" at={seen.lastSeenAt} />],
      ["Client versions", seen.clientVersions.join(", ") || "—"],
      ["Pages", <SeenPages key="pages" pages={seen.pages} />],
    ]}
  />
);

/** Further pages are folded. */
const MAX_PAGES = 2;

function SeenPages({ pages }: Pick<CatalogEvent, "pages">) {
  if (pages.length === 0) return `None yet. ${NO_PAGES}`;
  if (pages.length <= MAX_PAGES) return pages.join(", ");
  return (
    <details>
      <summary>
        {pages.slice(0, MAX_PAGES).join(", ")} and {formatCount(pages.length - MAX_PAGES)} more
      </summary>
      {pages.slice(MAX_PAGES).join(", ")}
    </details>
  );
}

const OWN_MODES = [
  { value: "", label: "Same as the plan" },
  { value: "off", label: "Do not check" },
  { value: "warn", label: "Warn" },
  { value: "reject", label: "Reject" },
];

/** @returns a schema for the types of the properties that were seen */
const schemaOfSeen = (seen: CatalogEvent | null): EventSchema => ({
  type: "object",
  properties: Object.fromEntries(
    (seen?.properties ?? []).map(({ name, types }) => {
      const type = seenType(types);
      return [name, type === null ? {} : { type }];
    }),
  ),
});

const toJson = (schema: EventSchema) => JSON.stringify(schema, null, 2);

/** @returns null: the text is not a JSON object */
function parseSchema(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return value instanceof Object && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function PlanForm({ source, version, event, violations, onClose }: EventDialogProps) {
  const { name, planned, seen } = event;
  const { can } = useWorkspace();
  const [opened] = useState(() => ({
    mode: planned?.mode ?? "",
    text: toJson(planned?.schema ?? schemaOfSeen(seen)),
  }));
  const [mode, setMode] = useState<string>(opened.mode);
  const [text, setText] = useState(opened.text);
  useUnsavedChanges(mode !== opened.mode || text !== opened.text);
  const [isJson, setJson] = useState(false);
  const save = useSavePlan(source, version.version);
  const schema = parseSchema(text);
  const isLocked = !can("sources:write");
  const store = (stored: PlannedEvent | null) =>
    save.mutateAsync(withEvent(version.plan, name, stored)).then(onClose, () => undefined);
  const isShownAsTable = !isJson && schema !== null && isTable(schema);
  return (
    <>
      <Group justify="space-between" align="flex-end">
        <NativeSelect
          label="Events that violate the schema"
          data={OWN_MODES}
          value={mode}
          disabled={isLocked}
          onChange={({ currentTarget: { value } }) => setMode(value)}
        />
        <Button variant="default" aria-pressed={!isShownAsTable} onClick={() => setJson(isShownAsTable)}>
          {isShownAsTable ? "JSON Schema" : "Table"}
        </Button>
      </Group>
      {isShownAsTable ? (
        <PropertyEditor
          schema={schema}
          seen={seen}
          violations={violations}
          onChange={isLocked ? null : (changed) => setText(toJson(changed))}
        />
      ) : (
        <Textarea
          label="JSON Schema for the properties"
          minRows={4}
          maxRows={20}
          spellCheck={false}
          className="schema-field"
          value={text}
          readOnly={isLocked}
          error={schema === null && "Enter a JSON object."}
          onChange={({ currentTarget: { value } }) => setText(value)}
        />
      )}
      {save.error && <ErrorAlert error={save.error} withIssues />}
      {!isLocked && (
        <Group justify="flex-end">
          {planned && (
            <AsyncButton
              variant="default"
              className="plan-removal"
              isPending={save.isPending}
              onPress={() => store(null)}
            >
              Remove from plan
            </AsyncButton>
          )}
          <AsyncButton
            isPending={save.isPending}
            // the field says what is wrong
            disabled={schema === null}
            onPress={() =>
              // the options are modes
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

interface PropertyEditorProps extends Pick<EventDialogProps, "violations"> {
  readonly schema: EventSchema;
  readonly seen: CatalogEvent | null;
  readonly onChange: ((schema: EventSchema) => void) | null;
}

function PropertyEditor({ schema, seen, violations, onChange }: PropertyEditorProps) {
  const rows = readRows(schema, seen);
  const others = otherKeywords(schema);
  return (
    <>
      <ScrollRegion label="Properties">
        <PropertyTable schema={schema} rows={rows} violations={violations} onChange={onChange} />
      </ScrollRegion>
      {onChange && (
        <NewProperty
          isTaken={(name) => rows.some((row) => row.isPlanned && row.name === name)}
          onAdd={(name) => onChange(addProperty(schema, { name, seen: null }))}
        />
      )}
      <Text size="sm" c="dimmed">
        Examples are values that at least three sessions sent.
        {others.length > 0 && (
          <>
            {" "}
            The schema also has <span className="wrap">{others.join(", ")}</span>. Switch to JSON Schema to
            see all of it.
          </>
        )}
      </Text>
    </>
  );
}

interface NewPropertyProps {
  readonly isTaken: (name: string) => boolean;
  readonly onAdd: (name: string) => void;
}

/** The field for a property that no event had yet. */
function NewProperty({ isTaken, onAdd }: NewPropertyProps) {
  const [name, setName] = useState("");
  const taken = isTaken(name);
  const add = () => {
    if (name === "" || taken) return;
    onAdd(name);
    setName("");
  };
  return (
    <Group gap="xs" align="flex-start" className="new-property">
      <TextInput
        aria-label="New property"
        placeholder="New property"
        spellCheck={false}
        value={name}
        error={taken && "The plan already has this property."}
        onChange={({ currentTarget: { value } }) => setName(value)}
        onKeyDown={(event) => event.key === "Enter" && add()}
      />
      <Button variant="default" onClick={add}>
        Add property
      </Button>
    </Group>
  );
}
