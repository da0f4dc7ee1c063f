import { NativeSelect } from "@mantine/core";

/** The contract's known ones, by the names that people know. */
export const FRAMEWORKS = [
  { value: "html", label: "Plain HTML, or any other" },
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
  const own = isKnown ? [] : [{ value: value ?? "", label: value ?? "" }];
  return (
    <NativeSelect
      label="Framework"
      description="Which snippet is shown first."
      value={value ?? ""}
      data={[{ value: "", label: "Not said" }, ...FRAMEWORKS, ...own]}
      onChange={(event) => onChange(event.currentTarget.value || null)}
    />
  );
}
