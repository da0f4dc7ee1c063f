/** A menu that chooses the dimensions or the metrics of a table. It is searched, and stays open while one chooses. */
import { useState } from "react";
import { Dropdown, MenuItem, MenuTitle } from "../../../ui/dropdown.tsx";
import { TextInput } from "../../../ui/primitives/fields.tsx";
import type { TableField } from "./fields.ts";

/** More fields than these are found by search only. A source may have a hundred properties. */
const MAX_SHOWN = 80;

interface FieldMenuProps<Name extends string> {
  readonly label: string;
  readonly fields: readonly TableField<Name>[];
  readonly chosen: readonly TableField<Name>[];
  /** How many can be chosen. */
  readonly limit: number;
  readonly onChange: (names: readonly Name[]) => void;
}

export function FieldMenu<Name extends string>(props: FieldMenuProps<Name>) {
  const text = props.chosen.map(({ label }) => label).join(", ") || "None";
  return (
    <Dropdown
      label={`${props.label}: ${text}`}
      button={
        <>
          <span className="explore-label">{props.label}:</span> <span className="dropdown-text">{text}</span>
        </>
      }
    >
      {() => <FieldList {...props} />}
    </Dropdown>
  );
}

/** @returns those whose label, group or name in the API contains all words of the text */
function matchFields<Name extends string>(
  fields: readonly TableField<Name>[],
  text: string,
): TableField<Name>[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return fields.filter(({ label, group, name }) =>
    words.every((word) => `${label} ${group} ${name}`.toLowerCase().includes(word)),
  );
}

function FieldList<Name extends string>({ label, fields, chosen, limit, onChange }: FieldMenuProps<Name>) {
  const [text, setText] = useState("");
  const found = matchFields(fields, text);
  const names = chosen.map(({ name }) => name);
  const isFull = names.length >= limit;
  const toggle = (name: Name) =>
    onChange(names.includes(name) ? names.filter((chosenName) => chosenName !== name) : [...names, name]);
  const groups = Map.groupBy(found.slice(0, MAX_SHOWN), ({ group }) => group);
  return (
    <div className="explore-fields">
      <TextInput
        aria-label={`Search ${label.toLowerCase()}`}
        placeholder="Search"
        icon="search"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div className="explore-list">
        {isFull && <MenuTitle>At most {limit}. Remove one to choose another.</MenuTitle>}
        {[...groups].map(([group, members]) => (
          <div key={group}>
            <MenuTitle>{group}</MenuTitle>
            {members.map(({ name, label: fieldLabel }) => (
              <MenuItem
                key={name}
                isSelected={names.includes(name)}
                isDisabled={isFull && !names.includes(name)}
                onSelect={() => toggle(name)}
              >
                {fieldLabel}
              </MenuItem>
            ))}
          </div>
        ))}
        {found.length > MAX_SHOWN && (
          <MenuTitle>{found.length - MAX_SHOWN} more. Type to find them.</MenuTitle>
        )}
        {found.length === 0 && <MenuTitle>No field for this table matches “{text}”.</MenuTitle>}
      </div>
    </div>
  );
}
