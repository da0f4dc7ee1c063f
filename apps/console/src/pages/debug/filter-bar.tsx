/** The filters of the attempt list. They are kept in the URL, so that a filtered view can be shared. */
import { type ReactNode, useState } from "react";
import { formatCount } from "../../ui/format-count.ts";
import { Button, Group } from "../../ui/primitives/elements.tsx";
import { NativeSelect, TextInput } from "../../ui/primitives/fields.tsx";
import { PHONE, useMediaQuery } from "../../ui/use-media-query.ts";
import type { OriginRequests } from "./attempt-summary.ts";
import type { AttemptFilters } from "./follow-attempts.ts";
import { OUTCOMES } from "./outcomes.ts";

const TEXT_FIELDS = [
  { field: "code", label: "Error code" },
  { field: "sessionId", label: "Session ID" },
  { field: "anonymousId", label: "Visitor ID" },
] as const;
const FIELDS = ["kind", "outcome", "origin", ...TEXT_FIELDS.map(({ field }) => field)] as const;
type Field = (typeof FIELDS)[number];

/** Reads the filters from the search parameters and ignores all others. */
export function readAttemptFilters(search: Readonly<Record<string, string | undefined>>): AttemptFilters {
  const present = FIELDS.flatMap((field) => (search[field] ? [[field, search[field]] as const] : []));
  return Object.fromEntries(present) as AttemptFilters;
}

interface FilterBarProps {
  readonly filters: AttemptFilters;
  readonly onChange: (filters: Partial<Record<Field, string | undefined>>) => void;
}

/** The origins that were seen, and the one of the filter. */
function originChoices(origins: readonly OriginRequests[], chosen: AttemptFilters["origin"]) {
  const choices = origins.map(({ origin, requests }) => ({
    value: origin,
    label: `${origin} (${formatCount(requests)})`,
  }));
  if (chosen && !origins.some(({ origin }) => origin === chosen))
    choices.push({ value: chosen, label: chosen });
  return [{ value: "", label: "All origins" }, ...choices];
}

interface FilterControlsProps extends FilterBarProps {
  readonly origins: readonly OriginRequests[];
}

export function FilterBar({
  children,
  ...controls
}: FilterControlsProps & {
  /** Controls at the end of the row. */
  readonly children: ReactNode;
}) {
  // one button opens the filters there, so that the first request is in view
  const isPhone = useMediaQuery(PHONE);
  const { filters } = controls;
  const [isExpanded, setExpanded] = useState(false);
  const count = Object.keys(filters).length;
  const hasText = TEXT_FIELDS.some(({ field }) => filters[field] !== undefined);
  const isOpen = isExpanded || (hasText && !isPhone);
  const phoneLabel = count > 0 ? `Filters (${count})` : "Filters";
  const clear = count > 0 && <ClearButton {...controls} />;
  return (
    <search className="attempt-filters">
      <Group gap="sm" align="flex-end">
        {!isPhone && <ChoiceFilters {...controls} />}
        {(isPhone || !hasText) && (
          <Button variant="default" aria-expanded={isOpen} onClick={() => setExpanded(!isExpanded)}>
            {isPhone ? phoneLabel : isOpen ? "Fewer filters" : "More filters"}
          </Button>
        )}
        {!isPhone && clear}
        {children}
      </Group>
      {isOpen && (
        <div className="more-filters">
          {isPhone && <ChoiceFilters {...controls} />}
          {TEXT_FIELDS.map(({ field, label }) => (
            <FilterText key={field} label={label} field={field} {...controls} />
          ))}
          {isPhone && clear}
        </div>
      )}
    </search>
  );
}

const ClearButton = ({ onChange }: FilterBarProps) => (
  <Button
    variant="default"
    onClick={() => onChange(Object.fromEntries(FIELDS.map((field) => [field, undefined])))}
  >
    Clear filters
  </Button>
);

const ChoiceFilters = ({ filters, origins, onChange }: FilterControlsProps) => (
  <>
    <NativeSelect
      aria-label="Kind"
      value={filters.kind ?? ""}
      data={[
        { value: "", label: "All kinds" },
        { value: "bootstrap", label: "Bootstrap" },
        { value: "events", label: "Events" },
      ]}
      onChange={(event) => onChange({ kind: event.currentTarget.value })}
    />
    <NativeSelect
      aria-label="Outcome"
      value={filters.outcome ?? ""}
      data={[
        { value: "", label: "All outcomes" },
        ...Object.entries(OUTCOMES).map(([value, { label }]) => ({ value, label })),
      ]}
      onChange={(event) => onChange({ outcome: event.currentTarget.value })}
    />
    <NativeSelect
      aria-label="Origin"
      className="origin-filter"
      value={filters.origin ?? ""}
      data={originChoices(origins, filters.origin)}
      onChange={(event) => onChange({ origin: event.currentTarget.value })}
    />
  </>
);

interface FilterTextProps extends FilterBarProps {
  readonly label: string;
  readonly field: Exclude<Field, "kind" | "outcome" | "origin">;
}

/** A text filter that applies on Enter and when the field loses the focus. */
function FilterText({ label, field, filters, onChange }: FilterTextProps) {
  const applied = filters[field] ?? "";
  const [text, setText] = useState(applied);
  const [lastApplied, setLastApplied] = useState(applied);
  if (lastApplied !== applied) {
    setLastApplied(applied);
    setText(applied);
  }
  const apply = () => text.trim() !== applied && onChange({ [field]: text.trim() });
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
