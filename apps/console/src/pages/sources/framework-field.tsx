import { NativeSelect } from "../../ui/primitives/fields.tsx";
import { EXAMPLES } from "../install/framework-examples.ts";

/** No application is built with curl. */
const FRAMEWORKS = EXAMPLES.filter(({ value }) => value !== "curl").map(({ value, label }) => ({
  value,
  label,
}));

interface FrameworkFieldProps {
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}

export function FrameworkField({ value, onChange }: FrameworkFieldProps) {
  const isKnown = value === null || FRAMEWORKS.some((one) => one.value === value);
  const unknown = isKnown ? [] : [{ value: value ?? "", label: value ?? "" }];
  return (
    <NativeSelect
      label="Framework"
      description="The Install page shows this framework’s snippet first."
      value={value ?? ""}
      data={[{ value: "", label: "Not specified" }, ...FRAMEWORKS, ...unknown]}
      onChange={(event) => onChange(event.currentTarget.value || null)}
    />
  );
}
