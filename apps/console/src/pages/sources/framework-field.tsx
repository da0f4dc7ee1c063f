import { NativeSelect } from "@mantine/core";

/** The frameworks that the contract knows, with their names. */
export const FRAMEWORKS = [
  { value: "html", label: "HTML or other" },
  { value: "nextjs", label: "Next.js" },
  { value: "react", label: "React" },
  { value: "vue", label: "Vue" },
  { value: "nuxt", label: "Nuxt" },
  { value: "svelte", label: "Svelte" },
  { value: "angular", label: "Angular" },
  { value: "astro", label: "Astro" },
  { value: "remix", label: "Remix" },
] as const;

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
      description="The install page shows this framework’s snippet first."
      value={value ?? ""}
      data={[{ value: "", label: "Not specified" }, ...FRAMEWORKS, ...unknown]}
      onChange={(event) => onChange(event.currentTarget.value || null)}
    />
  );
}
