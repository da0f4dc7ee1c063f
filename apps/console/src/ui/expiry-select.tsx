import { DAY_MS } from "../time.ts";
import { NativeSelect } from "./primitives/fields.tsx";

const EXPIRY_OPTIONS = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "", label: "Never" },
];

/**
 * @param days the value of the select; empty means never
 * @returns the time of expiry for the API, or null for never
 */
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
    data={EXPIRY_OPTIONS}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);
