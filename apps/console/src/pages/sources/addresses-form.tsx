/** The section for how page URLs are stored: query parameters and rules for paths. */
import type { Source } from "@headwater/contract";
import { NativeSelect, Switch } from "../../ui/primitives/fields.tsx";
import { SettingsSection } from "./form-section.tsx";
import { checkPage, checkParameter } from "./line-rules.ts";
import { areValidLines, parseLines } from "./lines.ts";
import { LinesField } from "./lines-field.tsx";
import { type SettingsPart, useSettings } from "./settings-form.tsx";

const PARAMETER_OPTIONS = [
  { value: "campaign", label: "Campaign parameters only" },
  { value: "all", label: "All" },
  { value: "listed", label: "Only these" },
] as const;
type ParameterChoice = (typeof PARAMETER_OPTIONS)[number]["value"];

interface AddressFields {
  /** `names` has one name per line. */
  readonly parameters: { readonly choice: ParameterChoice; readonly names: string };
  readonly removeIndex: boolean;
  readonly removeTrailingSlash: boolean;
  readonly lowerCase: boolean;
  /** One pattern per line. */
  readonly patterns: string;
}

export const ADDRESSES: SettingsPart<AddressFields> = {
  title: "Page URLs",
  stored: ({ queryParameters, pathRules }: Source) => ({
    parameters:
      typeof queryParameters === "string"
        ? { choice: queryParameters, names: "" }
        : { choice: "listed", names: queryParameters.join("\n") },
    ...pathRules,
    patterns: pathRules.patterns.join("\n"),
  }),
  normalize: ({ parameters, patterns, ...flags }) => ({
    ...flags,
    ...(parameters && {
      parameters: {
        choice: parameters.choice,
        names: parameters.choice === "listed" ? parseLines(parameters.names).join("\n") : "",
      },
    }),
    ...(patterns !== undefined && { patterns: parseLines(patterns).join("\n") }),
  }),
  toPatch: ({ parameters, patterns, ...flags }) => {
    const pathRules = { ...flags, ...(patterns !== undefined && { patterns: parseLines(patterns) }) };
    return {
      ...(parameters && {
        queryParameters: parameters.choice === "listed" ? parseLines(parameters.names) : parameters.choice,
      }),
      ...(Object.keys(pathRules).length > 0 && { pathRules }),
    };
  },
  isValid: ({ parameters, patterns }) =>
    (parameters.choice !== "listed" || areValidLines(parameters.names, checkParameter)) &&
    areValidLines(patterns, checkPage),
};

export function AddressesForm() {
  const { fields, setFields, failure } = useSettings(ADDRESSES);
  return (
    <SettingsSection
      title="Page URLs"
      text="Choose how page URLs are stored. Changes apply to new events only. Email addresses and the values of secret parameters, such as token, are always masked."
    >
      <NativeSelect
        label="Query parameters"
        description="Which parameters are stored. Campaign parameters include utm_source and gclid."
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
          description="One name per line. Use * at the end as a wildcard."
          placeholder={"page\nfilter_*"}
          value={fields.parameters.names}
          check={checkParameter}
          issueAt={(index) => failure?.issueAt("queryParameters", index) ?? null}
          issue={failure?.issueAt("queryParameters")}
          onChange={(names) => setFields({ parameters: { ...fields.parameters, names } })}
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
        label="Lowercase paths"
        description="Stores /Shop as /shop."
        checked={fields.lowerCase}
        onChange={(event) => setFields({ lowerCase: event.currentTarget.checked })}
      />
      <LinesField
        label="Merged paths"
        description="One pattern per line. /orders/* stores all orders as one page. ** matches any number of folders."
        placeholder={"/orders/*\n/users/*/settings"}
        value={fields.patterns}
        check={checkPage}
        issueAt={(index) => failure?.issueAt("pathRules", "patterns", index) ?? null}
        issue={failure?.issueAt("pathRules", "patterns")}
        onChange={(patterns) => setFields({ patterns })}
      />
    </SettingsSection>
  );
}
