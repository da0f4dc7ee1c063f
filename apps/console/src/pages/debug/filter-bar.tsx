/** What the list is narrowed to; it stands in the address, so that it can be sent to somebody. */
import { Button, Group, NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import type { AttemptFilters } from "./follow-attempts.ts";

const FIELDS = ["kind", "outcome", "code", "origin", "sessionId", "anonymousId"] as const;
type Field = (typeof FIELDS)[number];

/** Of an address: what is no filter is left out. */
export function filtersOf(search: Readonly<Record<string, string | undefined>>): AttemptFilters {
  const given = FIELDS.flatMap((field) => (search[field] ? [[field, search[field]] as const] : []));
  return Object.fromEntries(given) as AttemptFilters;
}

interface FilterBarProps {
  readonly filters: AttemptFilters;
  readonly onChange: (filters: Partial<Record<Field, string | undefined>>) => void;
}

export function FilterBar({ filters, onChange }: FilterBarProps) {
  const isNarrowed = Object.keys(filters).length > 0;
  return (
    <Group gap="sm" align="flex-end" component="search" className="filters">
      <NativeSelect
        label="Kind"
        value={filters.kind ?? ""}
        data={[
          { value: "", label: "Both" },
          { value: "bootstrap", label: "Bootstrap" },
          { value: "events", label: "Events" },
        ]}
        onChange={(event) => onChange({ kind: event.currentTarget.value })}
      />
      <NativeSelect
        label="Outcome"
        value={filters.outcome ?? ""}
        data={[
          { value: "", label: "Any" },
          { value: "succeeded", label: "Succeeded" },
          { value: "partial", label: "Partial" },
          { value: "failed", label: "Failed" },
        ]}
        onChange={(event) => onChange({ outcome: event.currentTarget.value })}
      />
      <FilterText label="Code" field="code" filters={filters} onChange={onChange} />
      <FilterText label="Origin" field="origin" filters={filters} onChange={onChange} />
      <FilterText label="Session" field="sessionId" filters={filters} onChange={onChange} />
      <FilterText label="Visitor" field="anonymousId" filters={filters} onChange={onChange} />
      {isNarrowed && (
        <Button
          variant="default"
          onClick={() => onChange(Object.fromEntries(FIELDS.map((field) => [field, undefined])))}
        >
          Clear
        </Button>
      )}
    </Group>
  );
}

interface FilterTextProps extends FilterBarProps {
  readonly label: string;
  readonly field: Exclude<Field, "kind" | "outcome">;
}

/** Asked for when it is whole: at Enter, or when the field is left. */
function FilterText({ label, field, filters, onChange }: FilterTextProps) {
  const given = filters[field] ?? "";
  const [text, setText] = useState(given);
  const [shown, setShown] = useState(given);
  if (shown !== given) {
    setShown(given);
    setText(given);
  }
  const apply = () => text.trim() !== given && onChange({ [field]: text.trim() });
  return (
    <TextInput
      label={label}
      value={text}
      spellCheck={false}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => event.key === "Enter" && apply()}
    />
  );
}
