/** Chooses what the lists are by, when there are too many choices for buttons. */
import { NativeSelect } from "../../../ui/primitives/fields.tsx";

interface ListsSelectProps {
  readonly options: { value: string; label: string }[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export const ListsSelect = ({ options, value, onChange }: ListsSelectProps) => (
  <NativeSelect
    aria-label="Lists"
    data={options}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);
