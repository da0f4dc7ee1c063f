/** The fields for the scope of a new token: everything that its role may do, or one thing for one source. */
import type { CreateTokenBody } from "@headwater/contract";
import type { Role } from "@headwater/contract/roles";
import { useQuery } from "@tanstack/react-query";
import { sourcesQuery } from "../../queries.ts";
import { ROLE_TEXTS, roleName } from "../../role-texts.ts";
import { NativeSelect } from "../../ui/primitives/fields.tsx";
import { useWorkspace } from "../../workspace-context.tsx";

type TokenLimit = Pick<CreateTokenBody, "scope" | "sourceId">;

const SCOPE_OPTIONS = [
  { value: "", label: "Everything its role allows" },
  { value: "ingest", label: "Send events for a source" },
  { value: "stats", label: "Read a source’s stats" },
];

const SCOPE_TEXTS = {
  ingest: "Can only send events of the chosen source.",
  stats: "Can only read the stats of the chosen source.",
};

interface ScopeFieldsProps {
  /** The role of whoever the token acts as. */
  readonly role: Role;
  readonly limit: TokenLimit;
  readonly onChange: (limit: TokenLimit) => void;
}

export function ScopeFields({ limit, role, onChange }: ScopeFieldsProps) {
  const { organizationId } = useWorkspace();
  const { data: sources = [] } = useQuery(sourcesQuery(organizationId));
  const choices = sources
    .map(({ sourceId, name }) => ({ value: sourceId, label: name }))
    .toSorted((one, other) => one.label.localeCompare(other.label, undefined, { numeric: true }));
  const select = (value: string) => {
    const scope = value === "ingest" || value === "stats" ? value : null;
    onChange({ scope, sourceId: scope === null ? null : (limit.sourceId ?? choices[0]?.value ?? null) });
  };
  return (
    <>
      <NativeSelect
        label="Access"
        description={
          limit.scope == null ? `${roleName(role)}: ${ROLE_TEXTS[role]}` : SCOPE_TEXTS[limit.scope]
        }
        value={limit.scope ?? ""}
        data={choices.length === 0 ? SCOPE_OPTIONS.slice(0, 1) : SCOPE_OPTIONS}
        onChange={(event) => select(event.currentTarget.value)}
      />
      {limit.scope != null && (
        <NativeSelect
          label="Source"
          value={limit.sourceId ?? ""}
          data={choices}
          onChange={(event) => onChange({ ...limit, sourceId: event.currentTarget.value })}
        />
      )}
    </>
  );
}
