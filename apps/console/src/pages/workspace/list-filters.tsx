/** The filters of the usage and of the audit log: in the address of the page, with a search that `/` reaches. */

import { useNavigate, useSearch } from "@tanstack/react-router";
import { useRef } from "react";
import { useShortcuts } from "../../shortcuts.tsx";
import { TextInput } from "../../ui/primitives/fields.tsx";

type ListFilters = Readonly<Record<string, string | undefined>>;

/** Back and a bookmark lead to the same list. A filter that is undefined or empty is not in the address. */
export function useListFilters(to: "/audit" | "/usage"): [ListFilters, (changes: ListFilters) => void] {
  // the address can have any text
  const filters = useSearch({ strict: false }) as ListFilters;
  const navigate = useNavigate();
  const change = (changes: ListFilters) => {
    const chosen = Object.entries({ ...filters, ...changes }).flatMap(([name, value]) =>
      value ? [[name, value] as const] : [],
    );
    void navigate({ to, search: Object.fromEntries(chosen), replace: "search" in changes });
  };
  return [filters, change];
}

interface SearchFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

export function SearchField({ label, placeholder, value, onChange }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  useShortcuts([["/", () => input.current?.focus()]]);
  return (
    <TextInput
      ref={input}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      icon="search"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
