import { NativeSelect } from "@mantine/core";

const DAY_MS = 86_400_000;
const EXPIRIES = [
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "", label: "Never" },
];

/** @param days as the field has them; empty: never */
export const toExpiresAt = (days: string): string | null =>
  days === "" ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();

interface ExpirySelectProps {
  readonly days: string;
  readonly onChange: (days: string) => void;
}

export const ExpirySelect = ({ days, onChange }: ExpirySelectProps) => (
  <NativeSelect
    label="Expires"
    value={days}
    data={EXPIRIES}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);
