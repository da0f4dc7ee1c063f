/** The form of a menu that chooses the first and the last day of a period. */
import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { MenuTitle } from "../../ui/dropdown.tsx";

interface DaysFormProps {
  readonly title: string;
  readonly days: readonly [first: string, last: string];
  /** Receives `first..last`. */
  readonly onChoose: (text: string) => void;
}

/** The browser's own calendars for the first and the last day. */
export function DaysForm({ title, days, onChoose }: DaysFormProps) {
  const [from, setFrom] = useState(days[0]);
  const [to, setTo] = useState(days[1]);
  const isReversed = from !== "" && to !== "" && from > to;
  return (
    <form
      className="menu-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (from !== "" && to !== "" && !isReversed) onChoose(`${from}..${to}`);
      }}
    >
      <MenuTitle>{title}</MenuTitle>
      <div className="menu-pair">
        <TextInput
          type="date"
          label="From"
          value={from}
          error={isReversed && "Must not be after the end date"}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput type="date" label="To" value={to} onChange={(event) => setTo(event.currentTarget.value)} />
      </div>
      <Button type="submit" size="xs" fullWidth disabled={isReversed}>
        Apply
      </Button>
    </form>
  );
}
