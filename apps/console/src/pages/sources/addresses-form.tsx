/** The form for how page URLs are stored: query parameters and rules for paths. */
import type { Source } from "@headwater/contract";
import { NativeSelect, Switch } from "@mantine/core";
import { SaveRow } from "../../save-row.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { FormSection } from "./form-section.tsx";
import { parseLines } from "./lines.ts";
import { LinesField } from "./lines-field.tsx";
import { useSourceForm } from "./source-form.tsx";

const PARAMETER_OPTIONS = [
  { value: "campaign", label: "Campaign parameters only" },
  { value: "all", label: "All" },
  { value: "listed", label: "Only these" },
] as const;
type ParameterChoice = (typeof PARAMETER_OPTIONS)[number]["value"];

const PATTERN_RULE = "A path starts with / and contains no spaces, ? or #. ** can be used once.";

interface AddressFields {
  /** `names` has one name per line. */
  readonly parameters: { readonly choice: ParameterChoice; readonly names: string };
  readonly removeIndex: boolean;
  readonly removeTrailingSlash: boolean;
  readonly lowerCase: boolean;
  /** One pattern per line. */
  readonly patterns: string;
}

const toFields = ({ queryParameters, pathRules }: Source): AddressFields => ({
  parameters:
    typeof queryParameters === "string"
      ? { choice: queryParameters, names: "" }
      : { choice: "listed", names: queryParameters.join("\n") },
  ...pathRules,
  patterns: pathRules.patterns.join("\n"),
});

const normalize = ({ parameters, patterns, ...flags }: Partial<AddressFields>): Partial<AddressFields> => ({
  ...flags,
  ...(parameters && {
    parameters: {
      choice: parameters.choice,
      names: parameters.choice === "listed" ? parseLines(parameters.names).join("\n") : "",
    },
  }),
  ...(patterns !== undefined && { patterns: parseLines(patterns).join("\n") }),
});

function toPatch({ parameters, patterns, ...flags }: Partial<AddressFields>) {
  const pathRules = { ...flags, ...(patterns !== undefined && { patterns: parseLines(patterns) }) };
  return {
    ...(parameters && {
      queryParameters: parameters.choice === "listed" ? parseLines(parameters.names) : parameters.choice,
    }),
    ...(Object.keys(pathRules).length > 0 && { pathRules }),
  };
}

export function AddressesForm({ source }: { readonly source: Source }) {
  const form = useSourceForm({ source, stored: toFields(source), normalize, toPatch });
  const { fields, setFields, submit, saved, failure, isUnsaved } = form;
  const invalidPattern = parseLines(fields.patterns).find((_, index) =>
    failure?.issueAt("pathRules", "patterns", index),
  );
  const invalidName = parseLines(fields.parameters.names).find((_, index) =>
    failure?.issueAt("queryParameters", index),
  );
  return (
    <FormSection
      title="Page URLs"
      text="How page URLs are stored. Changes apply to new events only. Values of secret parameters and email addresses are always masked."
      onSubmit={submit}
    >
      {saved.error && <ErrorAlert error={saved.error} />}
      <NativeSelect
        label="Query parameters"
        description="Which ones are stored. Campaign parameters are utm_source, gclid and the like."
        data={[...PARAMETER_OPTIONS]}
        value={fields.parameters.choice}
        onChange={(event) =>
          setFields({
            parameters: { ...fields.parameters, choice: event.currentTarget.value as ParameterChoice },
          })
        }
      />
      {fields.parameters.choice === "listed" && (
        <LinesField
          label="Parameter names"
          description="One name per line. Use * at the end as a wildcard, as in filter_*."
          value={fields.parameters.names}
          error={invalidName === undefined ? null : `${invalidName}: A name contains no spaces, & = ? or #.`}
          onChange={(event) =>
            setFields({ parameters: { ...fields.parameters, names: event.currentTarget.value } })
          }
        />
      )}
      <Switch
        label="Remove index files"
        description="Stores /shop/index.html as /shop/."
        checked={fields.removeIndex}
        onChange={(event) => setFields({ removeIndex: event.currentTarget.checked })}
      />
      <Switch
        label="Remove trailing slashes"
        description="Stores /shop/ as /shop."
        checked={fields.removeTrailingSlash}
        onChange={(event) => setFields({ removeTrailingSlash: event.currentTarget.checked })}
      />
      <Switch
        label="Lower-case paths"
        description="Stores /Shop as /shop."
        checked={fields.lowerCase}
        onChange={(event) => setFields({ lowerCase: event.currentTarget.checked })}
      />
      <LinesField
        label="Merged paths"
        description="One pattern per line. /orders/* stores all orders as one page; ** matches several parts."
        value={fields.patterns}
        error={invalidPattern === undefined ? null : `${invalidPattern}: ${PATTERN_RULE}`}
        onChange={(event) => setFields({ patterns: event.currentTarget.value })}
      />
      <SaveRow saved={saved} what="page URLs" isUnsaved={isUnsaved} />
    </FormSection>
  );
}
