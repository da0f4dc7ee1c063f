/** The properties of an event as a table: what is planned, which can be edited, and what was seen. */
import type { DebugData } from "@headwater/contract";
import { useState } from "react";
import { formatWholePercent, pluralize } from "../../ui/format-count.ts";
import { Icon } from "../../ui/icon.tsx";
import { Button, Table, Text } from "../../ui/primitives/elements.tsx";
import { NativeSelect, TextInput } from "../../ui/primitives/fields.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import {
  addProperty,
  type EventSchema,
  formatValues,
  PROPERTY_TYPES,
  type PropertyRow,
  parseValues,
  removeProperty,
  setRequired,
  setType,
  setValues,
} from "./plan-table.ts";

type PropertyViolation = DebugData["planViolations"][number];

interface PlannedTableProps {
  readonly schema: EventSchema;
  readonly rows: readonly PropertyRow[];
  /** Those of this event. */
  readonly violations: readonly PropertyViolation[];
  /** null: the user may not edit the plan. */
  readonly onChange: ((schema: EventSchema) => void) | null;
}

const HEADS = ["Property", "Type", "Required", "Allowed values", "Seen", "Example", "Violations"];

/** Whether the violation is of the property, or of something in it. */
export const isOfProperty = ({ path }: PropertyViolation, name: string): boolean => {
  const own = `properties.${name}`;
  return path === own || path.startsWith(`${own}.`) || path.startsWith(`${own}[`);
};

export function PropertyTable({ schema, rows, violations, onChange }: PlannedTableProps) {
  if (rows.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No properties have been seen or planned yet.
      </Text>
    );
  return (
    <Table className="property-table" verticalSpacing="xs" horizontalSpacing="sm">
      <thead>
        <tr>
          {HEADS.map((head) => (
            <th key={head}>{head}</th>
          ))}
          {onChange && <th aria-label="Actions" />}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name} data-planned={row.isPlanned ? "yes" : undefined}>
            <td className="wrap">
              <strong>
                <bdi>{row.name}</bdi>
              </strong>
              {row.others.length > 0 && (
                <Text size="sm" c="dimmed">
                  also {row.others.join(", ")}
                </Text>
              )}
            </td>
            {row.isPlanned ? (
              <PlannedCells row={row} schema={schema} onChange={onChange} />
            ) : (
              <td colSpan={3} data-label="Plan">
                <Text size="sm" c="dimmed">
                  Not in the plan
                </Text>
              </td>
            )}
            <SeenCells row={row} violations={violations.filter((one) => isOfProperty(one, row.name))} />
            {onChange && (
              <td className="property-action">
                {row.isPlanned ? (
                  <Button
                    size="xs"
                    px="xs"
                    variant="default"
                    aria-label={`Remove ${row.name}`}
                    onClick={() => onChange(removeProperty(schema, row.name))}
                  >
                    <Icon name="close" size={14} />
                  </Button>
                ) : (
                  <Button
                    size="xs"
                    aria-label={`Add ${row.name}`}
                    onClick={() => onChange(addProperty(schema, row))}
                  >
                    Add
                  </Button>
                )}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

interface PlannedCellsProps extends Pick<PlannedTableProps, "schema" | "onChange"> {
  readonly row: PropertyRow;
}

/** The select keeps a schema of several types, or of a type that it does not list. */
const typesFor = (type: string) => [
  { value: "", label: "any" },
  ...PROPERTY_TYPES.map((value) => ({ value, label: value })),
  ...(type === "" || PROPERTY_TYPES.some((known) => known === type) ? [] : [{ value: type, label: type }]),
];

function PlannedCells({ row, schema, onChange }: PlannedCellsProps) {
  const { name, type, isRequired, values, isEditable } = row;
  const shown = values === null ? "any" : formatValues(values, type);
  return (
    <>
      <td data-label="Type">
        {onChange && isEditable ? (
          <NativeSelect
            aria-label={`Type of ${name}`}
            data={typesFor(type)}
            value={type}
            onChange={(event) => onChange(setType(schema, name, event.currentTarget.value))}
          />
        ) : (
          <Text size="sm">{isEditable ? type || "any" : "see JSON Schema"}</Text>
        )}
      </td>
      <td data-label="Required">
        {onChange ? (
          <label className="check">
            <input
              type="checkbox"
              aria-label={`${name} is required`}
              checked={isRequired}
              onChange={(event) => onChange(setRequired(schema, name, event.currentTarget.checked))}
            />
          </label>
        ) : (
          <Text size="sm">{isRequired ? "yes" : "no"}</Text>
        )}
      </td>
      <td data-label="Allowed values" className="wrap">
        {onChange && isEditable ? (
          <ValuesField
            name={name}
            shown={values === null ? "" : shown}
            onChange={(text) => onChange(setValues(schema, name, parseValues(text, type)))}
          />
        ) : (
          <Text size="sm">{isEditable ? shown : "see JSON Schema"}</Text>
        )}
      </td>
    </>
  );
}

interface ValuesFieldProps {
  readonly name: string;
  /** The values of the schema. */
  readonly shown: string;
  readonly onChange: (text: string) => void;
}

/** Keeps what is typed, such as a comma at the end, while the field has the focus. */
function ValuesField({ name, shown, onChange }: ValuesFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      aria-label={`Allowed values of ${name}`}
      placeholder="any"
      spellCheck={false}
      value={typed ?? shown}
      onBlur={() => setTyped(null)}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        onChange(value);
      }}
    />
  );
}

function SeenCells({
  row: { seen },
  violations,
}: {
  readonly row: PropertyRow;
  readonly violations: readonly PropertyViolation[];
}) {
  const [newest] = violations;
  const count = violations.reduce((sum, { events }) => sum + events, 0);
  return (
    <>
      <td data-label="Seen">
        {seen ? `${seen.types.join(", ")}, ${formatWholePercent(seen.coverage)} of events` : "never"}
      </td>
      <td data-label="Example" className="wrap">
        {seen?.examples.length ? (
          <bdi>{seen.examples.join(", ")}</bdi>
        ) : (
          <Text component="span" c="dimmed" size="sm">
            —
          </Text>
        )}
      </td>
      <td data-label="Violations">
        {newest ? (
          <span>
            <span className="property-violations">{pluralize(count, "event")}</span>, last received{" "}
            <RelativeTime at={newest.lastSeenAt} />; found {newest.found}
          </span>
        ) : (
          <Text component="span" c="dimmed" size="sm">
            none
          </Text>
        )}
      </td>
    </>
  );
}
